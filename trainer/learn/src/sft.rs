//! Supervised fine-tuning on conversations: loss on doctor tokens only, one token mean per optimiser batch.

use burn::module::Module;
use burn::prelude::*;
use rand_core::Rng;
use serde::{Deserialize, Serialize};
use workup_model::Decoder;

use crate::batch::{MicroBatch, Sequence, floats, micro_batches};
use crate::error::LearnError;
use crate::loss::{Reduction, sft_loss};
use crate::metrics::Metrics;
use crate::optimizer::{Learner, LearningRate, OptimizerConfig};

/// One encoded conversation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Example {
    /// Token ids of the whole conversation.
    pub tokens: Vec<u32>,
    /// True on doctor tokens, end tokens included; as long as `tokens`.
    pub action_mask: Vec<bool>,
    /// Relative weight of each token in the loss, as long as `tokens`; empty: all 1.
    #[serde(default)]
    pub weights: Vec<f32>,
}

impl Example {
    fn sequence(&self, weight: f32) -> Sequence<'_> {
        let Self { tokens, action_mask, weights } = self;
        Sequence { tokens, action_mask, old_log_probs: &[], advantage: 1.0, weight, token_weights: weights }
    }

    /// Chosen tokens that have something before them to be predicted from.
    fn num_chosen(&self) -> usize {
        self.action_mask.iter().skip(1).filter(|&&chosen| chosen).count()
    }

    /// Sum of the weights of those tokens.
    fn total_weight(&self) -> f32 {
        let weight = |index: usize| self.weights.get(index).copied().unwrap_or(1.0);
        (1..self.tokens.len()).filter(|&index| self.action_mask[index]).map(weight).sum()
    }
}

/// Settings of supervised fine-tuning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SftConfig {
    /// Conversations per optimiser update.
    pub batch_size: u32,
    /// Most tokens that go through the decoder at once.
    pub micro_batch_tokens: u32,
    /// Learning rate by step.
    pub learning_rate: LearningRate,
    /// Optimiser and clipping.
    pub optimizer: OptimizerConfig,
}

/// Where supervised fine-tuning stands; with decoder and optimiser all that a resumed run needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SftState {
    /// Updates done.
    pub step: u64,
    /// Tokens fed to the decoder so far.
    pub num_tokens: u64,
}

impl SftState {
    /// Passes over `num_examples` examples done so far.
    pub fn epochs(&self, config: &SftConfig, num_examples: usize) -> f64 {
        self.step as f64 * f64::from(config.batch_size) / num_examples.max(1) as f64
    }

    /// The examples of the next step: epochs follow each other, each in an order drawn from the generator of its
    /// number.
    fn next_indices<R: Rng>(
        self,
        batch_size: u32,
        num_examples: usize,
        generator: &mut dyn FnMut(u64) -> R,
    ) -> Vec<usize> {
        let first = self.step * u64::from(batch_size);
        let count = num_examples as u64;
        let mut order: Option<(u64, Vec<u32>)> = None;
        (first..first + u64::from(batch_size))
            .map(|index| {
                let epoch = index / count;
                if order.as_ref().is_none_or(|(current, _)| *current != epoch) {
                    order = Some((epoch, shuffled(num_examples, &mut generator(epoch))));
                }
                order.as_ref().map_or(0, |(_, order)| order[(index % count) as usize] as usize)
            })
            .collect()
    }
}

/// 0..count in an order drawn from `rng` (Fisher and Yates).
fn shuffled<R: Rng>(count: usize, rng: &mut R) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    for last in (1..count).rev() {
        let other = (u128::from(rng.next_u64()) * (last as u128 + 1)) >> 64;
        order.swap(last, other as usize);
    }
    order
}

/// One optimiser update on the next batch of `examples`. `generator` makes the generator that shuffles an epoch.
///
/// Metrics: `train/loss` (mean over doctor tokens, weighted where the examples say so), `train/grad_norm`, `train/lr`, `train/epoch`, `num_tokens` (fed
/// so far).
///
/// # Errors
/// [`LearnError::NoExamples`] without examples; [`LearnError::NotFinite`] when loss or gradient is not finite
/// (nothing is updated then).
pub fn sft_step<R: Rng>(
    config: &SftConfig,
    state: &mut SftState,
    learner: &mut Learner,
    examples: &[Example],
    generator: &mut dyn FnMut(u64) -> R,
) -> Result<Metrics, LearnError> {
    if examples.is_empty() {
        return Err(LearnError::NoExamples);
    }
    let chosen: Vec<&Example> = state
        .next_indices(config.batch_size, examples.len(), generator)
        .into_iter()
        .map(|index| &examples[index])
        .collect();
    let batches = example_batches(&chosen, config.micro_batch_tokens);
    let learning_rate = config.learning_rate.at(state.step);
    let device = learner.device.clone();
    let (grads, losses) = learner.gradients(&batches, |decoder, batch| {
        let loss = batch_loss(decoder, batch, &device);
        let number = f64::from(loss.clone().into_scalar::<f32>());
        (loss, number)
    });
    let total: f64 = losses.into_iter().sum();
    let grad_norm = learner.apply(grads, learning_rate, config.optimizer.max_grad_norm);
    if !grad_norm.is_finite() || !total.is_finite() {
        return Err(LearnError::NotFinite { step: state.step });
    }
    state.step += 1;
    state.num_tokens += batches.iter().map(|batch| batch.rows.num_tokens() as u64).sum::<u64>();
    let mut metrics = Metrics::default();
    metrics.set("train/loss", total);
    metrics.set("train/grad_norm", f64::from(grad_norm));
    metrics.set("train/lr", learning_rate);
    metrics.set("train/epoch", state.epochs(config, examples.len()));
    metrics.set("num_tokens", state.num_tokens as f64);
    Ok(metrics)
}

/// Mean loss over the doctor tokens of `examples`, without gradients; 0 without examples.
pub fn sft_loss_of(decoder: &Decoder, examples: &[Example], micro_batch_tokens: u32) -> f64 {
    let plain = decoder.clone().valid();
    let device = plain.devices().into_iter().next().unwrap_or_default();
    let examples: Vec<&Example> = examples.iter().collect();
    let batches = example_batches(&examples, micro_batch_tokens);
    batches.iter().map(|batch| f64::from(batch_loss(&plain, batch, &device).into_scalar::<f32>())).sum()
}

fn batch_loss(decoder: &Decoder, batch: &MicroBatch, device: &Device) -> Tensor<1> {
    let hidden = batch.chosen_hidden(decoder, device);
    let log_probs = decoder.score(hidden, batch.targets_tensor(device)).log_probs;
    sft_loss(log_probs, floats(&batch.weights, device))
}

fn example_batches(examples: &[&Example], micro_batch_tokens: u32) -> Vec<MicroBatch> {
    let lens: Vec<usize> = examples.iter().map(|example| example.num_chosen()).collect();
    let weights = Reduction::TokenMean.token_weights(&lens);
    // A mean over tokens becomes a mean over their weights.
    let (count, total) =
        (lens.iter().sum::<usize>() as f32, examples.iter().map(|example| example.total_weight()).sum::<f32>());
    let scale = if total > 0.0 { count / total } else { 1.0 };
    let sequences: Vec<Sequence<'_>> =
        examples.iter().zip(weights).map(|(example, weight)| example.sequence(weight * scale)).collect();
    micro_batches(&sequences, micro_batch_tokens as usize)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    #[test]
    fn every_epoch_visits_every_example_once_in_another_order() {
        let mut generator = ChaCha8Rng::seed_from_u64;
        let mut visits = Vec::new();
        for step in 0..6 {
            let state = SftState { step, num_tokens: 0 };
            visits.extend(state.next_indices(4, 12, &mut generator));
        }
        let (first, second) = visits.split_at(12);
        assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), 12);
        assert_eq!(second.iter().collect::<BTreeSet<_>>().len(), 12);
        assert_ne!(first, second);
    }

    #[test]
    fn a_batch_may_span_epochs_and_exceed_the_data() {
        let state = SftState { step: 1, num_tokens: 0 };
        let indices = state.next_indices(7, 3, &mut ChaCha8Rng::seed_from_u64);
        assert_eq!(indices.len(), 7);
        assert!(indices.iter().all(|&index| index < 3));
    }
}
