//! DAPO over multi-turn trajectories, one step at a time: [`collect`] samples groups until enough of them carry signal,
//! [`update`] trains on them.
//!
//! Deviations from the published recipe (arXiv 2503.14476): a group is also kept for a spread in graded reward; the
//! standard deviation has a floor; kept groups beyond the batch carry over for one step with their sampling-time
//! log-probabilities; at the cap of rollout passes training goes on with what is there and says so. No divergence
//! penalty, no reference model.

mod collect;
mod update;

use serde::{Deserialize, Serialize};

pub use self::collect::{Collected, collect};
pub use self::update::update;
use crate::advantage::{AdvantageMethod, GroupFilter, Overlong};
use crate::loss::{Clip, Reduction};
use crate::optimizer::{LearningRate, OptimizerConfig};
use crate::rollout::RolloutConfig;
use crate::trajectory::{Group, Trajectory};

/// Settings of DAPO; the defaults are the published recipe with our conventions. Other methods are a change of
/// `advantage`, `reduction`, `clip` and `filter`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DapoConfig {
    /// Trajectories per scenario, G.
    pub group_size: u32,
    /// Groups that make one step.
    pub groups_per_step: u32,
    /// Every rollout pass plays this many times the groups still missing; at least 1.
    pub oversample: f64,
    /// Most rollout passes per step.
    pub max_passes: u32,
    /// Optimiser updates per step; with one, clipping never binds.
    pub mini_batches: u32,
    /// Most tokens that go through the decoder at once in an update.
    pub micro_batch_tokens: u32,
    /// How rewards become advantages.
    pub advantage: AdvantageMethod,
    /// What the loss is a mean over.
    pub reduction: Reduction,
    /// Where the ratio stops counting.
    pub clip: Clip,
    /// Weight of the entropy bonus.
    pub entropy_coefficient: f32,
    /// Which groups are trained on (dynamic sampling).
    pub filter: GroupFilter,
    /// Penalty on length, added to the reward before group statistics.
    pub overlong: Option<Overlong>,
    /// Leave truncated trajectories out of the loss; they still count in group statistics.
    pub drop_truncated: bool,
    /// Largest difference allowed between log-probabilities of sampler and trainer before the first update of a step.
    pub max_log_prob_gap: f32,
    /// Limits of an episode.
    pub rollout: RolloutConfig,
    /// Learning rate by step.
    pub learning_rate: LearningRate,
    /// Optimiser and clipping.
    pub optimizer: OptimizerConfig,
}

impl DapoConfig {
    /// 16 groups of 8, two mini-batches, clip-higher, dynamic sampling, token mean; no overlong penalty, no entropy
    /// bonus.
    pub fn new(rollout: RolloutConfig, learning_rate: LearningRate) -> Self {
        Self {
            group_size: 8,
            groups_per_step: 16,
            oversample: 1.25,
            max_passes: 4,
            mini_batches: 2,
            micro_batch_tokens: 4096,
            advantage: AdvantageMethod::Dapo,
            reduction: Reduction::TokenMean,
            clip: Clip::default(),
            entropy_coefficient: 0.0,
            filter: GroupFilter::default(),
            overlong: None,
            drop_truncated: false,
            max_log_prob_gap: 1e-3,
            rollout,
            learning_rate,
            optimizer: OptimizerConfig { weight_decay: 0.0, ..OptimizerConfig::default() },
        }
    }

    /// The rewards of a group as its statistics see them: overlong penalty included.
    fn shaped_rewards(&self, group: &Group) -> Vec<f64> {
        group.trajectories.iter().map(|trajectory| trajectory.ending.reward + self.penalty(trajectory)).collect()
    }

    fn penalty(&self, trajectory: &Trajectory) -> f64 {
        self.overlong.map_or(0.0, |overlong| overlong.penalty(trajectory.num_chosen()))
    }
}

/// Where DAPO stands; with decoder and optimiser all that a resumed run needs to go on bit for bit. Write it where
/// floats round-trip (`serde_json` with `float_roundtrip`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DapoState {
    /// Steps done.
    pub step: u64,
    /// The next scenario to play.
    pub next_scenario: u64,
    /// Rollout passes done; keys the draws of the next one.
    pub num_passes: u64,
    /// Optimiser updates done.
    pub num_updates: u64,
    /// Tokens fed to the decoder in updates.
    pub num_tokens: u64,
    /// Tokens of all trajectories sampled.
    pub num_sampled_tokens: u64,
    /// Groups kept for the next step, with their log-probabilities from when they were sampled.
    pub carried: Vec<Group>,
}
