//! DAPO over multi-turn trajectories, one step at a time: [`collect`] samples groups until enough of them carry signal,
//! [`update`] trains on them.
//!
//! Deviations from the published recipe (arXiv 2503.14476): a group is also kept for a spread in graded reward; the standard
//! deviation has a floor; kept groups beyond the batch carry over for one step with their sampling-time log-probabilities; at the
//! cap of rollout passes training goes on with what is there and says so. No divergence penalty, no reference model.

use burn::prelude::*;
use rand_core::Rng;
use serde::{Deserialize, Serialize};
use workup_model::Decoder;

use crate::advantage::{AdvantageMethod, GroupFilter, GroupVerdict, Overlong, group_advantages, population_std};
use crate::batch::{MicroBatch, Sequence, floats, micro_batches};
use crate::clinic::Clinic;
use crate::error::LearnError;
use crate::loss::{Clip, Reduction, dapo_loss, token_entropy, token_log_probs};
use crate::metrics::Metrics;
use crate::optimizer::{Learner, LearningRate, OptimizerConfig};
use crate::policy::Policy;
use crate::rollout::{RolloutConfig, RolloutError, StreamKey, rollout_groups};
use crate::trajectory::{Group, Trajectory};

/// Settings of DAPO; the defaults are the published recipe with our conventions. Other methods are a change of `advantage`, `reduction`, `clip` and `filter`.
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
    /// 16 groups of 8, two mini-batches, clip-higher, dynamic sampling, token mean; no overlong penalty, no entropy bonus.
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

/// Where DAPO stands; with decoder and optimiser all that a resumed run needs to go on bit for bit. Write it where floats round-trip
/// (`serde_json` with `float_roundtrip`).
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

/// The groups of one step and how they came about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collected {
    /// Groups to train on; those carried over from the step before come first.
    pub groups: Vec<Group>,
    /// How many of them were carried over.
    pub num_carried: usize,
    /// Metrics of the rollouts; means over trajectories are over all that were sampled in this step, dropped groups included.
    pub metrics: Metrics,
}

/// What happened to the groups sampled in one step.
#[derive(Default)]
struct Tally {
    fresh: Vec<Group>,
    verdicts: Vec<GroupVerdict>,
    passes: u32,
    surplus: usize,
}

/// Samples groups until `groups_per_step` of them carry signal or the passes are used up.
///
/// Metrics: `critic/rewards/{mean,min,max}` (R as the clinic gave it), `critic/score/{..}` (S), `critic/overlong_penalty/mean`, `response_length/{..}` (chosen tokens),
/// `response_length/clip_ratio` (share truncated), `total_length/{..}`, `num_turns/{..}`, `actor/entropy`, `frac_reward_zero_std`, `train/num_gen_batches`, `train/generation_cap_hit` (0 or 1, the warning), `train/num_sampled_tokens`,
/// `groups/*` (shares of the sampled groups, but `groups/trained`, `groups/carried_in`, `groups/carried_out`, which are counts) and means of everything in `Ending::metrics`.
///
/// # Errors
/// As [`rollout_groups`]; the state is then unchanged but for the scenarios and passes used.
pub fn collect<C, P, R>(
    config: &DapoConfig,
    state: &mut DapoState,
    policy: &P,
    clinic: &C,
    generator: &mut dyn FnMut(StreamKey) -> R,
) -> Result<Collected, RolloutError<P::Error>>
where
    C: Clinic,
    P: Policy,
    R: Rng,
{
    let wanted = config.groups_per_step as usize;
    let mut groups = core::mem::take(&mut state.carried);
    groups.truncate(wanted);
    let num_carried = groups.len();
    let mut tally = Tally::default();
    while groups.len() < wanted && tally.passes < config.max_passes.max(1) {
        let num_scenarios = ((wanted - groups.len()) as f64 * config.oversample.max(1.0)).ceil() as u64;
        let scenarios: Vec<u64> = (state.next_scenario..state.next_scenario + num_scenarios).collect();
        state.next_scenario += num_scenarios;
        let attempt = state.num_passes;
        state.num_passes += 1;
        tally.passes += 1;
        let sampled =
            rollout_groups(policy, clinic, &scenarios, config.group_size, attempt, &config.rollout, generator)?;
        for group in sampled {
            let verdict = config.filter.judge(&config.shaped_rewards(&group), &group.scores());
            tally.verdicts.push(verdict);
            if verdict == GroupVerdict::Keep {
                // At least half of every batch is fresh.
                if groups.len() < wanted {
                    groups.push(group.clone());
                } else if state.carried.len() < wanted / 2 {
                    state.carried.push(group.clone());
                } else {
                    tally.surplus += 1;
                }
            }
            tally.fresh.push(group);
        }
    }
    state.num_sampled_tokens += trajectories(&tally.fresh).map(|trajectory| trajectory.len() as u64).sum::<u64>();
    let mut metrics = sampling_metrics(config, &tally);
    metrics.set("groups/trained", groups.len() as f64);
    metrics.set("groups/carried_in", num_carried as f64);
    metrics.set("groups/carried_out", state.carried.len() as f64);
    metrics.set("train/generation_cap_hit", f64::from(u8::from(groups.len() < wanted)));
    metrics.set("train/num_sampled_tokens", state.num_sampled_tokens as f64);
    Ok(Collected { groups, num_carried, metrics })
}

fn trajectories(groups: &[Group]) -> impl Iterator<Item = &Trajectory> {
    groups.iter().flat_map(|group| &group.trajectories)
}

fn sampling_metrics(config: &DapoConfig, tally: &Tally) -> Metrics {
    let mut metrics = Metrics::default();
    let fresh = &tally.fresh;
    let values = |value: fn(&Trajectory) -> f64| trajectories(fresh).map(value).collect::<Vec<f64>>();
    metrics.summarise("critic/rewards", &values(|trajectory| trajectory.ending.reward));
    metrics.summarise("critic/score", &values(|trajectory| trajectory.ending.score));
    metrics.summarise("response_length", &values(|trajectory| trajectory.num_chosen() as f64));
    metrics.summarise("total_length", &values(|trajectory| trajectory.len() as f64));
    metrics.summarise("num_turns", &values(|trajectory| f64::from(trajectory.num_turns)));
    metrics.set("train/num_gen_batches", f64::from(tally.passes));
    if fresh.is_empty() {
        return metrics;
    }
    let count = trajectories(fresh).count().max(1) as f64;
    let chosen: usize = trajectories(fresh).map(Trajectory::num_chosen).sum();
    let entropy: f64 = trajectories(fresh).map(|trajectory| trajectory.entropy_sum).sum();
    metrics.set("actor/entropy", entropy / chosen.max(1) as f64);
    let penalties: f64 = trajectories(fresh).map(|trajectory| config.penalty(trajectory)).sum();
    metrics.set("critic/overlong_penalty/mean", penalties / count);
    let truncated = trajectories(fresh).filter(|trajectory| trajectory.ending.truncated).count();
    metrics.set("response_length/clip_ratio", truncated as f64 / count);
    let mut sums = Metrics::default();
    for (name, value) in trajectories(fresh).flat_map(|trajectory| &trajectory.ending.metrics) {
        *sums.0.entry(name.clone()).or_default() += value / count;
    }
    metrics.extend(sums);
    group_metrics(&mut metrics, tally);
    metrics
}

/// Shares of the sampled groups.
fn group_metrics(metrics: &mut Metrics, tally: &Tally) {
    let total = tally.fresh.len() as f64;
    let mut share = |name: &str, count: usize| metrics.set(name, count as f64 / total);
    let verdicts = |wanted: GroupVerdict| tally.verdicts.iter().filter(|&&verdict| verdict == wanted).count();
    share("groups/dropped", tally.verdicts.len() - verdicts(GroupVerdict::Keep));
    share("groups/flat", verdicts(GroupVerdict::Flat));
    share("groups/outside_band", verdicts(GroupVerdict::OutsideBand));
    share("groups/surplus", tally.surplus);
    let all = |test: fn(f64) -> bool| tally.fresh.iter().filter(|group| group.scores().into_iter().all(test)).count();
    share("groups/all_correct", all(|score| score >= 1.0 - 1e-9));
    share("groups/all_wrong", all(|score| score <= 1e-9));
    let zero_std = |group: &&Group| {
        let rewards: Vec<f64> = group.trajectories.iter().map(|trajectory| trajectory.ending.reward).collect();
        population_std(&rewards) < 1e-8
    };
    share("frac_reward_zero_std", tally.fresh.iter().filter(zero_std).count());
}

/// One trajectory with what its group says about it.
struct Member<'a> {
    trajectory: &'a Trajectory,
    advantage: f64,
    /// Sampled with the weights this step starts from.
    fresh: bool,
}

/// Sums over chosen tokens of one or more mini-batches.
#[derive(Default)]
struct UpdateSums {
    loss: f64,
    grad_norm: f64,
    clipped_high: f64,
    clipped_low: f64,
    clipped_dual: f64,
    divergence: f64,
    num_chosen: u64,
    updates: u32,
    gap: LogProbGap,
}

/// How far sampler and trainer are apart.
#[derive(Clone, Copy, Default)]
struct LogProbGap {
    max: f32,
    sum: f64,
    count: u64,
}

/// Trains on the groups of one step, in `mini_batches` optimiser updates, and counts the step. Without groups only the step counts.
///
/// Metrics: `actor/pg_loss`, `actor/pg_clipfrac` (share of chosen tokens on which the clip binds), `clip_ratio/high_mean` and `clip_ratio/low_mean` (its two sides), `actor/pg_clipfrac_lower` (the
/// dual clip), `actor/ppo_kl` (mean of r - 1 - ln r), `actor/grad_norm` (mean over updates, before clipping), `actor/lr`, `sampling/sampling_logp_difference/{max,mean}` (before the first update, fresh
/// trajectories), `train/num_updates`, `num_tokens`.
///
/// # Errors
/// [`LearnError::Disagreement`] before anything is updated, [`LearnError::NotFinite`] before the update concerned.
pub fn update(
    config: &DapoConfig,
    state: &mut DapoState,
    learner: &mut Learner,
    collected: &Collected,
) -> Result<Metrics, LearnError> {
    let learning_rate = config.learning_rate.at(state.step);
    let mut sums = UpdateSums::default();
    for members in mini_batches(config, collected) {
        let batches = member_batches(config, &members);
        if batches.is_empty() {
            continue;
        }
        mini_batch_update(config, state.step, learner, learning_rate, &members, &batches, &mut sums)?;
        state.num_tokens += batches.iter().map(|batch| batch.rows.num_tokens() as u64).sum::<u64>();
        state.num_updates += 1;
    }
    state.step += 1;
    let mut metrics = Metrics::default();
    metrics.set("actor/lr", learning_rate);
    metrics.set("train/num_updates", state.num_updates as f64);
    metrics.set("num_tokens", state.num_tokens as f64);
    if sums.updates > 0 {
        update_metrics(&mut metrics, &sums);
    }
    Ok(metrics)
}

fn update_metrics(metrics: &mut Metrics, sums: &UpdateSums) {
    let (chosen, updates) = (sums.num_chosen.max(1) as f64, f64::from(sums.updates));
    metrics.set("actor/pg_loss", sums.loss / updates);
    metrics.set("actor/grad_norm", sums.grad_norm / updates);
    metrics.set("actor/pg_clipfrac", (sums.clipped_high + sums.clipped_low) / chosen);
    metrics.set("actor/pg_clipfrac_lower", sums.clipped_dual / chosen);
    metrics.set("clip_ratio/high_mean", sums.clipped_high / chosen);
    metrics.set("clip_ratio/low_mean", sums.clipped_low / chosen);
    metrics.set("actor/ppo_kl", sums.divergence / chosen);
    metrics.set("sampling/sampling_logp_difference/max", f64::from(sums.gap.max));
    metrics.set("sampling/sampling_logp_difference/mean", sums.gap.sum / sums.gap.count.max(1) as f64);
}

/// Deals whole groups in turn to the mini-batches.
fn mini_batches<'a>(config: &DapoConfig, collected: &'a Collected) -> Vec<Vec<Member<'a>>> {
    let count = (config.mini_batches.max(1) as usize).min(collected.groups.len());
    let mut dealt: Vec<Vec<Member<'a>>> = (0..count).map(|_| Vec::new()).collect();
    for (index, group) in collected.groups.iter().enumerate() {
        let advantages = group_advantages(config.advantage, &config.shaped_rewards(group));
        let members = group.trajectories.iter().zip(advantages).map(|(trajectory, advantage)| Member {
            trajectory,
            advantage,
            fresh: index >= collected.num_carried,
        });
        dealt[index % count]
            .extend(members.filter(|member| !(config.drop_truncated && member.trajectory.ending.truncated)));
    }
    dealt
}

fn member_batches(config: &DapoConfig, members: &[Member<'_>]) -> Vec<MicroBatch> {
    let lens: Vec<usize> = members.iter().map(|member| member.trajectory.num_chosen()).collect();
    let weights = config.reduction.token_weights(&lens);
    let sequences: Vec<Sequence<'_>> = members
        .iter()
        .zip(weights)
        .map(|(member, weight)| Sequence::from_trajectory(member.trajectory, member.advantage as f32, weight))
        .collect();
    micro_batches(&sequences, config.micro_batch_tokens as usize)
}

fn mini_batch_update(
    config: &DapoConfig,
    step: u64,
    learner: &mut Learner,
    learning_rate: f64,
    members: &[Member<'_>],
    batches: &[MicroBatch],
    sums: &mut UpdateSums,
) -> Result<(), LearnError> {
    let device = learner.device.clone();
    let first = sums.updates == 0;
    let mut reports: Vec<Tensor<1>> = Vec::with_capacity(batches.len());
    let mut gap = LogProbGap::default();
    let grads = learner.gradients(batches, |decoder, batch| {
        let (loss, report, log_probs) = policy_loss(config, decoder, batch, &device);
        if first {
            gap.compare(&log_probs, batch, members);
        }
        reports.push(report);
        loss
    });
    if first {
        sums.gap = gap;
        if gap.max > config.max_log_prob_gap {
            return Err(LearnError::Disagreement { gap: gap.max, limit: config.max_log_prob_gap });
        }
    }
    let grad_norm = learner.apply(grads, learning_rate, config.optimizer.max_grad_norm);
    let mut totals = [0.0; 5];
    for report in reports {
        for (total, value) in totals.iter_mut().zip(report.into_data().iter::<f32>()) {
            *total += f64::from(value);
        }
    }
    let [loss, high, low, dual, divergence] = totals;
    if !grad_norm.is_finite() || !loss.is_finite() {
        return Err(LearnError::NotFinite { step });
    }
    sums.loss += loss;
    sums.grad_norm += f64::from(grad_norm);
    sums.clipped_high += high;
    sums.clipped_low += low;
    sums.clipped_dual += dual;
    sums.divergence += divergence;
    sums.num_chosen += batches.iter().map(|batch| batch.num_chosen() as u64).sum::<u64>();
    sums.updates += 1;
    Ok(())
}

/// The loss of one micro-batch `[1]`, its five reported numbers `[5]` and the new log-probabilities `[m]`, the latter two without gradients.
fn policy_loss(
    config: &DapoConfig,
    decoder: &Decoder,
    batch: &MicroBatch,
    device: &Device,
) -> (Tensor<1>, Tensor<1>, Tensor<1>) {
    let hidden = batch.chosen_hidden(decoder, device);
    let targets = batch.targets_tensor(device);
    let weights = floats(&batch.weights, device);
    let (log_probs, bonus) = if config.entropy_coefficient == 0.0 {
        (decoder.score(hidden, targets).log_probs, None)
    } else {
        let logits = decoder.logits(hidden);
        let entropy = (token_entropy(logits.clone()) * weights.clone()).sum();
        (token_log_probs(logits, targets), Some(entropy * config.entropy_coefficient))
    };
    let plain = log_probs.clone().detach();
    let old = floats(&batch.old_log_probs, device);
    let result = dapo_loss(log_probs, old, floats(&batch.advantages, device), weights, &config.clip);
    let counts = [result.clipped_high, result.clipped_low, result.clipped_dual, result.divergence];
    let mut parts = vec![result.loss.clone().detach()];
    parts.extend(counts);
    let report = Tensor::cat(parts, 0);
    let loss = match bonus {
        Some(bonus) => result.loss - bonus,
        None => result.loss,
    };
    (loss, report, plain)
}

impl LogProbGap {
    /// Compares new and stored log-probabilities of fresh trajectories.
    fn compare(&mut self, log_probs: &Tensor<1>, batch: &MicroBatch, members: &[Member<'_>]) {
        let new = log_probs.to_data();
        for ((new, old), &owner) in new.iter::<f32>().zip(&batch.old_log_probs).zip(&batch.owners) {
            if members[owner as usize].fresh {
                let gap = (new - old).abs();
                self.max = self.max.max(gap);
                self.sum += f64::from(gap);
                self.count += 1;
            }
        }
    }
}
