//! The parts of a Hugging Face `tokenizer.json` that [`Tokenizer`](crate::Tokenizer) reads.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Deserialize;
use serde_json::Value;

use crate::TokenizerError;
use crate::merges::{Merged, Merges};
use crate::split::Splitter;
use crate::tokenizer::AddedToken;

/// A parsed file; every method checks and converts one part.
#[derive(Deserialize)]
pub(crate) struct TokenizerFile {
    #[serde(default)]
    added_tokens: Vec<AddedTokenEntry>,
    #[serde(default)]
    normalizer: Value,
    pre_tokenizer: PreTokenizer,
    model: Model,
}

#[derive(Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "the file's own fields")]
struct AddedTokenEntry {
    id: u32,
    content: String,
    #[serde(default)]
    single_word: bool,
    #[serde(default)]
    lstrip: bool,
    #[serde(default)]
    rstrip: bool,
    #[serde(default)]
    special: bool,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum PreTokenizer {
    ByteLevel {
        add_prefix_space: bool,
        #[serde(default = "default_true")]
        use_regex: bool,
    },
    Digits {
        individual_digits: bool,
    },
    Sequence {
        pretokenizers: Vec<PreTokenizer>,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Model {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(default)]
    dropout: Option<f32>,
    #[serde(default)]
    continuing_subword_prefix: Option<String>,
    #[serde(default)]
    end_of_word_suffix: Option<String>,
    #[serde(default)]
    byte_fallback: bool,
    #[serde(default)]
    ignore_merges: bool,
    vocab: BTreeMap<String, u32>,
    merges: Vec<MergeEntry>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum MergeEntry {
    Pair(String, String),
    Line(String),
}

fn default_true() -> bool {
    true
}

impl TokenizerFile {
    pub(crate) fn from_json(json: &str) -> Result<Self, TokenizerError> {
        let file: Self = serde_json::from_str(json).map_err(|error| TokenizerError::Json(error.to_string()))?;
        let model = &file.model;
        let unsupported = [
            (!file.normalizer.is_null(), "a normalizer"),
            (model.kind.as_deref().is_some_and(|kind| kind != "BPE"), "a model other than BPE"),
            (model.dropout.is_some_and(|dropout| dropout != 0.0), "dropout"),
            (model.continuing_subword_prefix.as_deref().is_some_and(|text| !text.is_empty()), "a subword prefix"),
            (model.end_of_word_suffix.as_deref().is_some_and(|text| !text.is_empty()), "a word suffix"),
            (model.byte_fallback, "byte_fallback"),
            (model.ignore_merges, "ignore_merges"),
        ];
        match unsupported.into_iter().find(|(asked, _)| *asked) {
            Some((_, what)) => Err(TokenizerError::Unsupported(what.to_owned())),
            None => Ok(file),
        }
    }

    pub(crate) fn splitter(&self) -> Result<Splitter, TokenizerError> {
        let steps = match &self.pre_tokenizer {
            PreTokenizer::Sequence { pretokenizers } => pretokenizers.as_slice(),
            single => core::slice::from_ref(single),
        };
        let (digits, byte_level) = match steps {
            [PreTokenizer::Digits { individual_digits }, byte_level] => (Some(*individual_digits), byte_level),
            [byte_level] => (None, byte_level),
            _ => return Err(TokenizerError::Unsupported("this pre_tokenizer sequence".to_owned())),
        };
        match byte_level {
            PreTokenizer::ByteLevel { add_prefix_space: false, use_regex } => Ok(Splitter {
                single_digits: digits == Some(true),
                digit_runs: digits == Some(false),
                pattern: *use_regex,
            }),
            PreTokenizer::ByteLevel { .. } => Err(TokenizerError::Unsupported("add_prefix_space".to_owned())),
            _ => Err(TokenizerError::Unsupported("a pre_tokenizer other than ByteLevel".to_owned())),
        }
    }

    pub(crate) fn merges(&self) -> Result<Merges, TokenizerError> {
        let vocab = &self.model.vocab;
        let id = |text: &str| vocab.get(text).copied().ok_or_else(|| TokenizerError::MissingToken(text.to_owned()));
        let mut byte_tokens = Box::new([0; 256]);
        for (token, byte) in byte_tokens.iter_mut().zip(0..=u8::MAX) {
            let mut buffer = [0; 4];
            *token = id(byte_to_char(byte).encode_utf8(&mut buffer))?;
        }
        let mut pairs = Vec::with_capacity(self.model.merges.len());
        for (entry, rank) in self.model.merges.iter().zip(0..) {
            let (left, right) = match entry {
                MergeEntry::Pair(left, right) => (left.as_str(), right.as_str()),
                MergeEntry::Line(line) => line
                    .split_once(' ')
                    .filter(|(_, right)| !right.contains(' '))
                    .ok_or_else(|| TokenizerError::Json(format!("merge `{line}` is not a pair")))?,
            };
            let merged = Merged { rank, token: id(&format!("{left}{right}"))? };
            pairs.push(((id(left)?, id(right)?), merged));
        }
        Ok(Merges::new(byte_tokens, pairs))
    }

    /// The bytes of every id. Ids must be dense, so that no number in the file decides how much is allocated.
    pub(crate) fn token_bytes(&self) -> Result<Vec<Box<[u8]>>, TokenizerError> {
        let mut by_id: BTreeMap<u32, Box<[u8]>> = BTreeMap::new();
        for (text, &id) in &self.model.vocab {
            let bytes = text.chars().map(char_to_byte).collect::<Option<Box<[u8]>>>();
            if by_id.insert(id, bytes.unwrap_or_else(|| text.as_bytes().into())).is_some() {
                return Err(TokenizerError::TokenId(id));
            }
        }
        for added in &self.added_tokens {
            let shared = self.model.vocab.get(&added.content) == Some(&added.id);
            if by_id.insert(added.id, added.content.as_bytes().into()).is_some() && !shared {
                return Err(TokenizerError::TokenId(added.id));
            }
        }
        match by_id.keys().zip(0..).find(|(id, index)| **id != *index) {
            Some((&id, _)) => Err(TokenizerError::TokenId(id)),
            None => Ok(by_id.into_values().collect()),
        }
    }

    pub(crate) fn added_tokens(&self) -> Result<Vec<AddedToken>, TokenizerError> {
        let mut added = Vec::with_capacity(self.added_tokens.len());
        for entry in &self.added_tokens {
            if entry.single_word || entry.lstrip || entry.rstrip {
                return Err(TokenizerError::Unsupported(format!("stripping or word borders at `{}`", entry.content)));
            }
            if entry.content.is_empty() {
                return Err(TokenizerError::Unsupported("an empty added token".to_owned()));
            }
            added.push(AddedToken::new(&entry.content, entry.id, entry.special));
        }
        added.sort_by(|left, right| left.content.cmp(&right.content));
        Ok(added)
    }
}

/// The printable character that stands for a byte in a vocabulary: itself where it is printable, else the next free
/// code point from 256 on.
fn byte_to_char(byte: u8) -> char {
    match byte {
        b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF => char::from(byte),
        0..=b' ' => shifted(u32::from(byte)),
        0x7F..=0xA0 => shifted(u32::from(byte) - 0x7F + 33),
        0xAD => shifted(67),
    }
}

fn shifted(offset: u32) -> char {
    char::from_u32(256 + offset).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The byte that a character of a vocabulary stands for.
fn char_to_byte(char: char) -> Option<u8> {
    let byte = match u32::from(char) {
        point @ 256..=288 => point - 256,
        point @ 289..=322 => point - 256 - 33 + 0x7F,
        323 => 0xAD,
        point => point,
    };
    u8::try_from(byte).ok().filter(|&byte| byte_to_char(byte) == char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_its_own_printable_character() {
        let chars: alloc::collections::BTreeSet<char> = (0..=u8::MAX).map(byte_to_char).collect();
        assert_eq!(chars.len(), 256);
        assert!((0..=u8::MAX).all(|byte| char_to_byte(byte_to_char(byte)) == Some(byte)));
        assert_eq!((byte_to_char(b' '), byte_to_char(b'\n')), ('Ġ', 'Ċ'));
        assert_eq!(char_to_byte(' '), None);
        assert_eq!(char_to_byte('€'), None);
    }
}
