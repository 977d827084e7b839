//! The decoder: embedding, blocks of attention and gated perceptron, final norm, output head.

use alloc::vec::Vec;

use burn::module::{Initializer, Module};
use burn::nn::{Embedding, EmbeddingConfig, Linear, LinearConfig, RmsNorm, RmsNormConfig};
use burn::prelude::*;

use crate::attention::attend_cached;
use crate::layout::Layout;
use crate::ops::{attend_rows, pick_log_probs, rms_norm, swiglu};
use crate::{CacheError, DecoderConfig, KvCache, RaggedBatch};

/// A Llama-family decoder: root-mean-square norms, rotary positions, grouped-query attention, `SwiGLU`.
#[derive(Module, Debug)]
pub struct Decoder {
    pub(crate) embed_tokens: Embedding,
    pub(crate) layers: Vec<DecoderBlock>,
    pub(crate) norm: RmsNorm,
    /// Absent when the head is the embedding table.
    pub(crate) lm_head: Option<Linear>,
    #[module(skip)]
    config: DecoderConfig,
}

/// One block: attention and a gated perceptron, each added to the residual stream after a norm.
#[derive(Module, Debug)]
pub(crate) struct DecoderBlock {
    pub(crate) input_norm: RmsNorm,
    /// Queries, keys and values side by side, `[hidden_size, qkv_size]`.
    pub(crate) qkv_proj: Linear,
    pub(crate) o_proj: Linear,
    pub(crate) post_attention_norm: RmsNorm,
    /// Gate and up side by side, `[hidden_size, 2 * intermediate_size]`.
    pub(crate) gate_up_proj: Linear,
    pub(crate) down_proj: Linear,
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
    /// A decoder with fresh weights drawn from the backend's generator (`device.seed(..)` first): normal with standard
    /// deviation 0.02, divided by the root of the number of residual additions where a block writes to the stream.
    ///
    /// # Panics
    /// If the sizes do not fit together; [`DecoderConfig::validate`] says so beforehand.
    pub fn init(&self, device: &Device) -> Decoder {
        if let Err(error) = self.validate() {
            panic!("{error}");
        }
        let residual_std = 0.02 / libm::sqrt(2.0 * self.num_layers as f64);
        let hidden = self.hidden_size;
        let linear = |from: usize, to: usize, std: f64| {
            let initializer = Initializer::Normal { mean: 0.0, std };
            LinearConfig::new(from, to).with_bias(false).with_initializer(initializer).init(device)
        };
        let norm = || RmsNormConfig::new(hidden).with_epsilon(self.rms_norm_eps).init(device);
        let block = |_| DecoderBlock {
            input_norm: norm(),
            qkv_proj: linear(hidden, self.qkv_size(), 0.02),
            o_proj: linear(hidden, hidden, residual_std),
            post_attention_norm: norm(),
            gate_up_proj: linear(hidden, 2 * self.intermediate_size, 0.02),
            down_proj: linear(self.intermediate_size, hidden, residual_std),
        };
        Decoder {
            embed_tokens: EmbeddingConfig::new(self.vocab_size, hidden)
                .with_initializer(Initializer::Normal { mean: 0.0, std: 0.02 })
                .init(device),
            layers: (0..self.num_layers).map(block).collect(),
            norm: norm(),
            lm_head: (!self.tie_embeddings).then(|| linear(hidden, self.vocab_size, 0.02)),
            config: self.clone(),
        }
    }
}

impl Decoder {
    /// The decoder's shape.
    pub fn config(&self) -> &DecoderConfig {
        &self.config
    }

    /// Final hidden states `[n, hidden_size]` of every token, each row read from its start; differentiable.
    ///
    /// # Panics
    /// If the batch is empty, a token is outside the vocabulary or a row longer than `max_seq_len`.
    pub fn hidden(&self, batch: &RaggedBatch) -> Tensor<2> {
        if let Err(error) = self.check(batch, &alloc::vec![0; batch.num_rows()]) {
            panic!("{error}");
        }
        let device = self.device();
        let layout = Layout::new(&self.config, batch, &alloc::vec![0; batch.num_rows()], &device);
        let mut stream = self.embed(batch, &device);
        for block in &self.layers {
            stream = block.forward(stream, |qkv| attend_rows(qkv, &layout));
        }
        rms_norm(stream, &self.norm)
    }

    /// Logits `[m, vocab_size]` of hidden states `[m, hidden_size]`: select the rows that are needed first.
    pub fn logits(&self, hidden: Tensor<2>) -> Tensor<2> {
        match &self.lm_head {
            Some(head) => head.forward(hidden),
            None => hidden.matmul(self.embed_tokens.weight.val().transpose()),
        }
    }

    /// How likely `targets` `[m]` are after hidden states `[m, hidden_size]`, without keeping the logits.
    pub fn score(&self, hidden: Tensor<2>, targets: Tensor<1, Int>) -> TokenScores {
        let (log_probs, entropy) = pick_log_probs(self.logits(hidden), targets);
        TokenScores { log_probs, entropy }
    }

    /// Logits `[n, vocab_size]` of every token: [`hidden`](Self::hidden), then [`logits`](Self::logits).
    ///
    /// # Panics
    /// As [`hidden`](Self::hidden).
    pub fn forward(&self, batch: &RaggedBatch) -> Tensor<2> {
        self.logits(self.hidden(batch))
    }

    /// Feeds each row's new tokens after what the cache holds for that row; final hidden states `[n, hidden_size]` of
    /// the new tokens. Row `i` of `batch` is row `i` of the cache; an empty row feeds nothing. Not differentiable.
    ///
    /// # Errors
    /// [`CacheError`] when the rows do not match the cache or would outgrow it; the cache is then unchanged.
    pub fn forward_cached(&self, batch: &RaggedBatch, cache: &mut KvCache) -> Result<Tensor<2>, CacheError> {
        if batch.num_rows() != cache.num_rows() {
            return Err(CacheError::Rows { batch: batch.num_rows(), cache: cache.num_rows() });
        }
        self.check(batch, cache.lens())?;
        let device = self.device();
        if device.is_autodiff() {
            return self.valid().forward_cached(batch, cache);
        }
        cache.reserve(batch.row_lens(), self.config.max_seq_len);
        let layout = Layout::new(&self.config, batch, cache.lens(), &device);
        let mut stream = self.embed(batch, &device);
        for (block, layer) in self.layers.iter().zip(cache.layers_mut()) {
            stream = block.forward(stream, |qkv| attend_cached(qkv, layer, &layout));
        }
        cache.advance(batch.row_lens());
        Ok(rms_norm(stream, &self.norm))
    }

    /// Like [`forward_cached`](Self::forward_cached), but logits `[k, vocab_size]` after the last new token of each of
    /// the `k` rows that fed at least one, in row order.
    ///
    /// # Errors
    /// As [`forward_cached`](Self::forward_cached).
    pub fn next_logits(&self, batch: &RaggedBatch, cache: &mut KvCache) -> Result<Tensor<2>, CacheError> {
        let mut hidden = self.forward_cached(batch, cache)?;
        let last: Vec<i32> = (0..batch.num_rows())
            .map(|row| batch.range(row))
            .filter(|range| !range.is_empty())
            .map(|range| range.end as i32 - 1)
            .collect();
        if last.len() < batch.num_tokens() {
            let device = hidden.device();
            hidden = hidden.select(0, Tensor::from_ints(last.as_slice(), &device));
        }
        Ok(if self.device().is_autodiff() { self.valid().logits(hidden) } else { self.logits(hidden) })
    }

    fn embed(&self, batch: &RaggedBatch, device: &Device) -> Tensor<2> {
        let ids: Vec<i32> = batch.tokens().iter().map(|&token| token as i32).collect();
        let ids = Tensor::<1, Int>::from_ints(ids.as_slice(), device);
        self.embed_tokens.weight.val().select(0, ids)
    }

    fn device(&self) -> Device {
        self.embed_tokens.weight.val().device()
    }

    /// Refuses tokens and rows that the decoder cannot read; `lens` is what each row already holds.
    fn check(&self, batch: &RaggedBatch, lens: &[usize]) -> Result<(), CacheError> {
        if batch.num_tokens() == 0 {
            return Err(CacheError::Empty);
        }
        let vocab_size = self.config.vocab_size;
        if let Some(&token) = batch.tokens().iter().find(|&&token| token as usize >= vocab_size) {
            return Err(CacheError::Token { token, vocab_size });
        }
        let max = self.config.max_seq_len;
        for (row, (new, old)) in batch.row_lens().zip(lens).enumerate() {
            if old + new > max {
                return Err(CacheError::Full { row, len: old + new, max });
            }
        }
        Ok(())
    }
}

impl DecoderBlock {
    fn forward(&self, stream: Tensor<2>, attend: impl FnOnce(Tensor<2>) -> Tensor<2>) -> Tensor<2> {
        let normed = rms_norm(stream.clone(), &self.input_norm);
        let stream = stream + self.o_proj.forward(attend(self.qkv_proj.forward(normed)));
        let normed = rms_norm(stream.clone(), &self.post_attention_norm);
        stream + self.down_proj.forward(swiglu(self.gate_up_proj.forward(normed)))
    }
}
