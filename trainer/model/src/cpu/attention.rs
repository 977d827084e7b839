//! Causal grouped-query attention of whole rows, forward and backward.
//!
//! Queries are taken in blocks; the scores of one block live in a small scratch that stays in the cache, later keys are
//! never computed, and the backward pass computes the weights again from the stored logarithm of their sum
//! (the recipe of FlashAttention, arXiv 2205.14135 and 2307.08691, on a CPU).

use alloc::vec;
use alloc::vec::Vec;

use pulp::{Arch, Simd, WithSimd};

use super::BLOCK;
use super::matmul::{Strided, matmul, transpose};
use super::parallel::{for_each, split_lens};
use super::softmax::{exp, max, sum_pairs, to_weights};
use crate::layout::{Heads, Layout};

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

    /// Row length rounded up to whole blocks.
    fn padded(&self) -> usize {
        self.len.next_multiple_of(BLOCK)
    }

    /// Copies head `head` (counted over queries, keys, values) into `out` `[padded, head_size]`, rotated when `rotated`.
    #[inline(always)]
    fn copy_head(&self, head: usize, rotated: bool, scale: f32, out: &mut [f32]) {
        let size = self.heads.head_size;
        let lines = self.qkv.chunks_exact(self.heads.qkv_size()).map(|line| &line[head * size..][..size]);
        for ((token, line), out) in lines.enumerate().zip(out.chunks_exact_mut(size)) {
            if rotated {
                self.rotate(token, line, out, 1.0);
            } else {
                out.copy_from_slice(line);
            }
            out.iter_mut().for_each(|number| *number *= scale);
        }
    }

    /// Rotates one head of one token by its position; `direction` -1 turns back.
    #[inline(always)]
    fn rotate(&self, token: usize, from: &[f32], to: &mut [f32], direction: f32) {
        let half = self.heads.head_size / 2;
        let (cos, sin) = (&self.cos[token * half..][..half], &self.sin[token * half..][..half]);
        rotate(from, to, cos, sin, direction);
    }
}

/// `to` is `from` with each pair `(i, i + half)` turned by the angle whose cosine and sine are given.
#[inline(always)]
pub(crate) fn rotate(from: &[f32], to: &mut [f32], cos: &[f32], sin: &[f32], direction: f32) {
    let (from_left, from_right) = from.split_at(cos.len());
    let (to_left, to_right) = to.split_at_mut(cos.len());
    for index in 0..cos.len() {
        let (left, right, sin) = (from_left[index], from_right[index], sin[index] * direction);
        to_left[index] = left * cos[index] - right * sin;
        to_right[index] = right * cos[index] + left * sin;
    }
}

/// One over the root of the head size.
pub(crate) fn score_scale(heads: Heads) -> f32 {
    1.0 / libm::sqrtf(heads.head_size as f32)
}

struct Forward<'a> {
    row: RowInput<'a>,
    out: &'a mut [f32],
    log_sums: &'a mut [f32],
}

impl WithSimd for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { row, out, log_sums } = self;
        let Heads { num_heads, num_kv_heads, head_size } = row.heads;
        let padded = row.padded();
        let [mut keys, mut values, mut queries] = [0; 3].map(|_| vec![0.0; padded * head_size]);
        let mut keys_t = vec![0.0; padded * head_size];
        let mut scores = vec![0.0; BLOCK * padded];
        let mut block_out = vec![0.0; BLOCK * head_size];
        for kv_head in 0..num_kv_heads {
            row.copy_head(num_heads + kv_head, true, 1.0, &mut keys);
            row.copy_head(num_heads + num_kv_heads + kv_head, false, 1.0, &mut values);
            transpose(&keys, head_size, &mut keys_t, padded);
            let groups = num_heads / num_kv_heads;
            for head in kv_head * groups..(kv_head + 1) * groups {
                row.copy_head(head, true, score_scale(row.heads), &mut queries);
                for first in (0..row.len).step_by(BLOCK) {
                    let width = first + BLOCK;
                    score_block(simd, &queries, first, head_size, &keys_t, padded, &mut scores);
                    for (query, scores) in (first..width.min(row.len)).zip(scores.chunks_exact_mut(padded)) {
                        let largest = max(&scores[..=query]);
                        let (sum, _) = to_weights(&mut scores[..=query], largest);
                        scores[query + 1..width].fill(0.0);
                        let inverse = 1.0 / sum;
                        scores[..=query].iter_mut().for_each(|weight| *weight *= inverse);
                        log_sums[query * num_heads + head] = largest + libm::logf(sum);
                    }
                    let weights = Strided { numbers: &scores, row_stride: padded, column_stride: 1 };
                    let sizes = [BLOCK, width, head_size];
                    matmul(simd, sizes, weights, &values, head_size, &mut block_out, head_size, false);
                    let lines = out.chunks_exact_mut(num_heads * head_size).skip(first);
                    for (line, block) in lines.zip(block_out.chunks_exact(head_size)) {
                        line[head * head_size..][..head_size].copy_from_slice(block);
                    }
                }
            }
        }
    }
}

/// Scores of the block of queries from `first` on with all keys up to its end, rows `padded` apart.
#[inline(always)]
fn score_block<S: Simd>(
    simd: S,
    queries: &[f32],
    first: usize,
    head_size: usize,
    keys_t: &[f32],
    padded: usize,
    scores: &mut [f32],
) {
    let block = Strided { numbers: &queries[first * head_size..], row_stride: head_size, column_stride: 1 };
    matmul(simd, [BLOCK, head_size, first + BLOCK], block, keys_t, padded, scores, padded, false);
}

struct Backward<'a> {
    row: RowInput<'a>,
    out: &'a [f32],
    log_sums: &'a [f32],
    grad_out: &'a [f32],
    grad: &'a mut [f32],
}

impl WithSimd for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { row, out, log_sums, grad_out, grad } = self;
        let Heads { num_heads, num_kv_heads, head_size } = row.heads;
        let padded = row.padded();
        let panel = || vec![0.0; padded * head_size];
        let (mut keys, mut keys_t, mut values, mut values_t) = (panel(), panel(), panel(), panel());
        let (mut queries, mut grad_heads) = (panel(), panel());
        let (mut grad_keys, mut grad_values, mut grad_queries) = (panel(), panel(), panel());
        let (mut weights, mut grad_scores) = (vec![0.0; BLOCK * padded], vec![0.0; BLOCK * padded]);
        for kv_head in 0..num_kv_heads {
            row.copy_head(num_heads + kv_head, true, 1.0, &mut keys);
            row.copy_head(num_heads + num_kv_heads + kv_head, false, 1.0, &mut values);
            transpose(&keys, head_size, &mut keys_t, padded);
            transpose(&values, head_size, &mut values_t, padded);
            grad_keys.fill(0.0);
            grad_values.fill(0.0);
            let groups = num_heads / num_kv_heads;
            for head in kv_head * groups..(kv_head + 1) * groups {
                row.copy_head(head, true, score_scale(row.heads), &mut queries);
                for (line, panel) in
                    grad_out.chunks_exact(num_heads * head_size).zip(grad_heads.chunks_exact_mut(head_size))
                {
                    panel.copy_from_slice(&line[head * head_size..][..head_size]);
                }
                for first in (0..row.len).step_by(BLOCK) {
                    let width = first + BLOCK;
                    let sizes = [BLOCK, head_size, width];
                    score_block(simd, &queries, first, head_size, &keys_t, padded, &mut weights);
                    let block =
                        Strided { numbers: &grad_heads[first * head_size..], row_stride: head_size, column_stride: 1 };
                    matmul(simd, sizes, block, &values_t, padded, &mut grad_scores, padded, false);
                    let lines = weights.chunks_exact_mut(padded).zip(grad_scores.chunks_exact_mut(padded));
                    for (query, (weights, grad_scores)) in (first..width).zip(lines) {
                        if query >= row.len {
                            weights[..width].fill(0.0);
                            grad_scores[..width].fill(0.0);
                            continue;
                        }
                        let log_sum = log_sums[query * num_heads + head];
                        let place = (query * num_heads + head) * head_size;
                        let dot = sum_pairs(&out[place..][..head_size], &grad_out[place..][..head_size], |x, y| x * y);
                        for (weight, grad) in weights[..=query].iter_mut().zip(&mut grad_scores[..=query]) {
                            *weight = exp(*weight - log_sum);
                            *grad = *weight * (*grad - dot);
                        }
                        weights[query + 1..width].fill(0.0);
                        grad_scores[query + 1..width].fill(0.0);
                    }
                    let scores = Strided { numbers: &grad_scores, row_stride: padded, column_stride: 1 };
                    let target = &mut grad_queries[first * head_size..];
                    matmul(simd, [BLOCK, width, head_size], scores, &keys, head_size, target, head_size, false);
                    let sizes = [width, BLOCK, head_size];
                    let scores_t = Strided { row_stride: 1, column_stride: padded, ..scores };
                    matmul(
                        simd,
                        sizes,
                        scores_t,
                        &queries[first * head_size..],
                        head_size,
                        &mut grad_keys,
                        head_size,
                        true,
                    );
                    let weights_t = Strided { numbers: &weights, ..scores_t };
                    matmul(
                        simd,
                        sizes,
                        weights_t,
                        &grad_heads[first * head_size..],
                        head_size,
                        &mut grad_values,
                        head_size,
                        true,
                    );
                }
                write_head(&row, head, &grad_queries, Some(score_scale(row.heads)), grad);
            }
            write_head(&row, num_heads + kv_head, &grad_keys, Some(1.0), grad);
            write_head(&row, num_heads + num_kv_heads + kv_head, &grad_values, None, grad);
        }
    }
}

/// Writes a panel's gradient to its place, turned back and scaled when it belongs to a rotated head.
#[inline(always)]
fn write_head(row: &RowInput<'_>, head: usize, panel: &[f32], rotated: Option<f32>, grad: &mut [f32]) {
    let size = row.heads.head_size;
    let lines = grad.chunks_exact_mut(row.heads.qkv_size()).zip(panel.chunks_exact(size));
    for (token, (line, panel)) in lines.enumerate() {
        let line = &mut line[head * size..][..size];
        match rotated {
            Some(scale) => {
                row.rotate(token, panel, line, -1.0);
                line.iter_mut().for_each(|number| *number *= scale);
            }
            None => line.copy_from_slice(panel),
        }
    }
}
