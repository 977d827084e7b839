//! The decoder: embedding, blocks of attention and gated perceptron, final norm, output head.

use alloc::vec::Vec;

use burn::module::Module;
use burn::nn::{Embedding, EmbeddingConfig, Initializer, Linear, LinearConfig, RmsNorm, RmsNormConfig};
use burn::prelude::*;

use crate::{CacheError, DecoderConfig, KvCache, RaggedBatch};

/// A Llama-family decoder: root-mean-square norms, rotary positions, grouped-query attention, SwiGLU.
#[derive(Module, Debug)]
pub struct Decoder {
    embed_tokens: Embedding,
}

/// What the policy thinks of given tokens; temperature 1, whole vocabulary.
#[derive(Clone, Debug)]
pub struct TokenScores {
    /// Log-probability of each target `[m]`; differentiable.
    pub log_probs: Tensor<1>,
    /// Entropy in nats of the distribution each target was one outcome of `[m]`; a constant, no gradient flows.
    pub entropy: Tensor<1>,
}

impl DecoderConfig {
    /// A decoder with fresh weights drawn from the backend's generator (`device.seed(..)` first).
    ///
    /// # Panics
    /// If the sizes do not fit together; [`DecoderConfig::validate`] says so beforehand.
    pub fn init(&self, device: &Device) -> Decoder {
        todo!()
    }
}

impl Decoder {
    /// The decoder's shape.
    pub fn config(&self) -> &DecoderConfig {
        todo!()
    }

    /// Final hidden states `[n, hidden_size]` of every token, each row read from its start; differentiable.
    ///
    /// # Panics
    /// If a token is outside the vocabulary or a row longer than `max_seq_len`.
    pub fn hidden(&self, batch: &RaggedBatch) -> Tensor<2> {
        todo!()
    }

    /// Logits `[m, vocab_size]` of hidden states `[m, hidden_size]`: select the rows that are needed first.
    pub fn logits(&self, hidden: Tensor<2>) -> Tensor<2> {
        todo!()
    }

    /// How likely `targets` `[m]` are after hidden states `[m, hidden_size]`, without keeping the logits.
    pub fn score(&self, hidden: Tensor<2>, targets: Tensor<1, Int>) -> TokenScores {
        todo!()
    }

    /// Logits `[n, vocab_size]` of every token: [`hidden`](Self::hidden), then [`logits`](Self::logits).
    pub fn forward(&self, batch: &RaggedBatch) -> Tensor<2> {
        self.logits(self.hidden(batch))
    }

    /// Feeds each row's new tokens after what the cache holds for that row; final hidden states `[n, hidden_size]` of
    /// the new tokens. Row `i` of `batch` is row `i` of the cache; an empty row feeds nothing. Not differentiable.
    ///
    /// # Errors
    /// [`CacheError`] when the rows do not match the cache or would outgrow it; the cache is then unchanged.
    pub fn forward_cached(&self, batch: &RaggedBatch, cache: &mut KvCache) -> Result<Tensor<2>, CacheError> {
        todo!()
    }

    /// Like [`forward_cached`](Self::forward_cached), but logits `[k, vocab_size]` after the last new token of each of
    /// the `k` rows that fed at least one, in row order.
    ///
    /// # Errors
    /// As [`forward_cached`](Self::forward_cached).
    pub fn next_logits(&self, batch: &RaggedBatch, cache: &mut KvCache) -> Result<Tensor<2>, CacheError> {
        todo!()
    }
}
