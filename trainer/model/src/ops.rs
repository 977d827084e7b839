//! The decoder's operations besides matrix products: on the CPU one pass each, elsewhere composed of tensor operations.

use burn::nn::RmsNorm;
use burn::prelude::*;
use burn::tensor::activation::{log_softmax, silu};

use crate::layout::Heads;

/// Whether `device` runs the decoder's one-pass CPU operations.
pub(crate) fn is_fused(_device: &Device, _heads: Heads) -> bool {
    false
}

/// `x / sqrt(mean(x^2) + eps) * gamma` over the last axis of `x` `[n, hidden_size]`.
pub(crate) fn rms_norm(x: Tensor<2>, norm: &RmsNorm) -> Tensor<2> {
    norm.forward(x)
}

/// `silu(gate) * up` of gate and up side by side `[n, 2 * intermediate_size]`: `[n, intermediate_size]`.
pub(crate) fn swiglu(gate_up: Tensor<2>) -> Tensor<2> {
    let [gate, up] = halves(gate_up);
    silu(gate) * up
}

/// Log-probability of each target and entropy of its distribution, both `[m]`, from logits `[m, vocab_size]`.
pub(crate) fn pick_log_probs(logits: Tensor<2>, targets: Tensor<1, Int>) -> (Tensor<1>, Tensor<1>) {
    let log_probs = log_softmax(logits, 1);
    let constant = log_probs.clone().detach();
    let entropy = (constant.clone().exp() * constant).sum_dim(1).neg().squeeze_dim(1);
    (log_probs.gather(1, targets.unsqueeze_dim(1)).squeeze_dim(1), entropy)
}

/// The first and the second half of the last axis.
pub(crate) fn halves<const D: usize>(x: Tensor<D>) -> [Tensor<D>; 2] {
    let width = x.dims()[D - 1] / 2;
    [x.clone().narrow(D - 1, 0, width), x.narrow(D - 1, width, width)]
}
