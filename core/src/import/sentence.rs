//! Sentences of a text.

use alloc::vec::Vec;

/// Words before a full stop that does not end a sentence.
const ABBREVIATIONS: &[&str] = &[
    "dr", "mr", "mrs", "ms", "st", "vs", "eg", "ie", "e.g", "i.e", "approx", "no", "fig", "ca", "resp", "prof", "etc",
];

/// The sentences of a text, trimmed; joined with a space they are the text with single spaces between sentences.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (index, letter) in text.char_indices() {
        let end = index + letter.len_utf8();
        if matches!(letter, '.' | '!' | '?') && ends_here(&text[start..index], &text[end..], letter) {
            parts.push(text[start..end].trim());
            start = end;
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// True when the mark between `before` and `after` ends a sentence.
fn ends_here(before: &str, after: &str, mark: char) -> bool {
    let mut rest = after.chars();
    if !rest.next().is_some_and(char::is_whitespace) {
        return false;
    }
    let next = rest.find(|letter| !letter.is_whitespace());
    if !next
        .is_some_and(|letter| letter.is_uppercase() || letter.is_ascii_digit() || matches!(letter, '"' | '\'' | '“'))
    {
        return false;
    }
    let last = before.rsplit(|letter: char| letter.is_whitespace() || letter == '(').next().unwrap_or(before);
    let is_initial = last.chars().count() == 1 && last.chars().all(char::is_uppercase);
    mark != '.' || !(is_initial || ABBREVIATIONS.iter().any(|short| last.eq_ignore_ascii_case(short)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_marks_before_a_new_start() {
        let text = "Dr. Bo saw a 3.5 cm lump. E. coli grew. She left! 2 days passed";
        assert_eq!(sentences(text), ["Dr. Bo saw a 3.5 cm lump.", "E. coli grew.", "She left!", "2 days passed"]);
        assert_eq!(sentences(text).join(" "), text);
        assert!(sentences("  ").is_empty());
    }
}
