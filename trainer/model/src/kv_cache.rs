//! Keys and values of tokens already read, for rows of different lengths.
//!
//! Every row writes at its own length, so its tokens always stand in columns `0..len` and the work per step follows the
//! longest row; nothing needs to be moved when rows advance at different speeds.

use alloc::vec::Vec;

use burn::prelude::*;

use crate::DecoderConfig;

/// Keys and values of every layer and row. Each row has its own length, so rows may advance at different speeds.
#[derive(Clone, Debug)]
pub struct KvCache {
    layers: Vec<LayerCache>,
    lens: Vec<usize>,
}

/// Keys (rotated) and values of one layer, `[rows, capacity, num_kv_heads * head_size]`.
#[derive(Clone, Debug)]
pub(crate) struct LayerCache {
    pub(crate) keys: Tensor<3>,
    pub(crate) values: Tensor<3>,
}

/// Why tokens could not be fed to a decoder.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheError {
    /// No row of the batch has a token.
    #[error("batch holds no token, feed at least one row")]
    Empty,
    /// The batch has another number of rows than the cache.
    #[error("batch has `{batch}` rows but the cache `{cache}`, feed an empty row for rows that wait")]
    Rows {
        /// Rows of the batch.
        batch: usize,
        /// Rows of the cache.
        cache: usize,
    },
    /// A row would outgrow the longest sequence the decoder knows.
    #[error("row `{row}` would hold `{len}` tokens, the decoder reads at most `{max}`: drop or shorten the row")]
    Full {
        /// Which row.
        row: usize,
        /// Its length after feeding.
        len: usize,
        /// `max_seq_len` of the decoder.
        max: usize,
    },
    /// A token id outside the vocabulary.
    #[error(
        "token `{token}` is outside the vocabulary of `{vocab_size}`, use the tokenizer the decoder was trained with"
    )]
    Token {
        /// The id.
        token: u32,
        /// The vocabulary's size.
        vocab_size: usize,
    },
}

impl KvCache {
    /// An empty cache of `num_rows` rows with room for `capacity` tokens each; it grows by itself when a row needs more.
    pub fn new(config: &DecoderConfig, num_rows: usize, capacity: usize, device: &Device) -> Self {
        let capacity = capacity.clamp(1, config.max_seq_len);
        let device = device.clone().without_autodiff();
        let shape = [num_rows, capacity, config.num_kv_heads * config.head_size()];
        let layer = || LayerCache { keys: Tensor::zeros(shape, &device), values: Tensor::zeros(shape, &device) };
        Self { layers: (0..config.num_layers).map(|_| layer()).collect(), lens: alloc::vec![0; num_rows] }
    }

    /// How many tokens each row holds.
    pub fn lens(&self) -> &[usize] {
        &self.lens
    }

    /// How many rows.
    pub fn num_rows(&self) -> usize {
        self.lens.len()
    }

    /// A cache made of these rows, in this order: drops rows that are not named, forks rows named more than once.
    ///
    /// # Panics
    /// If a row does not exist.
    #[must_use]
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        let lens: Vec<usize> = rows.iter().map(|&row| self.lens[row]).collect();
        let indices: Vec<i32> = rows.iter().map(|&row| row as i32).collect();
        let select = |cached: &Tensor<3>| {
            let indices = Tensor::<1, Int>::from_ints(indices.as_slice(), &cached.device());
            cached.clone().select(0, indices)
        };
        let layers =
            self.layers.iter().map(|layer| LayerCache { keys: select(&layer.keys), values: select(&layer.values) });
        Self { layers: layers.collect(), lens }
    }

    /// Every row `times` times, copies of a row side by side: a prompt forked to a group.
    #[must_use]
    pub fn repeat(&self, times: usize) -> Self {
        let rows: Vec<usize> = (0..self.num_rows()).flat_map(|row| core::iter::repeat_n(row, times)).collect();
        self.select_rows(&rows)
    }

    /// Forgets what row `row` holds beyond its first `len` tokens.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn truncate_row(&mut self, row: usize, len: usize) {
        self.lens[row] = self.lens[row].min(len);
    }

    /// Makes room for `new_lens` more tokens per row, at least doubling when it grows, up to `max_len`.
    pub(crate) fn reserve(&mut self, new_lens: impl Iterator<Item = usize>, max_len: usize) {
        let needed = self.lens.iter().zip(new_lens).map(|(old, new)| old + new).max().unwrap_or(0);
        for layer in &mut self.layers {
            let capacity = layer.capacity();
            if needed > capacity {
                layer.grow(needed.max(2 * capacity).min(max_len));
            }
        }
    }

    /// Counts tokens that every layer has written.
    pub(crate) fn advance(&mut self, new_lens: impl Iterator<Item = usize>) {
        for (len, new) in self.lens.iter_mut().zip(new_lens) {
            *len += new;
        }
    }

    pub(crate) fn layers_mut(&mut self) -> &mut [LayerCache] {
        &mut self.layers
    }
}

impl LayerCache {
    /// Room per row, in tokens.
    pub(crate) fn capacity(&self) -> usize {
        self.keys.dims()[1]
    }

    fn grow(&mut self, capacity: usize) {
        let grown = |cached: Tensor<3>| {
            let [num_rows, old, kv_size] = cached.dims();
            let room = Tensor::zeros([num_rows, capacity - old, kv_size], &cached.device());
            Tensor::cat(alloc::vec![cached, room], 1)
        };
        self.keys.inplace(grown);
        self.values.inplace(grown);
    }
}
