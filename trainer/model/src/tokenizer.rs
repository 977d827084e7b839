//! Text to token ids and back: byte-level BPE as a Hugging Face `tokenizer.json` describes it.
//!
//! Read are: model `BPE` without dropout, prefix, suffix or byte fallback; pre-tokenizer `ByteLevel`, alone or after
//! `Digits`; no normalizer; added tokens that match exactly. Anything else is refused rather than read differently.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::merges::Merges;
use crate::split::Splitter;
use crate::tokenizer_file::TokenizerFile;

/// A byte-level BPE tokenizer with special tokens.
#[derive(Clone, Debug)]
pub struct Tokenizer {
    splitter: Splitter,
    merges: Merges,
    /// The bytes of each token id.
    token_bytes: Vec<Box<[u8]>>,
    /// Added tokens, sorted by content.
    added: Vec<AddedToken>,
    /// Token ids whose bytes encode to just that token, sorted by bytes.
    whole: Vec<u32>,
}

/// A token that text is searched for before anything else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AddedToken {
    pub(crate) content: String,
    pub(crate) id: u32,
    pub(crate) special: bool,
}

/// Why a `tokenizer.json` was refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenizerError {
    /// Not JSON, or a part is missing or of the wrong type.
    #[error("tokenizer file is not valid: {0}")]
    Json(String),
    /// A part that this reader does not implement.
    #[error("tokenizer file asks for `{0}`, only plain byte-level BPE is read")]
    Unsupported(String),
    /// A token that another part names is not in the vocabulary.
    #[error("tokenizer file: `{0}` is not in the vocabulary, export the tokenizer again")]
    MissingToken(String),
    /// Token ids are not 0, 1, 2 and so on, each once.
    #[error("tokenizer file: token id `{0}` is out of sequence or used twice, export the tokenizer again")]
    TokenId(u32),
}

impl Tokenizer {
    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    /// [`TokenizerError`] when it is not one, or asks for something other than byte-level BPE.
    pub fn from_json(json: &str) -> Result<Self, TokenizerError> {
        let file = TokenizerFile::from_json(json)?;
        let mut tokenizer = Self {
            splitter: file.splitter()?,
            merges: file.merges()?,
            token_bytes: file.token_bytes()?,
            added: file.added_tokens()?,
            whole: Vec::new(),
        };
        tokenizer.whole = tokenizer.find_whole_tokens();
        Ok(tokenizer)
    }

    /// Number of token ids, special tokens included.
    pub fn vocab_size(&self) -> usize {
        self.token_bytes.len()
    }

    /// The id of a special token, for example `<|end|>`.
    pub fn special(&self, content: &str) -> Option<u32> {
        self.special_tokens().find(|(other, _)| *other == content).map(|(_, id)| id)
    }

    /// All special tokens with their ids, sorted by content.
    pub fn special_tokens(&self) -> impl Iterator<Item = (&str, u32)> {
        self.added.iter().filter(|token| token.special).map(|token| (token.content.as_str(), token.id))
    }

    /// Token ids of `text`; special tokens written out in it become their ids.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        self.encode_with(text, |_| true)
    }

    /// Token ids of `text` read as plain text: a special token written out in it stays text.
    pub fn encode_plain(&self, text: &str) -> Vec<u32> {
        self.encode_with(text, |token| !token.special)
    }

    /// The text of `tokens`, special tokens included; unknown ids give nothing, broken UTF-8 the replacement character.
    pub fn decode(&self, tokens: &[u32]) -> String {
        let bytes: Vec<u8> = tokens.iter().flat_map(|&token| self.token_bytes(token)).copied().collect();
        match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }
    }

    /// The bytes of one token, for streaming output; empty for an unknown id.
    pub fn token_bytes(&self, token: u32) -> &[u8] {
        self.token_bytes.get(token as usize).map_or(&[], |bytes| bytes)
    }

    fn encode_with(&self, text: &str, wanted: impl Fn(&AddedToken) -> bool) -> Vec<u32> {
        let mut tokens = Vec::with_capacity(text.len() / 3 + 1);
        let mut rest = text;
        let mut from = 0;
        while let Some((start, added)) = self.find_added(&rest[from..]) {
            let (start, end) = (from + start, from + start + added.content.len());
            if wanted(added) {
                self.encode_pieces(&rest[..start], &mut tokens);
                tokens.push(added.id);
                rest = &rest[end..];
                from = 0;
            } else {
                from = end;
            }
        }
        self.encode_pieces(rest, &mut tokens);
        tokens
    }

    /// The first place where an added token stands, the longest one if several do.
    fn find_added(&self, text: &str) -> Option<(usize, &AddedToken)> {
        let bytes = text.as_bytes();
        let starts = |byte: u8| self.added.iter().any(|token| token.content.as_bytes()[0] == byte);
        let mut from = 0;
        while let Some(offset) = bytes[from..].iter().position(|&byte| starts(byte)) {
            let start = from + offset;
            let matching = self.added.iter().filter(|token| bytes[start..].starts_with(token.content.as_bytes()));
            if let Some(longest) = matching.max_by_key(|token| token.content.len()) {
                return Some((start, longest));
            }
            from = start + 1;
        }
        None
    }

    fn encode_pieces(&self, text: &str, tokens: &mut Vec<u32>) {
        self.splitter.split(text, |piece| match self.whole_token(piece.as_bytes()) {
            Some(token) => tokens.push(token),
            None => self.merges.encode(piece.as_bytes(), tokens),
        });
    }

    fn whole_token(&self, bytes: &[u8]) -> Option<u32> {
        let place = self.whole.binary_search_by(|&token| self.token_bytes(token).cmp(bytes)).ok()?;
        Some(self.whole[place])
    }

    fn find_whole_tokens(&self) -> Vec<u32> {
        let mut whole: Vec<u32> = Vec::new();
        let mut encoded = Vec::new();
        for token in 0..self.token_bytes.len() as u32 {
            encoded.clear();
            self.merges.encode(self.token_bytes(token), &mut encoded);
            if encoded == [token] {
                whole.push(token);
            }
        }
        whole.sort_by(|&left, &right| self.token_bytes(left).cmp(self.token_bytes(right)));
        whole
    }
}

impl AddedToken {
    pub(crate) fn new(content: &str, id: u32, special: bool) -> Self {
        Self { content: content.to_owned(), id, special }
    }
}
