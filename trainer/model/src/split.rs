//! Cutting text into the pieces inside which tokens are merged, as GPT-2 does:
//!
//! ```text
//! 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//! ```
//!
//! Every character belongs to exactly one piece; the scan is one pass.

use alloc::vec::Vec;

use crate::unicode::{LETTERS, NUMBERS};

/// How text is cut before merging.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Splitter {
    /// Cut every digit off as a piece of its own first.
    pub(crate) single_digits: bool,
    /// Cut runs of digits off as pieces first.
    pub(crate) digit_runs: bool,
    /// Cut by the pattern above.
    pub(crate) pattern: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Letter,
    Number,
    Other,
}

impl Splitter {
    /// Calls `piece` with each piece of `text` in order.
    pub(crate) fn split<'a>(self, text: &'a str, mut piece: impl FnMut(&'a str)) {
        if !self.single_digits && !self.digit_runs {
            return self.split_pattern(text, &mut piece);
        }
        let mut rest = text;
        while let Some(start) = rest.find(char::is_numeric) {
            let (before, numeric) = rest.split_at(start);
            self.split_pattern(before, &mut piece);
            let first = numeric.chars().next().map_or(0, char::len_utf8);
            let end = if self.single_digits {
                first
            } else {
                numeric.find(|char: char| !char.is_numeric()).unwrap_or(numeric.len())
            };
            self.split_pattern(&numeric[..end], &mut piece);
            rest = &numeric[end..];
        }
        self.split_pattern(rest, &mut piece);
    }

    fn split_pattern<'a>(self, text: &'a str, piece: &mut impl FnMut(&'a str)) {
        if !self.pattern {
            if !text.is_empty() {
                piece(text);
            }
            return;
        }
        let mut rest = text;
        while !rest.is_empty() {
            let (head, tail) = rest.split_at(piece_len(rest));
            piece(head);
            rest = tail;
        }
    }
}

/// The length in bytes of the first piece of a text that is not empty.
fn piece_len(text: &str) -> usize {
    if let Some(len) = contraction_len(text) {
        return len;
    }
    let body = text.strip_prefix(' ').unwrap_or(text);
    let lead = text.len() - body.len();
    match body.chars().next().map(class) {
        None | Some(Class::Space) => space_len(text),
        Some(wanted) => lead + body.find(|char| class(char) != wanted).unwrap_or(body.len()),
    }
}

/// A run of white space: all of it at the end of the text, else all but its last character (which may lead the next
/// piece), but at least one character.
fn space_len(text: &str) -> usize {
    let run = text.find(|char| class(char) != Class::Space).unwrap_or(text.len());
    if run == text.len() {
        return run;
    }
    let last = text[..run].chars().next_back().map_or(0, char::len_utf8);
    if run > last { run - last } else { run }
}

fn contraction_len(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('\'')?.as_bytes();
    match rest {
        [b's' | b't' | b'm' | b'd', ..] => Some(2),
        [b'r' | b'v', b'e', ..] | [b'l', b'l', ..] => Some(3),
        _ => None,
    }
}

fn class(char: char) -> Class {
    if char.is_ascii() {
        return match char {
            'a'..='z' | 'A'..='Z' => Class::Letter,
            '0'..='9' => Class::Number,
            '\t'..='\r' | ' ' => Class::Space,
            _ => Class::Other,
        };
    }
    if char.is_whitespace() {
        Class::Space
    } else if contains(&LETTERS, char) {
        Class::Letter
    } else if contains(&NUMBERS, char) {
        Class::Number
    } else {
        Class::Other
    }
}

fn contains(ranges: &[(u32, u32)], char: char) -> bool {
    let point = u32::from(char);
    let after = ranges.partition_point(|&(start, _)| start <= point);
    after > 0 && point <= ranges[after - 1].1
}

/// The pieces of `text`, for tests.
#[allow(dead_code, reason = "used by tests only")]
pub(crate) fn pieces(splitter: Splitter, text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    splitter.split(text, |piece| all.push(piece));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATTERN: Splitter = Splitter { single_digits: false, digit_runs: false, pattern: true };

    #[test]
    fn words_take_one_space_and_runs_leave_one() {
        assert_eq!(
            pieces(PATTERN, "I'm  ill, 38.5\n\n ok  "),
            ["I", "'m", " ", " ill", ",", " 38", ".", "5", "\n\n", " ok", "  "]
        );
        assert_eq!(pieces(PATTERN, "a\n b\tc"), ["a", "\n", " b", "\t", "c"]);
        assert_eq!(pieces(PATTERN, "it'll 'Re «Öl»"), ["it", "'ll", " '", "Re", " «", "Öl", "»"]);
    }

    #[test]
    fn digits_stand_alone_when_asked() {
        let single = Splitter { single_digits: true, ..PATTERN };
        assert_eq!(pieces(single, "at 38.5 C"), ["at", " ", "3", "8", ".", "5", " C"]);
        let runs = Splitter { digit_runs: true, ..PATTERN };
        assert_eq!(pieces(runs, "at 38.5 C"), ["at", " ", "38", ".", "5", " C"]);
    }

    #[test]
    fn the_tables_are_those_of_the_regular_expression() {
        for (pattern, ranges) in [(r"\p{L}", &LETTERS[..]), (r"\p{N}", &NUMBERS[..])] {
            let parsed = regex_syntax::parse(pattern).unwrap();
            let regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class)) = parsed.kind() else {
                panic!("not a class");
            };
            let expected: Vec<(u32, u32)> =
                class.iter().map(|range| (u32::from(range.start()), u32::from(range.end()))).collect();
            assert_eq!(ranges, expected);
        }
    }
}
