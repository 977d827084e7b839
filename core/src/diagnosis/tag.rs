//! The diagnosis tag, as the published pattern `\[DIAGNOSIS:\s*(.+?)\]` (any case, first match) reads it.

use crate::reward::python::{is_space, strip};

/// What stands between the brackets.
const OPENING: &str = "[diagnosis:";

/// The text of the first diagnosis tag, without white space at its ends; `None` when there is no complete tag.
///
/// A tag that holds white space only is an empty text. The tag ends at the first `]` after at least one character, on one
/// line; white space before it may span lines. Takes time proportional to the text.
pub fn extract_diagnosis(text: &str) -> Option<&str> {
    let mut from = 0;
    while let Some(start) = find_opening(text, from) {
        match body(text, start) {
            Ok(found) => return Some(strip(found)),
            Err(next) => from = next,
        }
    }
    None
}

/// The end of the first opening at or after `from`.
fn find_opening(text: &str, from: usize) -> Option<usize> {
    let starts = text[from..].match_indices('[').map(|(at, _)| from + at);
    let mut ends = starts.filter_map(|start| {
        let mut rest = text[start..].char_indices();
        for wanted in OPENING.chars() {
            let (_, character) = rest.next()?;
            if fold(character) != wanted {
                return None;
            }
        }
        Some(rest.offset() + start)
    });
    ends.next()
}

/// Lower case as Python's case-insensitive matching sees it, for the letters of the opening.
fn fold(character: char) -> char {
    match character {
        '\u{130}' | '\u{131}' => 'i',
        '\u{17f}' => 's',
        other => other.to_ascii_lowercase(),
    }
}

/// The captured text of the tag whose opening ends at `start`, or where to look for the next opening.
fn body(text: &str, start: usize) -> Result<&str, usize> {
    let content = start + (text[start..].len() - text[start..].trim_start_matches(is_space).len());
    let mut rest = text[content..].char_indices();
    if let Some((_, first)) = rest.next() {
        // At least one character, then the nearest bracket on the line; white space was skipped, so the first is no line end.
        let after_first = content + first.len_utf8();
        let end = text[after_first..].find([']', '\n']).map_or(text.len(), |at| after_first + at);
        if text[end..].starts_with(']') {
            return Ok(&text[content..end]);
        }
        if first != ']' {
            return Err(resume_at(text, start, end));
        }
        // Nothing but white space before the bracket: the last of it is the captured character, unless that ends a line.
        if let Some(last) = text[start..content].chars().next_back().filter(|last| *last != '\n') {
            return Ok(&text[content - last.len_utf8()..content]);
        }
        return Err(after_first);
    }
    Err(text.len())
}

/// Where to look on when the line of a tag ends at `end` without a bracket: only an opening that touches the line end, but for
/// white space, can still hold a tag, on the next line.
fn resume_at(text: &str, start: usize, end: usize) -> usize {
    if end == text.len() {
        return end;
    }
    let before = text[start..end].trim_end_matches(is_space);
    let opening = before.char_indices().rev().nth(OPENING.len() - 1);
    opening.map_or(start, |(at, _)| start + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_tags_as_the_published_pattern_does() {
        for (text, expected) in [
            ("[DIAGNOSIS: Pneumonia]", Some("Pneumonia")),
            ("so [diagnosis:\t\n flu ] and [DIAGNOSIS: b]", Some("flu")),
            ("[DIAGNOSIS:]", None),
            ("[DIAGNOSIS:] x]", Some("] x")),
            ("[DIAGNOSIS: ]", Some("")),
            ("[DIAGNOSIS:\n]", None),
            ("[DIAGNOSIS: \n ]", Some("")),
            ("[DIAGNOSIS: a\nb] [DIAGNOSIS: c]", Some("c")),
            ("[DIAGNOSIS: a [DIAGNOSIS: \n c]", Some("c")),
            ("[DIAGNOSIS:[DIAGNOSIS:\nc]", Some("c")),
            ("[DIAGNOSIS: [DIAGNOSIS: c]", Some("[DIAGNOSIS: c")),
            ("[D\u{131}AGNO\u{17f}IS: c]", Some("c")),
            ("[DIAGNOSIS: \u{1f}caf\u{e9}\u{a0}]", Some("caf\u{e9}")),
            ("[DIAGNOSIS:", None),
            ("[[DIAGNOSIS:x]", Some("x")),
            ("", None),
        ] {
            assert_eq!(extract_diagnosis(text), expected, "{text:?}");
        }
    }
}
