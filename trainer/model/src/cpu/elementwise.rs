//! Norm, gate and token scores: one pass forward, one pass backward.

use alloc::vec;
use alloc::vec::Vec;

use pulp::Arch;

use super::parallel::for_each;
use crate::softmax::{exp, max, scale, sum_by, sum_pairs, to_weights};

/// Lines of a matrix that make one task.
const TASK_LINES: usize = 64;

/// `x / sqrt(mean(x^2) + eps) * gamma` for every line of `x` `[n, gamma.len()]`.
pub(crate) fn rms_norm(x: &[f32], gamma: &[f32], eps: f32) -> Vec<f32> {
    let width = gamma.len();
    let mut out = vec![0.0; x.len()];
    let tasks = x.chunks(TASK_LINES * width).zip(out.chunks_mut(TASK_LINES * width)).collect();
    let arch = Arch::new();
    for_each(tasks, |(x, out): (&[f32], &mut [f32])| {
        arch.dispatch(|| {
            for (x, out) in x.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
                let inverse = inverse_rms(x, eps);
                for ((out, &x), &gamma) in out.iter_mut().zip(x).zip(gamma) {
                    *out = x * inverse * gamma;
                }
            }
        });
    });
    out
}

/// Gradients of `x` and `gamma`, given that of the output.
pub(crate) fn rms_norm_backward(x: &[f32], gamma: &[f32], eps: f32, grad_out: &[f32]) -> (Vec<f32>, Vec<f32>) {
    let width = gamma.len();
    let mut grad = vec![0.0; x.len()];
    let num_tasks = x.len().div_ceil(TASK_LINES * width);
    let mut partial = vec![0.0; num_tasks * width];
    let lines = x.chunks(TASK_LINES * width).zip(grad_out.chunks(TASK_LINES * width));
    let targets = grad.chunks_mut(TASK_LINES * width).zip(partial.chunks_mut(width));
    let arch = Arch::new();
    for_each(lines.zip(targets).collect(), |((x, grad_out), (grad, grad_gamma))| {
        arch.dispatch(|| {
            let lines = x.chunks_exact(width).zip(grad_out.chunks_exact(width));
            for ((x, grad_out), grad) in lines.zip(grad.chunks_exact_mut(width)) {
                rms_norm_line_backward(x, gamma, eps, grad_out, grad, grad_gamma);
            }
        });
    });
    let mut grad_gamma = vec![0.0; width];
    for partial in partial.chunks_exact(width) {
        for (sum, &part) in grad_gamma.iter_mut().zip(partial) {
            *sum += part;
        }
    }
    (grad, grad_gamma)
}

#[inline(always)]
fn rms_norm_line_backward(
    x: &[f32],
    gamma: &[f32],
    eps: f32,
    grad_out: &[f32],
    grad: &mut [f32],
    grad_gamma: &mut [f32],
) {
    let inverse = inverse_rms(x, eps);
    for ((scaled, &grad_out), &gamma) in grad.iter_mut().zip(grad_out).zip(gamma) {
        *scaled = grad_out * gamma;
    }
    let dot = sum_pairs(grad, x, |scaled, x| scaled * x);
    let pull = dot * inverse * inverse * inverse / x.len() as f32;
    for (((grad, &x), &grad_out), grad_gamma) in grad.iter_mut().zip(x).zip(grad_out).zip(grad_gamma) {
        *grad = *grad * inverse - x * pull;
        *grad_gamma += grad_out * x * inverse;
    }
}

#[inline(always)]
fn inverse_rms(x: &[f32], eps: f32) -> f32 {
    1.0 / libm::sqrtf(sum_by(x, |x| x * x) / x.len() as f32 + eps)
}

/// `silu(gate) * up` for every line, gate and up side by side in `gate_up` `[n, 2 * width]`.
pub(crate) fn swiglu(gate_up: &[f32], width: usize) -> Vec<f32> {
    let mut out = vec![0.0; gate_up.len() / 2];
    let tasks = gate_up.chunks(TASK_LINES * 2 * width).zip(out.chunks_mut(TASK_LINES * width)).collect();
    let arch = Arch::new();
    for_each(tasks, |(gate_up, out): (&[f32], &mut [f32])| {
        arch.dispatch(|| {
            for (gate_up, out) in gate_up.chunks_exact(2 * width).zip(out.chunks_exact_mut(width)) {
                let (gate, up) = gate_up.split_at(width);
                for ((out, &gate), &up) in out.iter_mut().zip(gate).zip(up) {
                    *out = gate / (1.0 + exp(-gate)) * up;
                }
            }
        });
    });
    out
}

/// The gradient of `gate_up`, given that of the output.
pub(crate) fn swiglu_backward(gate_up: &[f32], width: usize, grad_out: &[f32]) -> Vec<f32> {
    let mut grad = vec![0.0; gate_up.len()];
    let lines = gate_up.chunks(TASK_LINES * 2 * width).zip(grad_out.chunks(TASK_LINES * width));
    let tasks = lines.zip(grad.chunks_mut(TASK_LINES * 2 * width)).collect();
    let arch = Arch::new();
    for_each(tasks, |((gate_up, grad_out), grad): ((&[f32], &[f32]), &mut [f32])| {
        arch.dispatch(|| {
            let lines = gate_up.chunks_exact(2 * width).zip(grad_out.chunks_exact(width));
            for ((gate_up, grad_out), grad) in lines.zip(grad.chunks_exact_mut(2 * width)) {
                let (gate, up) = gate_up.split_at(width);
                let (grad_gate, grad_up) = grad.split_at_mut(width);
                for index in 0..width {
                    let sigmoid = 1.0 / (1.0 + exp(-gate[index]));
                    let silu = gate[index] * sigmoid;
                    grad_up[index] = grad_out[index] * silu;
                    grad_gate[index] = grad_out[index] * up[index] * (sigmoid + silu * (1.0 - sigmoid));
                }
            }
        });
    });
    grad
}

/// Turns `logits` `[m, vocab_size]` into probabilities in place; returns the log-probability of each target and the
/// entropy of its distribution, both `[m]`.
pub(crate) fn pick_log_probs(logits: &mut [f32], vocab_size: usize, targets: &[usize]) -> (Vec<f32>, Vec<f32>) {
    let (mut log_probs, mut entropies) = (vec![0.0; targets.len()], vec![0.0; targets.len()]);
    let outs = log_probs.chunks_mut(TASK_LINES).zip(entropies.chunks_mut(TASK_LINES));
    let lines = logits.chunks_mut(TASK_LINES * vocab_size).zip(targets.chunks(TASK_LINES));
    let arch = Arch::new();
    for_each(lines.zip(outs).collect(), |((logits, targets), (log_probs, entropies))| {
        arch.dispatch(|| {
            let outs = log_probs.iter_mut().zip(entropies);
            for ((line, &target), (log_prob, entropy)) in logits.chunks_exact_mut(vocab_size).zip(targets).zip(outs) {
                (*log_prob, *entropy) = pick_log_prob(line, target);
            }
        });
    });
    (log_probs, entropies)
}

#[inline(always)]
fn pick_log_prob(line: &mut [f32], target: usize) -> (f32, f32) {
    let picked = line[target];
    let largest = max(line);
    let (sum, weighted) = to_weights(line, largest);
    let log_sum = libm::logf(sum);
    let inverse = 1.0 / sum;
    scale(line, inverse);
    (picked - largest - log_sum, log_sum - weighted * inverse)
}

/// The gradient of the logits from their probabilities, in place: `grad * (1 at the target - probability)`.
pub(crate) fn pick_log_probs_backward(probs: &mut [f32], vocab_size: usize, targets: &[usize], grad_out: &[f32]) {
    let lines = probs.chunks_mut(TASK_LINES * vocab_size).zip(targets.chunks(TASK_LINES));
    let tasks = lines.zip(grad_out.chunks(TASK_LINES)).collect();
    let arch = Arch::new();
    for_each(tasks, |((probs, targets), grads): ((&mut [f32], &[usize]), &[f32])| {
        arch.dispatch(|| {
            for ((line, &target), &grad) in probs.chunks_exact_mut(vocab_size).zip(targets).zip(grads) {
                scale(line, -grad);
                line[target] += grad;
            }
        });
    });
}
