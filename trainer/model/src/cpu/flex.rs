//! The CPU kernels as operations of Burn's Flex backend, with gradients of their own under autodiff.

use alloc::sync::Arc;
use alloc::vec::Vec;

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind, unary};
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::{FloatTensor, IntTensor};
use burn::backend::{Autodiff, Backend, Flex, TensorMetadata, backend_extension};
use burn::tensor::TensorData;

use super::{attention, elementwise};
use crate::layout::Layout;

/// What the decoder computes in one pass on the CPU.
#[backend_extension(Flex, Autodiff)]
pub(crate) trait DecoderOps: Backend {
    /// Attention of every row over itself: `[n, qkv_size]` to `[n, hidden_size]`.
    fn attend_rows(qkv: FloatTensor<Self>, layout: Layout) -> FloatTensor<Self>;
    /// `x / sqrt(mean(x^2) + eps) * gamma`, `[n, hidden_size]`.
    fn rms_norm(x: FloatTensor<Self>, gamma: FloatTensor<Self>, eps: f32) -> FloatTensor<Self>;
    /// `silu(gate) * up`: `[n, 2 * width]` to `[n, width]`.
    fn swiglu(gate_up: FloatTensor<Self>) -> FloatTensor<Self>;
    /// Log-probability of each target and the entropy (a constant), both `[m]`, from logits `[m, vocab_size]`.
    fn pick_log_probs(logits: FloatTensor<Self>, targets: IntTensor<Self>) -> (FloatTensor<Self>, FloatTensor<Self>);
}

impl DecoderOps for Flex {
    fn attend_rows(qkv: FlexTensor, layout: Layout) -> FlexTensor {
        attend(&qkv.to_contiguous(), &layout).0
    }

    fn rms_norm(x: FlexTensor, gamma: FlexTensor, eps: f32) -> FlexTensor {
        let [x, gamma] = [x, gamma].map(|tensor| tensor.to_contiguous());
        like(&x, elementwise::rms_norm(numbers(&x), numbers(&gamma), eps))
    }

    fn swiglu(gate_up: FlexTensor) -> FlexTensor {
        let gate_up = gate_up.to_contiguous();
        let width = last_axis(&gate_up) / 2;
        matrix(elementwise::swiglu(numbers(&gate_up), width), width)
    }

    fn pick_log_probs(logits: FlexTensor, targets: FlexTensor) -> (FlexTensor, FlexTensor) {
        let picked = pick(logits, &indices(&targets));
        (vector(picked.log_probs), vector(picked.entropies))
    }
}

impl<C: CheckpointStrategy> DecoderOps for Autodiff<Flex, C> {
    fn attend_rows(qkv: FloatTensor<Self>, layout: Layout) -> FloatTensor<Self> {
        let (qkv, guard) = qkv.into_parts();
        let qkv = qkv.to_contiguous();
        let (out, log_sums) = attend(&qkv, &layout);
        match AttendRows.prepare::<C>([guard]).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                let state = AttendState { qkv, out: out.clone(), log_sums: log_sums.into(), layout };
                prep.finish(state, out)
            }
            OpsKind::UnTracked(prep) => prep.finish(out),
        }
    }

    fn rms_norm(x: FloatTensor<Self>, gamma: FloatTensor<Self>, eps: f32) -> FloatTensor<Self> {
        let (x, x_guard) = x.into_parts();
        let (gamma, gamma_guard) = gamma.into_parts();
        let [x, gamma] = [x, gamma].map(|tensor| tensor.to_contiguous());
        let out = Flex::rms_norm(x.clone(), gamma.clone(), eps);
        match RmsNormStep.prepare::<C>([x_guard, gamma_guard]).compute_bound().stateful() {
            OpsKind::Tracked(prep) => prep.finish((x, gamma, eps), out),
            OpsKind::UnTracked(prep) => prep.finish(out),
        }
    }

    fn swiglu(gate_up: FloatTensor<Self>) -> FloatTensor<Self> {
        let (gate_up, guard) = gate_up.into_parts();
        let gate_up = gate_up.to_contiguous();
        let out = Flex::swiglu(gate_up.clone());
        match SwigluStep.prepare::<C>([guard]).compute_bound().stateful() {
            OpsKind::Tracked(prep) => prep.finish(gate_up, out),
            OpsKind::UnTracked(prep) => prep.finish(out),
        }
    }

    fn pick_log_probs(logits: FloatTensor<Self>, targets: IntTensor<Self>) -> (FloatTensor<Self>, FloatTensor<Self>) {
        let (logits, guard) = logits.into_parts();
        let targets = indices(&targets);
        let picked = pick(logits, &targets);
        let log_probs = vector(picked.log_probs);
        let log_probs = match PickStep.prepare::<C>([guard]).compute_bound().stateful() {
            OpsKind::Tracked(prep) => prep.finish((picked.probs, targets.into()), log_probs),
            OpsKind::UnTracked(prep) => prep.finish(log_probs),
        };
        (log_probs, FloatTensor::<Self>::new(vector(picked.entropies)))
    }
}

#[derive(Debug)]
struct AttendRows;

#[derive(Clone, Debug)]
struct AttendState {
    qkv: FlexTensor,
    out: FlexTensor,
    log_sums: Arc<[f32]>,
    layout: Layout,
}

impl Backward<Flex, 1> for AttendRows {
    type State = AttendState;

    fn backward(self, ops: Ops<AttendState, 1>, grads: &mut Gradients, _: &mut Checkpointer) {
        let AttendState { qkv, out, log_sums, layout } = ops.state;
        unary::<Flex, _>(ops.parents, ops.node, grads, |grad| {
            let grad = grad.to_contiguous();
            like(&qkv, attention::backward(numbers(&qkv), &layout, numbers(&out), &log_sums, numbers(&grad)))
        });
    }
}

#[derive(Debug)]
struct RmsNormStep;

impl Backward<Flex, 2> for RmsNormStep {
    type State = (FlexTensor, FlexTensor, f32);

    fn backward(self, ops: Ops<Self::State, 2>, grads: &mut Gradients, _: &mut Checkpointer) {
        let (x, gamma, eps) = ops.state;
        let grad = grads.consume::<Flex>(&ops.node).to_contiguous();
        let (grad_x, grad_gamma) = elementwise::rms_norm_backward(numbers(&x), numbers(&gamma), eps, numbers(&grad));
        let [x_node, gamma_node] = ops.parents;
        if let Some(node) = x_node {
            grads.register::<Flex>(node.id, like(&x, grad_x));
        }
        if let Some(node) = gamma_node {
            grads.register::<Flex>(node.id, vector(grad_gamma));
        }
    }
}

#[derive(Debug)]
struct SwigluStep;

impl Backward<Flex, 1> for SwigluStep {
    type State = FlexTensor;

    fn backward(self, ops: Ops<FlexTensor, 1>, grads: &mut Gradients, _: &mut Checkpointer) {
        let gate_up = ops.state;
        unary::<Flex, _>(ops.parents, ops.node, grads, |grad| {
            let grad = grad.to_contiguous();
            like(&gate_up, elementwise::swiglu_backward(numbers(&gate_up), last_axis(&gate_up) / 2, numbers(&grad)))
        });
    }
}

#[derive(Debug)]
struct PickStep;

impl Backward<Flex, 1> for PickStep {
    /// Probabilities `[m, vocab_size]` and targets.
    type State = (FlexTensor, Arc<[usize]>);

    fn backward(self, ops: Ops<Self::State, 1>, grads: &mut Gradients, _: &mut Checkpointer) {
        let (mut probs, targets) = ops.state;
        unary::<Flex, _>(ops.parents, ops.node, grads, |grad| {
            let grad = grad.to_contiguous();
            let vocab_size = last_axis(&probs);
            elementwise::pick_log_probs_backward(probs.storage_mut(), vocab_size, &targets, numbers(&grad));
            probs
        });
    }
}

fn attend(qkv: &FlexTensor, layout: &Layout) -> (FlexTensor, Vec<f32>) {
    let (out, log_sums) = attention::forward(numbers(qkv), layout);
    (matrix(out, layout.heads.hidden_size()), log_sums)
}

struct Picked {
    probs: FlexTensor,
    log_probs: Vec<f32>,
    entropies: Vec<f32>,
}

fn pick(logits: FlexTensor, targets: &[usize]) -> Picked {
    let vocab_size = last_axis(&logits);
    // Frees a contiguous tensor's own handle first, so that its storage is overwritten rather than copied.
    let mut probs = if numbers_len(&logits).is_some() { logits } else { logits.to_contiguous() };
    let (log_probs, entropies) = elementwise::pick_log_probs(probs.storage_mut(), vocab_size, targets);
    Picked { probs, log_probs, entropies }
}

/// The number of elements, if the whole storage is this tensor in order.
fn numbers_len(tensor: &FlexTensor) -> Option<usize> {
    let len = tensor.as_slice::<f32>()?.len();
    (len == tensor.storage::<f32>().len()).then_some(len)
}

/// The numbers of a contiguous tensor.
pub(crate) fn numbers(tensor: &FlexTensor) -> &[f32] {
    tensor.as_slice().unwrap_or_default()
}

/// Token ids of an integer tensor.
///
/// # Panics
/// If one is negative.
fn indices(tensor: &FlexTensor) -> Vec<usize> {
    tensor
        .clone()
        .into_data()
        .iter::<i64>()
        .map(|index| usize::try_from(index).expect("a target is a token id"))
        .collect()
}

fn last_axis(tensor: &FlexTensor) -> usize {
    let shape = tensor.shape();
    shape[shape.num_dims() - 1]
}

fn like(tensor: &FlexTensor, numbers: Vec<f32>) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(numbers, tensor.shape()))
}

/// A matrix with lines of `width` numbers.
pub(crate) fn matrix(numbers: Vec<f32>, width: usize) -> FlexTensor {
    let lines = numbers.len() / width;
    FlexTensor::from_data(TensorData::new(numbers, [lines, width]))
}

fn vector(numbers: Vec<f32>) -> FlexTensor {
    let len = numbers.len();
    FlexTensor::from_data(TensorData::new(numbers, [len]))
}
