//! Where the tokens of a ragged batch stand: their rows, positions and rotary angles. Made once per forward pass.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use burn::prelude::*;

use crate::{DecoderConfig, RaggedBatch};

/// One row of a batch: which tokens are new, and how many came before them.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Where the row's new tokens stand in the batch.
    pub(crate) tokens: Range<usize>,
    /// How many tokens the cache already holds for it.
    pub(crate) past_len: usize,
}

/// Head counts and widths.
#[allow(clippy::struct_field_names, reason = "the config's own names")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heads {
    pub(crate) num_heads: usize,
    pub(crate) num_kv_heads: usize,
    pub(crate) head_size: usize,
}

#[cfg(feature = "flex")]
impl Heads {
    /// Width of the queries, and of the output.
    pub(crate) fn hidden_size(self) -> usize {
        self.num_heads * self.head_size
    }

    /// Width of the keys, and of the values.
    pub(crate) fn kv_size(self) -> usize {
        self.num_kv_heads * self.head_size
    }

    /// Width of queries, keys and values side by side.
    pub(crate) fn qkv_size(self) -> usize {
        self.hidden_size() + 2 * self.kv_size()
    }
}

/// The layout of one ragged batch. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) heads: Heads,
    pub(crate) rows: Arc<[Row]>,
    /// Cosines of the rotary angles, `[n, head_size / 2]`.
    pub(crate) cos: Arc<[f32]>,
    /// Sines of the rotary angles, `[n, head_size / 2]`.
    pub(crate) sin: Arc<[f32]>,
    /// What the composed operations need; `None` on the CPU.
    pub(crate) tensors: Option<LayoutTensors>,
}

/// The layout as tensors: rows padded to the longest one on the right.
#[derive(Clone, Debug)]
pub(crate) struct LayoutTensors {
    /// Cosines `[n, 1, head_size / 2]`.
    pub(crate) cos: Tensor<3>,
    /// Sines `[n, 1, head_size / 2]`.
    pub(crate) sin: Tensor<3>,
    /// For each padded place `[rows * width]`, the token that stands there; padding repeats token 0.
    pub(crate) pad: Tensor<1, Int>,
    /// For each token `[n]`, its padded place.
    pub(crate) unpad: Tensor<1, Int>,
    /// Positions of the padded places `[rows, width]`; 0 for padding.
    pub(crate) positions: Tensor<2, Int>,
    /// The row of each token `[n]` and its position, on the host.
    pub(crate) slots: Arc<[(usize, usize)]>,
}

impl Layout {
    /// The layout of `batch` when row `i` already holds `past_lens[i]` tokens.
    pub(crate) fn new(config: &DecoderConfig, batch: &RaggedBatch, past_lens: &[usize], device: &Device) -> Self {
        let rows: Arc<[Row]> =
            past_lens.iter().enumerate().map(|(row, &past_len)| Row { tokens: batch.range(row), past_len }).collect();
        let heads =
            Heads { num_heads: config.num_heads, num_kv_heads: config.num_kv_heads, head_size: config.head_size() };
        let (cos, sin) = rotary_angles(&rows, heads.head_size / 2, config.rope_theta);
        let mut layout = Self { heads, rows, cos, sin, tensors: None };
        if !crate::ops::is_fused(device, heads) {
            layout.tensors = Some(layout.to_tensors(device));
        }
        layout
    }

    pub(crate) fn to_tensors(&self, device: &Device) -> LayoutTensors {
        let width = self.rows.iter().map(|row| row.tokens.len()).max().unwrap_or(0);
        let num_rows = self.rows.len();
        let half = self.heads.head_size / 2;
        let num_tokens = self.cos.len() / half;
        let (mut pad, mut positions) = (alloc::vec![0_i32; num_rows * width], alloc::vec![0_i32; num_rows * width]);
        let mut unpad = Vec::with_capacity(num_tokens);
        let mut slots = Vec::with_capacity(num_tokens);
        for (row_index, row) in self.rows.iter().enumerate() {
            for (offset, token) in row.tokens.clone().enumerate() {
                let place = row_index * width + offset;
                pad[place] = token as i32;
                positions[place] = (row.past_len + offset) as i32;
                unpad.push(place as i32);
                slots.push((row_index, row.past_len + offset));
            }
        }
        let table = |angles: &[f32]| Tensor::<1>::from_floats(angles, device).reshape([num_tokens, 1, half]);
        LayoutTensors {
            cos: table(&self.cos),
            sin: table(&self.sin),
            pad: Tensor::from_ints(pad.as_slice(), device),
            unpad: Tensor::from_ints(unpad.as_slice(), device),
            positions: Tensor::<1, Int>::from_ints(positions.as_slice(), device).reshape([num_rows, width]),
            slots: slots.into(),
        }
    }

    /// The longest row, past tokens included.
    pub(crate) fn max_len(&self) -> usize {
        self.rows.iter().map(|row| row.past_len + row.tokens.len()).max().unwrap_or(0)
    }
}

/// Cosines and sines of `position * theta^(-i / half)` for `i` below `half`, one line per token, computed in f64.
fn rotary_angles(rows: &[Row], half: usize, theta: f64) -> (Arc<[f32]>, Arc<[f32]>) {
    let frequencies: Vec<f64> = (0..half).map(|index| libm::pow(theta, -(index as f64) / half as f64)).collect();
    let line = |position: usize| {
        frequencies.iter().map(move |frequency| {
            let angle = position as f64 * frequency;
            (libm::cos(angle) as f32, libm::sin(angle) as f32)
        })
    };
    let reading = rows.iter().filter(|row| !row.tokens.is_empty());
    let first = reading.clone().map(|row| row.past_len).min().unwrap_or(0);
    let end = reading.clone().map(|row| row.past_len + row.tokens.len()).max().unwrap_or(0);
    let positions = reading.flat_map(|row| row.past_len..row.past_len + row.tokens.len());
    let (cos, sin): (Vec<f32>, Vec<f32>) = if positions.clone().count() < end - first {
        positions.flat_map(line).unzip()
    } else {
        // Rows overlap: every position once, then copies.
        let table: Vec<(f32, f32)> = (first..end).flat_map(line).collect();
        let places = positions.flat_map(|position| (position - first) * half..(position - first + 1) * half);
        places.map(|place| table[place]).unzip()
    };
    (cos.into(), sin.into())
}
