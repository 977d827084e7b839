//! Training of the byte-level BPE vocabulary, with the `tokenizers` crate. Encoding is `workup-model`'s own.

use tokenizers::models::bpe::{BPE, BpeTrainer};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::{AddedToken, NormalizerWrapper, PreTokenizerWrapper, TokenizerBuilder};

/// Fewest token ids a vocabulary can have: one per byte, besides the special tokens.
pub const NUM_BYTES: usize = 256;

/// Why a vocabulary could not be trained.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainTokenizerError {
    /// The vocabulary has no room for all bytes and special tokens.
    #[error("vocabulary of `{vocab_size}` is too small, use at least `{least}`")]
    TooSmall {
        /// The size asked for.
        vocab_size: usize,
        /// The least size for these special tokens.
        least: usize,
    },
    /// A special token that is empty or given twice.
    #[error("special token `{0}` is empty or given twice")]
    Special(String),
    /// The `tokenizers` crate failed.
    #[error("tokenizer training failed: {0}")]
    Tokenizers(String),
}

/// Trains a byte-level BPE vocabulary of at most `vocab_size` tokens on `texts` and returns its `tokenizer.json`.
///
/// Special tokens take the first ids, in the given order, then come the 256 bytes, then the merges. Text is cut as GPT-2
/// does, with every digit a piece of its own. The same texts, in any order, give the same file.
///
/// # Errors
/// [`TrainTokenizerError`] when the vocabulary is too small or a special token unusable.
pub fn train_bpe<'a>(
    texts: impl Iterator<Item = &'a str> + Send,
    vocab_size: usize,
    special_tokens: &[&str],
) -> Result<String, TrainTokenizerError> {
    for (index, special) in special_tokens.iter().enumerate() {
        if special.is_empty() || special_tokens[..index].contains(special) {
            return Err(TrainTokenizerError::Special((*special).to_owned()));
        }
    }
    let least = NUM_BYTES + special_tokens.len();
    if vocab_size < least {
        return Err(TrainTokenizerError::TooSmall { vocab_size, least });
    }
    let mut trainer = BpeTrainer::builder()
        .vocab_size(vocab_size)
        .min_frequency(2)
        .show_progress(false)
        .special_tokens(special_tokens.iter().map(|&text| AddedToken::from(text, true)).collect())
        .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
        .build();
    let byte_level = ByteLevel::new(false, false, true);
    let pre_tokenizer = Sequence::new(vec![Digits::new(true).into(), byte_level.into()]);
    let failed = |error: tokenizers::Error| TrainTokenizerError::Tokenizers(error.to_string());
    let mut tokenizer =
        TokenizerBuilder::<BPE, NormalizerWrapper, PreTokenizerWrapper, ByteLevel, ByteLevel>::default()
            .with_model(BPE::default())
            .with_normalizer(None)
            .with_pre_tokenizer(Some(pre_tokenizer.into()))
            .with_post_processor(None)
            .with_decoder(Some(byte_level))
            .build()
            .map_err(failed)?;
    tokenizer.train(&mut trainer, texts).map_err(failed)?;
    tokenizer.to_string(false).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use workup_model::Tokenizer;

    fn texts() -> Vec<String> {
        let words = ["chest", "pain", "since", "38.5", "fever", "Any", "allergies?", "cough", "cbc()", "ecg()"];
        (0..400_usize)
            .map(|line| (0..12).map(|word| words[(line * 7 + word * word * 3) % 10]).collect::<Vec<_>>().join(" "))
            .collect()
    }

    #[test]
    fn training_twice_or_in_another_order_gives_the_same_file() {
        let texts = texts();
        let train = |texts: Vec<&str>| train_bpe(texts.into_iter(), 320, &["<|pad|>", "<|end|>"]).unwrap();
        let first = train(texts.iter().map(String::as_str).collect());
        for _ in 0..3 {
            assert_eq!(train(texts.iter().rev().map(String::as_str).collect()), first);
        }
    }

    #[test]
    fn special_tokens_take_the_first_ids_and_bytes_are_always_encodable() {
        let texts = texts();
        let json = train_bpe(texts.iter().map(String::as_str), 280, &["<|pad|>", "<|end|>"]).unwrap();
        let tokenizer = Tokenizer::from_json(&json).unwrap();
        assert_eq!((tokenizer.special("<|pad|>"), tokenizer.special("<|end|>")), (Some(0), Some(1)));
        assert_eq!(tokenizer.vocab_size(), 280);
        assert_eq!(tokenizer.decode(&tokenizer.encode("痛み 🩺 pain<|end|>")), "痛み 🩺 pain<|end|>");
        assert_eq!(tokenizer.encode("385").len(), 3);
    }

    #[test]
    fn unusable_requests_are_refused() {
        let train = |vocab_size, specials: &[&str]| train_bpe(core::iter::empty(), vocab_size, specials).unwrap_err();
        assert!(matches!(train(257, &["a", "b"]), TrainTokenizerError::TooSmall { least: 258, .. }));
        assert!(matches!(train(999, &["a", "a"]), TrainTokenizerError::Special(_)));
    }
}
