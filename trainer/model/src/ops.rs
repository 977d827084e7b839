//! The decoder's operations besides matrix products: on Flex one pass each, elsewhere composed of tensor operations.

use burn::nn::RmsNorm;
use burn::prelude::*;
use burn::tensor::activation::{log_softmax, silu};

#[cfg(feature = "flex")]
use crate::cpu::flex::DecoderOps;
use crate::layout::{Heads, Layout};

#[cfg(feature = "flex")]
use burn::backend::Dispatch;

/// Whether attention with these heads runs as one CPU pass on `device`.
pub(crate) fn is_fused(device: &Device, heads: Heads) -> bool {
    on_flex(device) && heads.head_size.is_multiple_of(32)
}

#[cfg(feature = "flex")]
fn on_flex(device: &Device) -> bool {
    *device == Device::flex()
}

#[cfg(not(feature = "flex"))]
fn on_flex(_device: &Device) -> bool {
    false
}

/// Attention of every token over its own row: `[n, qkv_size]` to `[n, hidden_size]`, differentiable.
pub(crate) fn attend_rows(qkv: Tensor<2>, layout: &Layout) -> Tensor<2> {
    match &layout.tensors {
        Some(tensors) => crate::attention::attend_rows(qkv, layout.heads, tensors),
        #[cfg(feature = "flex")]
        None => Tensor::from_dispatch(Dispatch::attend_rows(qkv.into_dispatch(), layout.clone())),
        #[cfg(not(feature = "flex"))]
        None => unreachable!("a layout without tensors is made for Flex only"),
    }
}

/// `x / sqrt(mean(x^2) + eps) * gamma` over the last axis of `x` `[n, hidden_size]`.
pub(crate) fn rms_norm(x: Tensor<2>, norm: &RmsNorm) -> Tensor<2> {
    #[cfg(feature = "flex")]
    if on_flex(&x.device()) {
        let (x, gamma) = (x.into_dispatch(), norm.gamma.val().into_dispatch());
        return Tensor::from_dispatch(Dispatch::rms_norm(x, gamma, norm.epsilon as f32));
    }
    norm.forward(x)
}

/// `silu(gate) * up` of gate and up side by side `[n, 2 * intermediate_size]`: `[n, intermediate_size]`.
pub(crate) fn swiglu(gate_up: Tensor<2>) -> Tensor<2> {
    #[cfg(feature = "flex")]
    if on_flex(&gate_up.device()) {
        return Tensor::from_dispatch(Dispatch::swiglu(gate_up.into_dispatch()));
    }
    composed_swiglu(gate_up)
}

fn composed_swiglu(gate_up: Tensor<2>) -> Tensor<2> {
    let [gate, up] = halves(gate_up);
    silu(gate) * up
}

/// Log-probability of each target and entropy of its distribution, both `[m]`, from logits `[m, vocab_size]`.
pub(crate) fn pick_log_probs(logits: Tensor<2>, targets: Tensor<1, Int>) -> (Tensor<1>, Tensor<1>) {
    #[cfg(feature = "flex")]
    if on_flex(&logits.device()) {
        let (log_probs, entropy) = Dispatch::pick_log_probs(logits.into_dispatch(), targets.into_dispatch());
        return (Tensor::from_dispatch(log_probs), Tensor::from_dispatch(entropy));
    }
    composed_pick_log_probs(logits, targets)
}

fn composed_pick_log_probs(logits: Tensor<2>, targets: Tensor<1, Int>) -> (Tensor<1>, Tensor<1>) {
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

#[cfg(all(test, feature = "flex"))]
mod tests {
    use super::*;
    use crate::{DecoderConfig, RaggedBatch};
    use alloc::vec::Vec;
    use burn::nn::RmsNormConfig;
    use burn::tensor::Distribution;

    fn device() -> Device {
        Device::flex().autodiff()
    }

    fn random<const D: usize>(shape: [usize; D]) -> Tensor<D> {
        Tensor::random(shape, Distribution::Normal(0.0, 1.5), &device()).require_grad()
    }

    fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
        tensor.try_into_vec_as::<f32>().unwrap()
    }

    fn assert_close<const D: usize>(left: Tensor<D>, right: Tensor<D>) {
        assert_eq!(left.dims(), right.dims());
        for (left, right) in values(left).into_iter().zip(values(right)) {
            assert!((left - right).abs() <= 2e-5 * (1.0 + right.abs()), "{left} {right}");
        }
    }

    /// Checks values and the gradients of `inputs`, through a loss that weighs every output differently.
    fn assert_same<const D: usize, const E: usize>(inputs: &[Tensor<D>], fused: Tensor<E>, composed: Tensor<E>) {
        assert_close(fused.clone().inner(), composed.clone().inner());
        let weights = Tensor::<E>::random(fused.dims(), Distribution::Normal(0.0, 1.0), &device());
        let fused = (fused * weights.clone()).sum().backward();
        let composed = (composed * weights).sum().backward();
        for input in inputs {
            assert_close(input.grad(&fused).unwrap(), input.grad(&composed).unwrap());
        }
    }

    #[test]
    fn fused_attention_is_composed_attention() {
        for (num_heads, num_kv_heads) in [(4, 2), (3, 3), (4, 1)] {
            let hidden_size = num_heads * 32;
            let config = DecoderConfig { hidden_size, num_heads, num_kv_heads, ..DecoderConfig::nano(10) };
            let batch = RaggedBatch::from_rows([&[0; 37][..], &[0; 1], &[], &[0; 70], &[0; 32]]);
            let mut layout = Layout::new(&config, &batch, &[0; 5], &device());
            let qkv = random([batch.num_tokens(), config.qkv_size()]);
            let fused = attend_rows(qkv.clone(), &layout);
            layout.tensors = Some(layout.to_tensors(&device()));
            assert_same(core::slice::from_ref(&qkv), fused, attend_rows(qkv.clone(), &layout));
        }
    }

    #[test]
    fn fused_norm_is_composed_norm() {
        let x = random([133, 128]);
        let mut norm = RmsNormConfig::new(128).with_epsilon(1e-5).init(&device());
        norm.gamma = burn::module::Param::from_tensor(random([128]));
        let gamma = norm.gamma.val();
        let (fused, composed) = (rms_norm(x.clone(), &norm), norm.forward(x.clone()));
        assert_close(fused.clone().inner(), composed.clone().inner());
        let weights = Tensor::random([133, 128], Distribution::Normal(0.0, 0.1), &device());
        let [fused, composed] = [fused, composed].map(|out| (out * weights.clone()).sum().backward());
        assert_close(x.grad(&fused).unwrap(), x.grad(&composed).unwrap());
        assert_close(gamma.grad(&fused).unwrap(), gamma.grad(&composed).unwrap());
    }

    #[test]
    fn fused_gate_is_composed_gate() {
        let gate_up = random([70, 2 * 88]);
        assert_same(core::slice::from_ref(&gate_up), swiglu(gate_up.clone()), composed_swiglu(gate_up.clone()));
    }

    #[test]
    fn fused_scores_are_composed_scores() {
        let logits = random([150, 101]);
        let targets = Tensor::<1, Int>::arange(0..150, &device()) % 101;
        // A product with one, so that the scores do not overwrite the leaf itself.
        let fused = pick_log_probs(logits.clone() * 1.0, targets.clone());
        let composed = composed_pick_log_probs(logits.clone(), targets);
        assert_close(fused.1.inner(), composed.1.inner());
        assert_same(&[logits], fused.0, composed.0);
    }
}
