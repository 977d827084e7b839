//! Sequences to micro-batches: which hidden states are needed, which tokens they must predict, what each one weighs.
//!
//! Rows are laid end to end, so nothing is padded; tokens behind the last chosen one are not fed at all, and the
//! vocabulary projection only sees the positions that predict a chosen token.
#![allow(clippy::cast_possible_wrap, reason = "token ids and positions are far below 2^31")]

use burn::prelude::*;
use workup_model::{Decoder, RaggedBatch};

use crate::trajectory::Trajectory;

/// One sequence to train on.
#[derive(Clone, Copy, Debug)]
pub struct Sequence<'a> {
    /// Token ids in reading order.
    pub tokens: &'a [u32],
    /// True on the tokens whose probability the loss is about; as long as `tokens`. The first token has no prediction
    /// and never counts.
    pub action_mask: &'a [bool],
    /// Log-probabilities at sampling time, as long as `tokens`; empty outside policy optimisation.
    pub old_log_probs: &'a [f32],
    /// Advantage of every chosen token.
    pub advantage: f32,
    /// Weight of every chosen token, mask and denominator of the whole optimiser batch included.
    pub weight: f32,
    /// Further weight of each token, as long as `tokens`; empty: all 1.
    pub token_weights: &'a [f32],
}

impl<'a> Sequence<'a> {
    /// A sampled trajectory.
    pub fn from_trajectory(trajectory: &'a Trajectory, advantage: f32, weight: f32) -> Self {
        let Trajectory { tokens, action_mask, old_log_probs, .. } = trajectory;
        Self { tokens, action_mask, old_log_probs, advantage, weight, token_weights: &[] }
    }

    /// How many tokens have to be fed: all before the last chosen one.
    fn fed_len(&self) -> usize {
        self.action_mask.iter().rposition(|&chosen| chosen).unwrap_or(0).min(self.tokens.len())
    }
}

/// Rows that go through the decoder together. The lists from `positions` on have one entry per chosen token, `m` in
/// shapes.
#[derive(Clone, Debug, Default)]
pub struct MicroBatch {
    /// The tokens to feed.
    pub rows: RaggedBatch,
    /// Which of the `n` fed tokens predicts the chosen token.
    pub positions: Vec<i32>,
    /// The chosen tokens.
    pub targets: Vec<i32>,
    /// Their log-probabilities at sampling time (0 without).
    pub old_log_probs: Vec<f32>,
    /// Their advantages.
    pub advantages: Vec<f32>,
    /// Their weights.
    pub weights: Vec<f32>,
    /// Index of the sequence each belongs to, as given to [`micro_batches`].
    pub owners: Vec<u32>,
}

impl MicroBatch {
    fn push(&mut self, sequence: &Sequence<'_>, owner: usize) {
        let (start, fed) = (self.rows.num_tokens(), sequence.fed_len());
        self.rows.push(&sequence.tokens[..fed]);
        for index in (1..=fed).filter(|&index| sequence.action_mask[index]) {
            self.positions.push((start + index - 1) as i32);
            self.targets.push(sequence.tokens[index] as i32);
            self.old_log_probs.push(sequence.old_log_probs.get(index).copied().unwrap_or(0.0));
            self.advantages.push(sequence.advantage);
            self.weights.push(sequence.weight * sequence.token_weights.get(index).copied().unwrap_or(1.0));
            self.owners.push(owner as u32);
        }
    }

    /// Number of chosen tokens, `m`.
    pub fn num_chosen(&self) -> usize {
        self.positions.len()
    }

    /// Final hidden states `[m, hidden_size]` at the positions that predict a chosen token, with gradients when the
    /// decoder has them.
    pub fn chosen_hidden(&self, decoder: &Decoder, device: &Device) -> Tensor<2> {
        decoder.hidden(&self.rows).select(0, ints(&self.positions, device))
    }

    /// The chosen tokens `[m]`.
    pub fn targets_tensor(&self, device: &Device) -> Tensor<1, Int> {
        ints(&self.targets, device)
    }
}

/// One value per entry, `[m]`.
pub(crate) fn floats(values: &[f32], device: &Device) -> Tensor<1> {
    Tensor::from_data(TensorData::new(values.to_vec(), [values.len()]), device)
}

fn ints(values: &[i32], device: &Device) -> Tensor<1, Int> {
    Tensor::from_data(TensorData::new(values.to_vec(), [values.len()]), device)
}

/// Cuts sequences into micro-batches of at most `max_tokens` fed tokens (a longer sequence stands alone), as few as that takes or
/// nearly so, and about equally long, so that they can be worked on at the same time. Sequences without a chosen token are left
/// out.
pub fn micro_batches(sequences: &[Sequence<'_>], max_tokens: usize) -> Vec<MicroBatch> {
    let len = |&index: &usize| sequences[index].fed_len();
    let mut order: Vec<usize> = (0..sequences.len()).filter(|index| len(index) > 0).collect();
    order.sort_by_key(|index| core::cmp::Reverse(len(index)));
    let total = order.iter().fold(0, |total: usize, index| total.saturating_add(len(index)));
    let mut batches = vec![MicroBatch::default(); total.div_ceil(max_tokens.max(1)).min(order.len())];
    // Longest first, always to the shortest micro-batch (the first of equals).
    for index in order {
        let shortest = (0..batches.len()).min_by_key(|&batch| batches[batch].rows.num_tokens());
        let fits = |batch: &MicroBatch| {
            let taken = batch.rows.num_tokens();
            taken == 0 || taken.saturating_add(len(&index)) <= max_tokens
        };
        let target = match shortest {
            Some(shortest) if fits(&batches[shortest]) => shortest,
            _ => {
                batches.push(MicroBatch::default());
                batches.len() - 1
            }
        };
        batches[target].push(&sequences[index], index);
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence<'a>(tokens: &'a [u32], action_mask: &'a [bool]) -> Sequence<'a> {
        Sequence { tokens, action_mask, old_log_probs: &[], advantage: 1.0, weight: 0.5, token_weights: &[] }
    }

    #[test]
    fn positions_stand_one_before_the_tokens_they_predict() {
        let long = sequence(&[1, 2, 3, 4, 5], &[false, true, false, true, false]);
        let short = sequence(&[6, 7], &[true, true]);
        let batches = micro_batches(&[short, long], 100);
        assert_eq!(batches.len(), 1);
        let batch = &batches[0];
        assert_eq!(batch.rows.tokens(), [1, 2, 3, 6], "nothing behind the token before the last chosen one is fed");
        assert_eq!(batch.positions, [0, 2, 3]);
        assert_eq!(batch.targets, [2, 4, 7]);
        assert_eq!(batch.weights, [0.5; 3]);
    }

    #[test]
    fn budget_is_kept_and_no_token_is_lost() {
        let tokens: Vec<u32> = (0..40).collect();
        let mask = [true; 40];
        let sequences: Vec<Sequence<'_>> =
            [7, 3, 40, 12, 2, 1].iter().map(|&len| sequence(&tokens[..len], &mask[..len])).collect();
        let batches = micro_batches(&sequences, 16);
        let sizes: Vec<usize> = batches.iter().map(|batch| batch.rows.num_tokens()).collect();
        assert_eq!(sizes, [39, 11, 6, 3]);
        assert_eq!(batches.iter().map(MicroBatch::num_chosen).sum::<usize>(), 39 + 11 + 6 + 2 + 1);
    }

    #[test]
    fn a_sequence_without_chosen_tokens_is_left_out() {
        assert!(micro_batches(&[sequence(&[1, 2], &[false, false])], 8).is_empty());
    }
}
