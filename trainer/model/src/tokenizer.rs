//! Text to token ids and back: byte-level BPE as a Hugging Face `tokenizer.json` describes it.

use alloc::string::String;
use alloc::vec::Vec;

/// A byte-level BPE tokenizer with special tokens.
#[derive(Clone, Debug)]
pub struct Tokenizer {}

/// Why a `tokenizer.json` was refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenizerError {
    /// Not JSON, or a part is missing or of the wrong type.
    #[error("tokenizer file is not valid: {0}")]
    Json(String),
    /// A part that this reader does not implement.
    #[error("tokenizer file asks for `{0}`, only byte-level BPE is read")]
    Unsupported(String),
}

impl Tokenizer {
    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    /// [`TokenizerError`] when it is not one, or asks for something other than byte-level BPE.
    pub fn from_json(json: &str) -> Result<Self, TokenizerError> {
        todo!()
    }

    /// Number of token ids, special tokens included.
    pub fn vocab_size(&self) -> usize {
        todo!()
    }

    /// The id of a special token, for example `<|end|>`.
    pub fn special(&self, content: &str) -> Option<u32> {
        todo!()
    }

    /// Token ids of `text`; special tokens written out in it become their ids.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        todo!()
    }

    /// Token ids of `text` read as plain text: a special token written out in it stays text.
    pub fn encode_plain(&self, text: &str) -> Vec<u32> {
        todo!()
    }

    /// The text of `tokens`, special tokens included; unknown ids give nothing, broken UTF-8 the replacement character.
    pub fn decode(&self, tokens: &[u32]) -> String {
        todo!()
    }

    /// The bytes of one token, for streaming output; empty for an unknown id.
    pub fn token_bytes(&self, token: u32) -> &[u8] {
        todo!()
    }
}
