//! Why training could not go on.

use workup_model::CacheError;

use crate::rollout::RolloutError;

/// Why a training step failed. Decoder, optimiser and state are as they were before the update that failed.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum LearnError {
    /// Loss or gradient is not a finite number.
    #[error(
        "loss or gradient of step `{step}` is not finite, lower the learning rate or resume from an earlier checkpoint"
    )]
    NotFinite {
        /// The step, counted from 0.
        step: u64,
    },
    /// Fine-tuning was given nothing to learn from.
    #[error("there are no conversations to learn from, write some first")]
    NoExamples,
    /// Sampler and trainer disagree about the same weights, so ratios would be wrong from the start.
    #[error(
        "log-probabilities of sampler and trainer differ by `{gap}`, more than `{limit}`: check that both use the same weights and positions"
    )]
    Disagreement {
        /// The largest difference over the chosen tokens of the first mini-batch.
        gap: f32,
        /// The largest allowed.
        limit: f32,
    },
    /// The rollout failed.
    #[error(transparent)]
    Rollout(#[from] RolloutError<CacheError>),
}
