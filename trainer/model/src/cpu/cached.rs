//! Attention of a few new tokens over a row's cached keys and values.

use alloc::vec;
use alloc::vec::Vec;

use pulp::{Arch, Simd, WithSimd};

use super::BLOCK;
use super::attention::{rotate, score_scale};
use super::matmul::{ROWS, Strided, matmul, transpose};
use super::parallel::{for_each, split_lens};
use crate::layout::{Heads, Layout};
use crate::softmax::{max, scale, to_weights};

/// Writes the new keys and values of every row into the cache (`keys` and `values`, `[rows, capacity, kv_size]`) and
/// attends over it: `qkv` `[n, qkv_size]` to `[n, hidden_size]`.
pub(crate) fn forward(qkv: &[f32], layout: &Layout, keys: &mut [f32], values: &mut [f32], capacity: usize) -> Vec<f32> {
    let heads = layout.heads;
    let num_tokens = qkv.len() / heads.qkv_size();
    let mut out = vec![0.0; num_tokens * heads.hidden_size()];
    let outs = split_lens(&mut out, layout.rows.iter().map(|row| row.tokens.len() * heads.hidden_size()));
    let row_size = capacity * heads.kv_size();
    let caches = keys.chunks_mut(row_size).zip(values.chunks_mut(row_size));
    let half = heads.head_size / 2;
    let tasks = layout.rows.iter().zip(outs.into_iter().zip(caches)).filter(|(row, _)| !row.tokens.is_empty());
    let tasks = tasks.map(|(row, (out, (keys, values)))| CachedRow {
        qkv: &qkv[row.tokens.start * heads.qkv_size()..row.tokens.end * heads.qkv_size()],
        cos: &layout.cos[row.tokens.start * half..row.tokens.end * half],
        sin: &layout.sin[row.tokens.start * half..row.tokens.end * half],
        heads,
        past_len: row.past_len,
        keys,
        values,
        out,
    });
    let arch = Arch::new();
    for_each(tasks.collect(), |task| arch.dispatch(task));
    out
}

struct CachedRow<'a> {
    qkv: &'a [f32],
    cos: &'a [f32],
    sin: &'a [f32],
    heads: Heads,
    past_len: usize,
    keys: &'a mut [f32],
    values: &'a mut [f32],
    out: &'a mut [f32],
}

impl WithSimd for CachedRow<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        self.write();
        let Heads { num_heads, num_kv_heads, head_size } = self.heads;
        let groups = num_heads / num_kv_heads;
        let num_new = self.qkv.len() / self.heads.qkv_size();
        let len = self.past_len + num_new;
        let padded = len.next_multiple_of(BLOCK);
        // Queries of one key head: each new token's heads of that group, one line each.
        let num_lines = (groups * num_new).next_multiple_of(ROWS);
        let mut queries = vec![0.0; num_lines * head_size];
        let mut head_out = vec![0.0; num_lines * head_size];
        let mut scores = vec![0.0; num_lines * padded];
        let mut keys_t = if num_lines == ROWS { Vec::new() } else { vec![0.0; padded * head_size] };
        let kv_size = self.heads.kv_size();
        for kv_head in 0..num_kv_heads {
            self.copy_queries(kv_head, &mut queries);
            let keys = &self.keys[kv_head * head_size..];
            if num_lines == ROWS {
                score_few(simd, &queries, [groups * num_new, head_size, len], keys, kv_size, &mut scores, padded);
            } else {
                transpose_strided(keys, kv_size, len, head_size, &mut keys_t, padded);
                let lines = Strided { numbers: &queries, row_stride: head_size, column_stride: 1 };
                matmul(simd, [num_lines, head_size, padded], lines, &keys_t, padded, &mut scores, padded, false);
            }
            for (line, scores) in scores.chunks_exact_mut(padded).take(groups * num_new).enumerate() {
                let visible = self.past_len + line / groups + 1;
                let largest = max(&scores[..visible]);
                let (sum, _) = to_weights(&mut scores[..visible], largest);
                scores[visible..].fill(0.0);
                scale(&mut scores[..visible], 1.0 / sum);
            }
            let weights = Strided { numbers: &scores, row_stride: padded, column_stride: 1 };
            let values = &self.values[kv_head * head_size..];
            matmul(simd, [num_lines, len, head_size], weights, values, kv_size, &mut head_out, head_size, false);
            for (line, head_out) in head_out.chunks_exact(head_size).take(groups * num_new).enumerate() {
                let head = kv_head * groups + line % groups;
                self.out[(line / groups * num_heads + head) * head_size..][..head_size].copy_from_slice(head_out);
            }
        }
    }
}

impl CachedRow<'_> {
    /// Puts the new tokens' rotated keys and their values behind what the cache holds.
    #[inline(always)]
    fn write(&mut self) {
        let Heads { num_heads, head_size, .. } = self.heads;
        let (kv_size, half) = (self.heads.kv_size(), head_size / 2);
        for (token, line) in self.qkv.chunks_exact(self.heads.qkv_size()).enumerate() {
            let (keys, values) = line[num_heads * head_size..].split_at(kv_size);
            let place = (self.past_len + token) * kv_size;
            let targets = self.keys[place..place + kv_size].chunks_exact_mut(head_size);
            for (from, to) in keys.chunks_exact(head_size).zip(targets) {
                rotate(from, to, &self.cos[token * half..][..half], &self.sin[token * half..][..half], [1.0; 2]);
            }
            self.values[place..place + kv_size].copy_from_slice(values);
        }
    }

    #[inline(always)]
    fn copy_queries(&self, kv_head: usize, queries: &mut [f32]) {
        let Heads { num_heads, num_kv_heads, head_size } = self.heads;
        let (groups, half) = (num_heads / num_kv_heads, head_size / 2);
        let query_scale = score_scale(self.heads);
        for (line, out) in queries.chunks_exact_mut(head_size).enumerate() {
            let (token, head) = (line / groups, kv_head * groups + line % groups);
            let Some(from) = self.qkv.get(token * self.heads.qkv_size() + head * head_size..) else { break };
            if from.len() < head_size {
                break;
            }
            let (cos, sin) = (&self.cos[token * half..][..half], &self.sin[token * half..][..half]);
            rotate(&from[..head_size], out, cos, sin, [query_scale; 2]);
        }
    }
}

/// Scores of up to [`ROWS`] queries with `len` keys that are `stride` apart: with so few queries, transposing the keys
/// costs more than it saves.
#[inline(always)]
fn score_few<S: Simd>(
    simd: S,
    queries: &[f32],
    [num_queries, head_size, len]: [usize; 3],
    keys: &[f32],
    stride: usize,
    scores: &mut [f32],
    scores_stride: usize,
) {
    let queries: [&[S::f32s]; ROWS] =
        core::array::from_fn(|row| S::as_simd_f32s(&queries[row * head_size..][..head_size]).0);
    for (column, key) in keys.chunks(stride).take(len).enumerate() {
        let (key, _) = S::as_simd_f32s(&key[..head_size]);
        for (row, query) in queries.iter().take(num_queries).enumerate() {
            let mut sum = simd.splat_f32s(0.0);
            for (&query, &key) in query.iter().zip(key) {
                sum = simd.mul_add_e_f32s(query, key, sum);
            }
            scores[row * scores_stride + column] = simd.reduce_sum_f32s(sum);
        }
    }
}

/// The first `head_size` of each of `len` lines that are `stride` apart, transposed; the rest of `out` stays.
#[inline(always)]
fn transpose_strided(from: &[f32], stride: usize, len: usize, head_size: usize, out: &mut [f32], out_stride: usize) {
    if stride == head_size {
        return transpose(&from[..len * head_size], head_size, out, out_stride);
    }
    for (row, line) in from.chunks(stride).take(len).enumerate() {
        for (column, &number) in line[..head_size].iter().enumerate() {
            out[column * out_stride + row] = number;
        }
    }
}
