//! Choosing the next token on the host, from logits, with a generator that is passed in.

use alloc::vec::Vec;

use rand_core::Rng;

/// How the next token is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Logits are divided by this; 0 takes the most likely token.
    pub temperature: f32,
    /// Only the smallest set of most likely tokens that together reach this probability can be chosen; 1 allows all.
    pub top_p: f32,
}

impl Sampling {
    /// Always the most likely token (the lowest id among equals).
    pub const GREEDY: Self = Self { temperature: 0.0, top_p: 1.0 };
    /// The policy's own distribution.
    pub const PLAIN: Self = Self { temperature: 1.0, top_p: 1.0 };
}

/// A chosen token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampled {
    /// The token's id.
    pub token: u32,
    /// Its log-probability at temperature 1 over the whole vocabulary, whatever temperature and top-p chose it:
    /// what a policy-gradient ratio compares with.
    pub log_prob: f32,
}

/// Draws one token from `logits` `[vocab_size]`.
///
/// # Panics
/// If `logits` is empty.
pub fn sample(logits: &[f32], sampling: Sampling, rng: &mut impl Rng) -> Sampled {
    todo!()
}

/// Log-probabilities of `logits`, summed in f64 with `libm`: the same bits on every platform.
pub fn log_softmax(logits: &[f32]) -> Vec<f32> {
    todo!()
}
