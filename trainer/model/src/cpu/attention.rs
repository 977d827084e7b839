//! Causal grouped-query attention of whole rows, forward and backward.
//!
//! Queries are taken in blocks; the scores of one block live in a small scratch that stays in the cache, later keys are
//! never computed, and the backward pass computes the weights again from the stored logarithm of their sum
//! (the recipe of `FlashAttention`, arXiv 2205.14135 and 2307.08691, on a CPU).

use alloc::vec;
use alloc::vec::Vec;

use pulp::{Arch, Simd, WithSimd};

use super::BLOCK;
use super::matmul::{Strided, matmul, transpose};
use super::parallel::{for_each, split_lens};
use crate::layout::{Heads, Layout};
use crate::softmax::{exp, max, scale, sum_pairs, to_weights};

/// Attention of every row over itself: `qkv` `[n, qkv_size]` to `[n, hidden_size]`, and for each token and head the
/// logarithm of the sum of its weights `[n, num_heads]`, which [`backward`] needs.
pub(crate) fn forward(qkv: &[f32], layout: &Layout) -> (Vec<f32>, Vec<f32>) {
    let heads = layout.heads;
    let num_tokens = qkv.len() / heads.qkv_size();
    let mut out = vec![0.0; num_tokens * heads.hidden_size()];
    let mut log_sums = vec![0.0; num_tokens * heads.num_heads];
    let lens = || layout.rows.iter().map(|row| row.tokens.len());
    let outs = split_lens(&mut out, lens().map(|len| len * heads.hidden_size()));
    let sums = split_lens(&mut log_sums, lens().map(|len| len * heads.num_heads));
    let tasks = layout.rows.iter().zip(outs.into_iter().zip(sums)).filter(|(row, _)| !row.tokens.is_empty());
    let tasks = tasks.map(|(row, (out, log_sums))| Forward {
        row: RowInput::new(qkv, layout, row.tokens.clone()),
        out,
        log_sums,
    });
    let arch = Arch::new();
    for_each(tasks.collect(), |task| arch.dispatch(task));
    (out, log_sums)
}

/// The gradient of `qkv`, given that of the output.
pub(crate) fn backward(qkv: &[f32], layout: &Layout, out: &[f32], log_sums: &[f32], grad_out: &[f32]) -> Vec<f32> {
    let heads = layout.heads;
    let mut grad = vec![0.0; qkv.len()];
    let grads = split_lens(&mut grad, layout.rows.iter().map(|row| row.tokens.len() * heads.qkv_size()));
    let tasks = layout.rows.iter().zip(grads).filter(|(row, _)| !row.tokens.is_empty());
    let tasks = tasks.map(|(row, grad)| {
        let tokens = row.tokens.clone();
        let hidden = tokens.start * heads.hidden_size()..tokens.end * heads.hidden_size();
        Backward {
            out: &out[hidden.clone()],
            grad_out: &grad_out[hidden],
            log_sums: &log_sums[tokens.start * heads.num_heads..tokens.end * heads.num_heads],
            row: RowInput::new(qkv, layout, tokens),
            grad,
        }
    });
    let arch = Arch::new();
    for_each(tasks.collect(), |task| arch.dispatch(task));
    grad
}

/// One row's queries, keys and values, and its rotary angles.
struct RowInput<'a> {
    qkv: &'a [f32],
    cos: &'a [f32],
    sin: &'a [f32],
    heads: Heads,
    len: usize,
}

impl<'a> RowInput<'a> {
    fn new(qkv: &'a [f32], layout: &'a Layout, tokens: core::ops::Range<usize>) -> Self {
        let (width, half) = (layout.heads.qkv_size(), layout.heads.head_size / 2);
        Self {
            qkv: &qkv[tokens.start * width..tokens.end * width],
            cos: &layout.cos[tokens.start * half..tokens.end * half],
            sin: &layout.sin[tokens.start * half..tokens.end * half],
            heads: layout.heads,
            len: tokens.len(),
        }
    }

    /// Copies head `head` (counted over queries, keys, values) into the lines of `out`; rotated and scaled if so asked.
    #[inline(always)]
    fn copy_head(&self, head: usize, rotated: Option<f32>, out: &mut [f32]) {
        let size = self.heads.head_size;
        let lines = self.qkv.chunks_exact(self.heads.qkv_size()).map(|line| &line[head * size..][..size]);
        for ((token, line), out) in lines.enumerate().zip(out.chunks_exact_mut(size)) {
            match rotated {
                Some(scale) => self.rotate(token, line, out, 1.0, scale),
                None => out.copy_from_slice(line),
            }
        }
    }

    /// Rotates one head of one token by its position and scales it; `direction` -1 turns back.
    #[inline(always)]
    fn rotate(&self, token: usize, from: &[f32], to: &mut [f32], direction: f32, scale: f32) {
        let half = self.heads.head_size / 2;
        let (cos, sin) = (&self.cos[token * half..][..half], &self.sin[token * half..][..half]);
        rotate(from, to, cos, sin, [scale, scale * direction]);
    }
}

/// `to` is `from` with each pair `(i, i + half)` turned by the angle whose cosine and sine are given, after these are
/// multiplied by the two `factors`.
#[inline(always)]
pub(crate) fn rotate(from: &[f32], to: &mut [f32], cos: &[f32], sin: &[f32], factors: [f32; 2]) {
    let (from_left, from_right) = from.split_at(cos.len());
    let (to_left, to_right) = to.split_at_mut(cos.len());
    for index in 0..cos.len() {
        let (left, right) = (from_left[index], from_right[index]);
        let (cos, sin) = (cos[index] * factors[0], sin[index] * factors[1]);
        to_left[index] = left * cos - right * sin;
        to_right[index] = right * cos + left * sin;
    }
}

/// One over the root of the head size.
pub(crate) fn score_scale(heads: Heads) -> f32 {
    1.0 / libm::sqrtf(heads.head_size as f32)
}

/// Keys and values of one key head, and queries of one head: padded lines of `head_size`, and keys and values transposed.
struct Panels {
    head_size: usize,
    /// Lines of a panel: the row's length rounded up to whole blocks.
    padded: usize,
    keys: Vec<f32>,
    keys_t: Vec<f32>,
    values: Vec<f32>,
    queries: Vec<f32>,
}

impl Panels {
    fn new(row: &RowInput<'_>) -> Self {
        let (head_size, padded) = (row.heads.head_size, row.len.next_multiple_of(BLOCK));
        let [keys, keys_t, values, queries] = [0; 4].map(|_| vec![0.0; padded * head_size]);
        Self { head_size, padded, keys, keys_t, values, queries }
    }

    #[inline(always)]
    fn load_keys(&mut self, row: &RowInput<'_>, kv_head: usize) {
        let Heads { num_heads, num_kv_heads, .. } = row.heads;
        row.copy_head(num_heads + kv_head, Some(1.0), &mut self.keys);
        row.copy_head(num_heads + num_kv_heads + kv_head, None, &mut self.values);
        transpose(&self.keys, self.head_size, &mut self.keys_t, self.padded);
    }

    #[inline(always)]
    fn load_queries(&mut self, row: &RowInput<'_>, head: usize) {
        row.copy_head(head, Some(score_scale(row.heads)), &mut self.queries);
    }

    /// The block of lines from `first` on.
    #[inline(always)]
    fn block<'a>(&self, panel: &'a [f32], first: usize) -> Strided<'a> {
        Strided { numbers: &panel[first * self.head_size..], row_stride: self.head_size, column_stride: 1 }
    }

    /// Scores of the block of queries from `first` on with all keys up to its end, lines `padded` apart.
    #[inline(always)]
    fn score_block<S: Simd>(&self, simd: S, first: usize, scores: &mut [f32]) {
        let sizes = [BLOCK, self.head_size, first + BLOCK];
        let queries = self.block(&self.queries, first);
        matmul(simd, sizes, queries, &self.keys_t, self.padded, scores, self.padded, false);
    }
}

struct Forward<'a> {
    row: RowInput<'a>,
    out: &'a mut [f32],
    log_sums: &'a mut [f32],
}

impl WithSimd for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let Heads { num_heads, num_kv_heads, .. } = self.row.heads;
        let groups = num_heads / num_kv_heads;
        let mut panels = Panels::new(&self.row);
        let mut scores = vec![0.0; BLOCK * panels.padded];
        let mut block_out = vec![0.0; BLOCK * panels.head_size];
        for kv_head in 0..num_kv_heads {
            panels.load_keys(&self.row, kv_head);
            for head in kv_head * groups..(kv_head + 1) * groups {
                panels.load_queries(&self.row, head);
                for first in (0..self.row.len).step_by(BLOCK) {
                    self.block(simd, head, first, &panels, &mut scores, &mut block_out);
                }
            }
        }
    }
}

impl Forward<'_> {
    /// The output of the block of queries from `first` on, one head.
    #[inline(always)]
    fn block<S: Simd>(
        &mut self,
        simd: S,
        head: usize,
        first: usize,
        panels: &Panels,
        scores: &mut [f32],
        block_out: &mut [f32],
    ) {
        let Heads { num_heads, head_size, .. } = self.row.heads;
        let (padded, width) = (panels.padded, first + BLOCK);
        panels.score_block(simd, first, scores);
        for (query, scores) in (first..width.min(self.row.len)).zip(scores.chunks_exact_mut(padded)) {
            let largest = max(&scores[..=query]);
            let (sum, _) = to_weights(&mut scores[..=query], largest);
            scores[query + 1..width].fill(0.0);
            let inverse = 1.0 / sum;
            scale(&mut scores[..=query], inverse);
            self.log_sums[query * num_heads + head] = largest + libm::logf(sum);
        }
        let weights = Strided { numbers: scores, row_stride: padded, column_stride: 1 };
        let sizes = [BLOCK, width, head_size];
        matmul(simd, sizes, weights, &panels.values, head_size, block_out, head_size, false);
        let lines = self.out.chunks_exact_mut(num_heads * head_size).skip(first);
        for (line, block) in lines.zip(block_out.chunks_exact(head_size)) {
            line[head * head_size..][..head_size].copy_from_slice(block);
        }
    }
}

struct Backward<'a> {
    row: RowInput<'a>,
    out: &'a [f32],
    log_sums: &'a [f32],
    grad_out: &'a [f32],
    grad: &'a mut [f32],
}

/// What the backward pass works on besides the panels of the forward pass.
struct GradPanels {
    values_t: Vec<f32>,
    /// The output's gradient, one head.
    out: Vec<f32>,
    keys: Vec<f32>,
    values: Vec<f32>,
    queries: Vec<f32>,
    weights: Vec<f32>,
    scores: Vec<f32>,
}

impl WithSimd for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let Heads { num_heads, num_kv_heads, head_size } = self.row.heads;
        let groups = num_heads / num_kv_heads;
        let query_scale = score_scale(self.row.heads);
        let mut panels = Panels::new(&self.row);
        let [values_t, out, keys, values, queries] = [0; 5].map(|_| vec![0.0; panels.padded * head_size]);
        let [weights, scores] = [0; 2].map(|_| vec![0.0; BLOCK * panels.padded]);
        let mut grads = GradPanels { values_t, out, keys, values, queries, weights, scores };
        for kv_head in 0..num_kv_heads {
            panels.load_keys(&self.row, kv_head);
            transpose(&panels.values, head_size, &mut grads.values_t, panels.padded);
            grads.keys.fill(0.0);
            grads.values.fill(0.0);
            for head in kv_head * groups..(kv_head + 1) * groups {
                panels.load_queries(&self.row, head);
                let lines = self.grad_out.chunks_exact(num_heads * head_size);
                for (line, panel) in lines.zip(grads.out.chunks_exact_mut(head_size)) {
                    panel.copy_from_slice(&line[head * head_size..][..head_size]);
                }
                for first in (0..self.row.len).step_by(BLOCK) {
                    self.block(simd, head, first, &panels, &mut grads);
                }
                self.write_head(head, &grads.queries, Some(query_scale));
            }
            self.write_head(num_heads + kv_head, &grads.keys, Some(1.0));
            self.write_head(num_heads + num_kv_heads + kv_head, &grads.values, None);
        }
    }
}

impl Backward<'_> {
    /// Sets the gradients of the block of queries from `first` on; adds to those of the keys and values it sees.
    #[inline(always)]
    fn block<S: Simd>(&self, simd: S, head: usize, first: usize, panels: &Panels, grads: &mut GradPanels) {
        let (padded, head_size, width) = (panels.padded, panels.head_size, first + BLOCK);
        panels.score_block(simd, first, &mut grads.weights);
        let grad_out = panels.block(&grads.out, first);
        let sizes = [BLOCK, head_size, width];
        matmul(simd, sizes, grad_out, &grads.values_t, padded, &mut grads.scores, padded, false);
        let lines = grads.weights.chunks_exact_mut(padded).zip(grads.scores.chunks_exact_mut(padded));
        for (query, (weights, scores)) in (first..width).zip(lines) {
            self.score_gradients(head, query, &mut weights[..width], &mut scores[..width]);
        }
        let scores = Strided { numbers: &grads.scores, row_stride: padded, column_stride: 1 };
        let target = &mut grads.queries[first * head_size..];
        matmul(simd, [BLOCK, width, head_size], scores, &panels.keys, head_size, target, head_size, false);
        let sizes = [width, BLOCK, head_size];
        let scores_t = Strided { row_stride: 1, column_stride: padded, ..scores };
        let queries = &panels.queries[first * head_size..];
        matmul(simd, sizes, scores_t, queries, head_size, &mut grads.keys, head_size, true);
        let weights_t = Strided { numbers: &grads.weights, ..scores_t };
        matmul(simd, sizes, weights_t, grad_out.numbers, head_size, &mut grads.values, head_size, true);
    }

    /// Turns one query's scores into weights, and the gradients of its weights into those of its scores.
    #[inline(always)]
    fn score_gradients(&self, head: usize, query: usize, weights: &mut [f32], scores: &mut [f32]) {
        let Heads { num_heads, head_size, .. } = self.row.heads;
        let visible = if query < self.row.len { query + 1 } else { 0 };
        if visible > 0 {
            let log_sum = self.log_sums[query * num_heads + head];
            let place = (query * num_heads + head) * head_size;
            let (out, grad_out) = (&self.out[place..][..head_size], &self.grad_out[place..][..head_size]);
            let dot = sum_pairs(out, grad_out, |out, grad| out * grad);
            for (weight, score) in weights[..visible].iter_mut().zip(&mut scores[..visible]) {
                *weight = exp(*weight - log_sum);
                *score = *weight * (*score - dot);
            }
        }
        weights[visible..].fill(0.0);
        scores[visible..].fill(0.0);
    }

    /// Writes a panel's gradient to its place, turned back and scaled when it belongs to a rotated head.
    #[inline(always)]
    fn write_head(&mut self, head: usize, panel: &[f32], rotated: Option<f32>) {
        let size = self.row.heads.head_size;
        let lines = self.grad.chunks_exact_mut(self.row.heads.qkv_size()).zip(panel.chunks_exact(size));
        for (token, (line, panel)) in lines.enumerate() {
            let line = &mut line[head * size..][..size];
            match rotated {
                Some(scale) => self.row.rotate(token, panel, line, -1.0, scale),
                None => line.copy_from_slice(panel),
            }
        }
    }
}
