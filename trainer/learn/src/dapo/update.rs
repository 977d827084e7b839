//! Clipped updates on collected groups.

use burn::prelude::*;
use workup_model::Decoder;

use super::{Collected, DapoConfig, DapoState};
use crate::advantage::group_advantages;
use crate::batch::{MicroBatch, Sequence, floats, micro_batches};
use crate::error::LearnError;
use crate::loss::{dapo_loss, token_entropy, token_log_probs};
use crate::metrics::Metrics;
use crate::optimizer::Learner;
use crate::trajectory::Trajectory;

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

/// Trains on the groups of one step, in `mini_batches` optimiser updates, and counts the step. Without groups only
/// the step counts.
///
/// Metrics: `actor/pg_loss`, `actor/pg_clipfrac` (share of chosen tokens on which the clip binds),
/// `clip_ratio/high_mean` and `clip_ratio/low_mean` (its two sides), `actor/pg_clipfrac_lower` (the dual clip),
/// `actor/ppo_kl` (mean of r - 1 - ln r), `actor/grad_norm` (mean over updates, before clipping), `actor/lr`,
/// `sampling/sampling_logp_difference/{max,mean}` (before the first update, fresh trajectories), `train/num_updates`,
/// `num_tokens`.
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
    let (grads, reports) = learner.gradients(batches, |decoder, batch| {
        let (loss, report, log_probs) = policy_loss(config, decoder, batch, &device);
        (loss, (report, log_probs))
    });
    if first {
        for ((_, log_probs), batch) in reports.iter().zip(batches) {
            sums.gap.compare(log_probs, batch, members);
        }
        if sums.gap.max > config.max_log_prob_gap {
            return Err(LearnError::Disagreement { gap: sums.gap.max, limit: config.max_log_prob_gap });
        }
    }
    let grad_norm = learner.apply(grads, learning_rate, config.optimizer.max_grad_norm);
    let mut totals = [0.0; 5];
    for (report, _) in reports {
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

/// The loss of one micro-batch `[1]`, its five reported numbers `[5]` and the new log-probabilities `[m]`, the latter
/// two without gradients.
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
