//! `AdamW` and Muon, accumulation over micro-batches, clipping by the joint norm, and the learning rate as a function of the step.

use burn::module::{Module, ModuleVisitor, Param, ParamGroup};
use burn::optim::decay::WeightDecayConfig;
use burn::optim::{AdamWConfig, AdjustLrFn, GradientsAccumulator, GradientsParams, ModuleOptimizer, MuonConfig};
use burn::prelude::*;
use serde::{Deserialize, Serialize};
use workup_model::Decoder;

use crate::parallel::in_parallel;

/// How the matrices inside the decoder's blocks are updated; embeddings and norms always take `AdamW`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatrixUpdate {
    /// `AdamW`.
    #[default]
    AdamW,
    /// Muon: momentum 0.95 made orthogonal by five Newton-Schulz steps (Jordan et al. 2024), scaled to the size of an `AdamW`
    /// update (arXiv 2502.16982), so that both share one learning rate.
    Muon,
}

/// `AdamW`, Muon and gradient clipping.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OptimizerConfig {
    /// Decay of every parameter but the norms'.
    pub weight_decay: f32,
    /// Decay rate of the first moment.
    pub beta_1: f32,
    /// Decay rate of the second moment.
    pub beta_2: f32,
    /// All gradients together are scaled down to this norm.
    pub max_grad_norm: f32,
    /// Update of the matrices inside the blocks.
    #[serde(default)]
    pub matrices: MatrixUpdate,
}

impl Default for OptimizerConfig {
    fn default() -> Self {
        Self { weight_decay: 0.1, beta_1: 0.9, beta_2: 0.95, max_grad_norm: 1.0, matrices: MatrixUpdate::AdamW }
    }
}

impl OptimizerConfig {
    /// A fresh optimiser; build it the same way before loading a saved state.
    pub fn init(&self) -> ModuleOptimizer {
        let config = AdamWConfig::new().with_beta_1(self.beta_1).with_beta_2(self.beta_2).with_epsilon(1e-8);
        let no_decay = config.clone().with_weight_decay(0.0).build();
        let norms = ParamGroup::from_predicate("norm");
        let mut optimizer = config.with_weight_decay(self.weight_decay).init();
        if self.matrices == MatrixUpdate::Muon {
            let muon = MuonConfig::new()
                .with_adjust_lr_fn(AdjustLrFn::MatchRmsAdamW)
                .with_weight_decay(Some(WeightDecayConfig::new(self.weight_decay)))
                .build();
            optimizer = optimizer.with_group(ParamGroup::from_predicate("layers"), muon, None);
        }
        // Of several groups that match, the last counts.
        optimizer.with_group(norms, no_decay, None)
    }
}

/// How the learning rate goes on after the warm-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decay {
    /// It stays.
    #[default]
    Constant,
    /// Half a cosine down to `floor` times the peak at `total_steps`, constant from there.
    Cosine {
        /// Steps until the floor, warm-up included.
        total_steps: u64,
        /// Share of the peak that is left.
        floor: f64,
    },
}

/// The learning rate, a pure function of the step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearningRate {
    /// The highest value.
    pub peak: f64,
    /// Steps of linear warm-up; the first step already moves.
    pub warmup_steps: u64,
    /// What follows the warm-up.
    pub decay: Decay,
}

impl LearningRate {
    /// Always `peak`.
    pub const fn constant(peak: f64) -> Self {
        Self { peak, warmup_steps: 0, decay: Decay::Constant }
    }

    /// The rate of step `step`, counted from 0.
    pub fn at(&self, step: u64) -> f64 {
        if step < self.warmup_steps {
            return self.peak * (step + 1) as f64 / self.warmup_steps as f64;
        }
        match self.decay {
            Decay::Constant => self.peak,
            Decay::Cosine { total_steps, floor } => {
                let span = total_steps.saturating_sub(self.warmup_steps).max(1) as f64;
                let progress = ((step - self.warmup_steps) as f64 / span).min(1.0);
                let cosine = 0.5 * (1.0 + (core::f64::consts::PI * progress).cos());
                self.peak * (floor + (1.0 - floor) * cosine)
            }
        }
    }
}

/// A decoder under training with its optimiser. Both are saved and loaded by whoever owns files.
pub struct Learner {
    /// The decoder, on a device with autodiff.
    pub decoder: Decoder,
    /// Its optimiser, from [`OptimizerConfig::init`].
    pub optimizer: ModuleOptimizer,
    /// The device both live on, with autodiff.
    pub device: Device,
    /// How many micro-batches are differentiated at the same time, on a thread each. Decides nothing but speed: worth more
    /// than 1 where the device is the CPU itself.
    pub threads: usize,
}

impl Learner {
    /// A decoder with a fresh optimiser.
    pub fn new(decoder: Decoder, config: &OptimizerConfig, device: &Device) -> Self {
        Self { decoder, optimizer: config.init(), device: device.clone().autodiff(), threads: 1 }
    }

    /// Gradients of the sum of the losses of `parts`, each computed and differentiated on its own, and what `loss` reports
    /// beside them. Sums are formed in the order of the parts, however many threads work.
    pub fn gradients<T: Sync, R: Send>(
        &self,
        parts: &[T],
        loss: impl Fn(&Decoder, &T) -> (Tensor<1>, R) + Sync,
    ) -> (GradientsParams, Vec<R>) {
        let differentiate = |part: &T| {
            // Leaves of its own: a graph that shares its leaves with another waits for the other's lock.
            let decoder = self.decoder.clone().fork(&self.device);
            let (loss, report) = loss(&decoder, part);
            (GradientsParams::from_grads(loss.backward(), &decoder), report)
        };
        let mut accumulator = GradientsAccumulator::new();
        let mut reports = Vec::with_capacity(parts.len());
        for wave in parts.chunks(self.threads.max(1)) {
            for (grads, report) in in_parallel(wave, differentiate) {
                accumulator.accumulate(&self.decoder, grads);
                reports.push(report);
            }
        }
        (accumulator.grads(), reports)
    }

    /// One optimiser update; returns the joint norm of the gradients before clipping. A norm that is not finite
    /// updates nothing.
    pub fn apply(&mut self, mut grads: GradientsParams, learning_rate: f64, max_grad_norm: f32) -> f32 {
        let norm = clip_grad_norm(&self.decoder, &mut grads, max_grad_norm);
        if norm.is_finite() {
            self.decoder = self.optimizer.step(learning_rate, self.decoder.clone(), grads);
        }
        norm
    }
}

impl core::fmt::Debug for Learner {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Learner").field("decoder", &self.decoder).finish_non_exhaustive()
    }
}

/// Scales all gradients together so that their joint L2 norm is at most `max_norm`; returns the norm before, 0
/// without gradients.
pub fn clip_grad_norm<M: Module>(module: &M, grads: &mut GradientsParams, max_norm: f32) -> f32 {
    let mut squares = SquaredNorm { grads, total: None };
    module.visit(&mut squares);
    let Some(total) = squares.total else { return 0.0 };
    let norm = total.sqrt().into_scalar::<f32>();
    if norm > max_norm {
        module.visit(&mut Scale { grads, factor: max_norm / (norm + 1e-6) });
    }
    norm
}

struct SquaredNorm<'a> {
    grads: &'a GradientsParams,
    total: Option<Tensor<1>>,
}

impl ModuleVisitor for SquaredNorm<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(grad) = self.grads.get::<D>(param.id) {
            let square = grad.square().sum();
            self.total = Some(match self.total.take() {
                Some(total) => total + square,
                None => square,
            });
        }
    }
}

struct Scale<'a> {
    grads: &'a mut GradientsParams,
    factor: f32,
}

impl ModuleVisitor for Scale<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(grad) = self.grads.remove::<D>(param.id) {
            self.grads.register(param.id, grad * self.factor);
        }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "values that must be exact")]
mod tests {
    use super::*;

    #[test]
    fn warm_up_rises_linearly_and_cosine_falls_to_its_floor() {
        let rate = LearningRate { peak: 1.0, warmup_steps: 4, decay: Decay::Cosine { total_steps: 14, floor: 0.1 } };
        assert_eq!([0, 1, 3].map(|step| rate.at(step)), [0.25, 0.5, 1.0]);
        assert_eq!(rate.at(4), 1.0);
        assert!((rate.at(9) - 0.55).abs() < 1e-12);
        assert!((rate.at(14) - 0.1).abs() < 1e-12);
        assert!((rate.at(1_000) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn constant_stays_constant() {
        assert_eq!([0, 7, u64::MAX].map(|step| LearningRate::constant(3e-4).at(step)), [3e-4; 3]);
    }

    #[cfg(feature = "flex")]
    #[test]
    fn gradients_are_clipped_by_their_joint_norm() {
        use burn::nn::LinearConfig;
        let device = Device::flex().autodiff();
        let linear = LinearConfig::new(3, 2).init(&device);
        let input = Tensor::<2>::ones([1, 3], &device);
        // Every weight and bias has gradient 1: 8 numbers, norm sqrt(8).
        let loss = linear.forward(input).sum();
        let mut grads = GradientsParams::from_grads(loss.backward(), &linear);
        let norm = clip_grad_norm(&linear, &mut grads, 1.0);
        assert!((norm - 8f32.sqrt()).abs() < 1e-5);
        let after = clip_grad_norm(&linear, &mut grads, 1.0);
        assert!((after - 1.0).abs() < 1e-5, "{after}");
    }
}
