//! How an agent learns: rollouts over a [`Clinic`], group-relative advantages, losses, and the optimiser step.
//!
//! Tokens in, tokens out: a trajectory keeps the tokens that were sampled, and every loss, length and penalty goes by
//! its action mask. Nothing here reads a file or a clock, and threads exist with the feature `native` alone (rayon's,
//! shared with the CPU kernels), so the same code trains natively and in a browser tab; whoever calls it passes
//! scenarios, generators and settings, and writes down what comes back.
//!
//! ```text
//! sft_step(..)                                   one update on conversations
//! let policy = DecoderPolicy::new(&learner.decoder, 512);
//! let collected = collect(.., &policy, &clinic, ..)?;   sample groups until enough carry signal
//! let metrics = update(.., &mut learner, &collected)?;  at least two clipped updates on them
//! rollout_groups(.., greedy)                     evaluation
//! ```
#![warn(missing_docs)]

mod advantage;
mod batch;
mod clinic;
mod dapo;
mod error;
mod loss;
mod metrics;
mod optimizer;
mod parallel;
mod policy;
mod rollout;
mod sft;
mod trajectory;

pub use advantage::{AdvantageMethod, GroupFilter, GroupVerdict, Overlong, STD_FLOOR, group_advantages};
pub use batch::{MicroBatch, Sequence, micro_batches};
pub use clinic::{Clinic, ClinicStep, Ending, Episode};
pub use dapo::{Collected, DapoConfig, DapoState, collect, update};
pub use error::LearnError;
pub use loss::{Clip, DapoLoss, Reduction, dapo_loss, sft_loss, token_entropy, token_log_probs};
pub use metrics::Metrics;
pub use optimizer::{Decay, Learner, LearningRate, MatrixUpdate, OptimizerConfig, clip_grad_norm};
pub use policy::{DecoderPolicy, Policy};
pub use rollout::{RolloutConfig, RolloutError, StreamKey, rollout_groups};
pub use sft::{Example, SftConfig, SftState, sft_loss_of, sft_step};
pub use trajectory::{Group, Trajectory};
