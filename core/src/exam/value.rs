//! Words of an agent -> a value of a parameter.
//!
//! Tried in order: the value itself, another word for it, a value named inside a longer text ("left knee joint"), and a text
//! that is part of exactly one value ("12 lead"). Whole words only, and two different values in one text are an error: a call
//! is never executed as something its author did not say.

use alloc::{string::String, vec::Vec};

use super::catalogue::Parameter;

/// Why a text is no value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ValueProblem {
    /// It names none.
    Unknown,
    /// It names several, by index.
    Ambiguous(Vec<u8>),
}

/// Lower case, runs of anything but letters and digits as one `_`, none at the ends.
pub(super) fn normalize(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii_alphanumeric() {
            out.push(character.to_ascii_lowercase());
        } else if character.is_alphanumeric() {
            out.extend(character.to_lowercase());
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
    }
    if out.ends_with('_') {
        out.pop();
    }
    out
}

impl Parameter {
    /// Index of the value that `text` means.
    pub(super) fn find_value(&self, text: &str) -> Result<u8, ValueProblem> {
        if let Some(index) = self.values.iter().position(|value| value == text) {
            return Ok(index as u8);
        }
        let text = normalize(text);
        if text.is_empty() {
            return Err(ValueProblem::Unknown);
        }
        if let Some(value) = self.look_up(&text) {
            return Ok(value);
        }
        let mut named = self.named_within(&text);
        if named.is_empty() {
            named = self.containing(&text);
        }
        match named.as_slice() {
            [] => Err(ValueProblem::Unknown),
            [value] => Ok(*value),
            _ => Err(ValueProblem::Ambiguous(named)),
        }
    }

    fn look_up(&self, key: &str) -> Option<u8> {
        let found = self.words.binary_search_by(|(word, _)| word.as_str().cmp(key)).ok()?;
        Some(self.words[found].1)
    }

    /// Distinct values named inside the text, the longest name first at every position.
    fn named_within(&self, text: &str) -> Vec<u8> {
        let starts = word_starts(text);
        let mut named = Vec::new();
        let mut at = 0;
        while at < starts.len() {
            let longest = (starts.len() - at).min(self.longest_word);
            let found = (1..=longest).rev().find_map(|len| {
                let end = starts.get(at + len).map_or(text.len(), |next| next - 1);
                self.look_up(&text[starts[at]..end]).map(|value| (value, len))
            });
            if let Some((value, len)) = found {
                if !named.contains(&value) {
                    named.push(value);
                }
                at += len;
            } else {
                at += 1;
            }
        }
        named
    }

    /// Values of which the text is a run of whole words.
    fn containing(&self, text: &str) -> Vec<u8> {
        let is_part = |value: &str| {
            value.match_indices(text).any(|(start, part)| {
                let end = start + part.len();
                (start == 0 || value.as_bytes()[start - 1] == b'_')
                    && (end == value.len() || value.as_bytes()[end] == b'_')
            })
        };
        let indexes = 0..self.values.len() as u8;
        indexes.zip(&self.values).filter(|(_, value)| is_part(value)).map(|(index, _)| index).collect()
    }
}

/// Byte positions at which the words of a normalised text start.
fn word_starts(text: &str) -> Vec<usize> {
    let after_separator = text.bytes().enumerate().filter(|(_, byte)| *byte == b'_').map(|(at, _)| at + 1);
    core::iter::once(0).chain(after_separator).collect()
}
