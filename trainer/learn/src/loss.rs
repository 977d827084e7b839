//! Losses over chosen tokens, laid end to end as `[m]`.
//!
//! Every term is multiplied by a weight that already holds mask and denominator (see [`Reduction`]), so the sum of the
//! losses of all micro-batches is the loss of the whole optimiser batch, however it is cut.

use burn::prelude::*;
use burn::tensor::activation::log_softmax;
use serde::{Deserialize, Serialize};

/// Log-ratios are clamped to this before `exp`, so that no ratio overflows.
const MAX_LOG_RATIO: f32 = 20.0;

/// Where the probability ratio stops counting.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clip {
    /// The ratio counts down to `1 - low`.
    pub low: f32,
    /// The ratio counts up to `1 + high`; larger than `low` in DAPO (clip-higher).
    pub high: f32,
    /// Bound on ratio times a negative advantage (dual clip); none switches it off.
    pub dual: Option<f32>,
}

impl Default for Clip {
    fn default() -> Self {
        Self { low: 0.2, high: 0.28, dual: Some(3.0) }
    }
}

/// What the sum over chosen tokens is divided by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reduction {
    /// One mean over all chosen tokens of the optimiser batch (DAPO).
    #[default]
    TokenMean,
    /// Mean over trajectories of each trajectory's token mean (GRPO).
    SequenceMean,
    /// Sum divided by trajectories times this many tokens (Dr. GRPO).
    Constant(u32),
}

impl Reduction {
    /// The weight of one chosen token of each trajectory, given the chosen tokens of every trajectory of the whole
    /// optimiser batch.
    pub fn token_weights(self, num_chosen: &[usize]) -> Vec<f32> {
        let total = num_chosen.iter().sum::<usize>().max(1) as f64;
        let sequences = num_chosen.iter().filter(|&&len| len > 0).count().max(1) as f64;
        num_chosen
            .iter()
            .map(|&len| match self {
                Self::TokenMean => (1.0 / total) as f32,
                Self::SequenceMean => (1.0 / (sequences * len.max(1) as f64)) as f32,
                Self::Constant(max_tokens) => (1.0 / (sequences * f64::from(max_tokens.max(1)))) as f32,
            })
            .collect()
    }
}

/// Log-probability `[m]` of each target `[m]` under logits `[m, vocab_size]`.
pub fn token_log_probs(logits: Tensor<2>, targets: Tensor<1, Int>) -> Tensor<1> {
    log_softmax(logits, 1).gather(1, targets.unsqueeze_dim(1)).squeeze_dim(1)
}

/// Entropy in nats `[m]` of each distribution given by logits `[m, vocab_size]`.
pub fn token_entropy(logits: Tensor<2>) -> Tensor<1> {
    let log_probs = log_softmax(logits, 1);
    (log_probs.clone().exp() * log_probs).sum_dim(1).neg().squeeze_dim(1)
}

/// Weighted negative log-likelihood `[1]` of chosen tokens: `log_probs` and `weights` are `[m]`.
pub fn sft_loss(log_probs: Tensor<1>, weights: Tensor<1>) -> Tensor<1> {
    (log_probs * weights).sum().neg()
}

/// What [`dapo_loss`] returns; the counts are sums, to be added over micro-batches.
#[derive(Clone, Debug)]
pub struct DapoLoss {
    /// The loss `[1]`.
    pub loss: Tensor<1>,
    /// Tokens with a positive advantage whose ratio exceeds `1 + high` `[1]`.
    pub clipped_high: Tensor<1>,
    /// Tokens with a negative advantage whose ratio is below `1 - low` `[1]`.
    pub clipped_low: Tensor<1>,
    /// Tokens on which the dual clip binds `[1]`.
    pub clipped_dual: Tensor<1>,
    /// Sum of `ratio - 1 - ln ratio`, an estimate of the divergence from the sampling policy that is never negative
    /// `[1]`.
    pub divergence: Tensor<1>,
}

/// The clipped surrogate with asymmetric clipping: -Σ w · min(r A, clip(r) A), bounded below by `dual` · A where A < 0.
///
/// All tensors are `[m]`. `old_log_probs`, `advantages` and `weights` are constants; a weight of 0 is a masked token.
/// There is no divergence term and no reference model.
pub fn dapo_loss(
    log_probs: Tensor<1>,
    old_log_probs: Tensor<1>,
    advantages: Tensor<1>,
    weights: Tensor<1>,
    clip: &Clip,
) -> DapoLoss {
    let log_ratio = (log_probs - old_log_probs).clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO);
    let ratio = log_ratio.clone().exp();
    let clipped = ratio.clone().clamp(1.0 - clip.low, 1.0 + clip.high);
    let mut surrogate = (ratio.clone() * advantages.clone()).min_pair(clipped * advantages.clone());

    // Counts carry no gradient.
    let chosen = weights.clone().not_equal_elem(0.0);
    let (plain_ratio, plain_log_ratio) = (ratio.detach(), log_ratio.detach());
    let gain = advantages.clone().greater_elem(0.0).bool_and(chosen.clone());
    let loss_side = advantages.clone().lower_elem(0.0).bool_and(chosen.clone());
    let count = |mask: Tensor<1, Bool>| mask.float().sum();
    let clipped_high = count(plain_ratio.clone().greater_elem(1.0 + clip.high).bool_and(gain));
    let clipped_low = count(plain_ratio.clone().lower_elem(1.0 - clip.low).bool_and(loss_side.clone()));
    let divergence = ((plain_ratio.clone() - 1.0 - plain_log_ratio) * chosen.float()).sum();
    let mut clipped_dual = clipped_low.zeros_like();
    if let Some(dual) = clip.dual {
        clipped_dual = count(plain_ratio.greater_elem(dual).bool_and(loss_side));
        // Where A >= 0 the surrogate is at least 0, so a bound of 0 changes nothing.
        surrogate = surrogate.max_pair(advantages.clamp_max(0.0) * dual);
    }
    let loss = (surrogate * weights).sum().neg();
    DapoLoss { loss, clipped_high, clipped_low, clipped_dual, divergence }
}

#[cfg(all(test, feature = "flex"))]
#[allow(clippy::float_cmp, reason = "values that must be exact")]
mod tests {
    use super::*;

    fn tensor(values: &[f32], device: &Device) -> Tensor<1> {
        Tensor::from_floats(values, device)
    }

    fn scalar(tensor: Tensor<1>) -> f32 {
        tensor.into_scalar::<f32>()
    }

    const NEW: [f32; 4] = [-0.9, -1.1, -0.2, -2.0];
    const OLD: [f32; 4] = [-1.2, -1.0, -0.6, -1.5];
    const ADVANTAGES: [f32; 4] = [0.8, 0.8, 0.8, -0.5];

    fn worked_loss(reduction: Reduction) -> DapoLoss {
        let device = Device::flex();
        let lens = [3, 1];
        let weights = reduction.token_weights(&lens);
        let weights: Vec<f32> = weights.iter().zip(lens).flat_map(|(&w, len)| vec![w; len]).collect();
        let [new, old, advantages] = [NEW, OLD, ADVANTAGES].map(|values| tensor(&values, &device));
        dapo_loss(new, old, advantages, tensor(&weights, &device), &Clip::default())
    }

    #[test]
    fn dapo_worked_numbers_are_reproduced() {
        let result = worked_loss(Reduction::TokenMean);
        assert!((scalar(result.loss) + 0.592_967_5).abs() < 1e-5);
        assert_eq!(scalar(result.clipped_high), 2.0);
        assert_eq!(scalar(result.clipped_low), 1.0);
        assert_eq!(scalar(result.clipped_dual), 0.0);
        assert!(scalar(result.divergence) > 0.0);
    }

    #[test]
    fn grpo_sequence_mean_is_reproduced() {
        assert!((scalar(worked_loss(Reduction::SequenceMean).loss) + 0.261_978_3).abs() < 1e-5);
    }

    #[test]
    fn constant_reduction_divides_by_sequences_times_tokens() {
        let sum = 4.0 * 0.592_967_5;
        assert!((scalar(worked_loss(Reduction::Constant(5)).loss) + sum / 10.0).abs() < 1e-5);
    }

    #[test]
    fn dual_clip_bounds_what_a_bad_token_can_cost() {
        let device = Device::flex();
        let loss = |clip: &Clip, advantage: f32| {
            let [new, old] = [1.9, 0.0].map(|value| tensor(&[value], &device));
            let result = dapo_loss(new, old, tensor(&[advantage], &device), tensor(&[1.0], &device), clip);
            (scalar(result.loss), scalar(result.clipped_dual))
        };
        let (plain, none) = loss(&Clip { dual: None, ..Clip::default() }, -0.5);
        assert!((plain - 3.342_947).abs() < 1e-5, "{plain}");
        assert_eq!(none, 0.0);
        assert_eq!(loss(&Clip::default(), -0.5), (1.5, 1.0));
        let (gain, none) = loss(&Clip::default(), 0.5);
        assert!((gain + 0.64).abs() < 1e-6, "a positive advantage is untouched by the dual clip: {gain}");
        assert_eq!(none, 0.0);
    }

    #[test]
    fn gradient_is_the_advantage_inside_the_clip_and_zero_outside_and_on_masked_tokens() {
        let device = Device::flex().autodiff();
        let new = tensor(&[-1.0, -1.0, -1.0, -3.0, -1.0], &device).require_grad();
        let old = tensor(&[-1.0, -2.0, -1.0, -1.0, -4.0], &device);
        let advantages = tensor(&[0.8, 0.8, 0.8, -0.5, 0.8], &device);
        let weights = tensor(&[0.25, 0.25, 0.0, 0.25, 0.0], &device);
        let grads = dapo_loss(new.clone(), old, advantages, weights, &Clip::default()).loss.backward();
        let grad = new.grad(&grads).unwrap().into_data().try_to_vec::<f32>().unwrap();
        assert_eq!(grad.map_abs(), [0.2, 0.0, 0.0, 0.0, 0.0]);
        assert!(grad[0] < 0.0);
    }

    trait MapAbs {
        fn map_abs(&self) -> Vec<f32>;
    }
    impl MapAbs for Vec<f32> {
        fn map_abs(&self) -> Vec<f32> {
            self.iter().map(|value| value.abs()).collect()
        }
    }

    #[test]
    fn a_huge_ratio_stays_finite() {
        let device = Device::flex().autodiff();
        let new = tensor(&[0.0], &device).require_grad();
        let old = tensor(&[-500.0], &device);
        let one = tensor(&[-1.0], &device);
        let result = dapo_loss(new.clone(), old, one.clone(), one.neg(), &Clip { dual: None, ..Clip::default() });
        let grads = result.loss.clone().backward();
        assert!(scalar(result.loss).is_finite());
        assert!(scalar(new.grad(&grads).unwrap()).is_finite());
    }

    #[test]
    fn log_probs_and_entropy_of_uniform_logits_are_log_vocabulary() {
        let device = Device::flex();
        let logits = Tensor::<2>::zeros([2, 8], &device);
        let targets = Tensor::<1, Int>::from_ints([0, 7], &device);
        let expected = 8f32.ln();
        for value in token_log_probs(logits.clone(), targets).into_data().iter::<f32>() {
            assert!((value + expected).abs() < 1e-6);
        }
        for value in token_entropy(logits).into_data().iter::<f32>() {
            assert!((value - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn sft_loss_is_the_mean_over_chosen_tokens() {
        let device = Device::flex();
        let loss = sft_loss(tensor(&[-1.0, -2.0, -50.0], &device), tensor(&[0.5, 0.5, 0.0], &device));
        assert_eq!(scalar(loss), 1.5);
    }
}
