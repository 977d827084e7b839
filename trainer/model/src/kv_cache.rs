//! Keys and values of tokens already read, for rows of different lengths.

use alloc::vec::Vec;

use burn::prelude::*;

use crate::DecoderConfig;

/// Keys and values of every layer and row. Each row has its own length, so rows may advance at different speeds.
#[derive(Clone, Debug)]
pub struct KvCache {
    lens: Vec<usize>,
    capacity: usize,
}

/// Why tokens could not be fed to a [`KvCache`].
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheError {
    /// The batch has another number of rows than the cache.
    #[error("batch has `{batch}` rows but the cache `{cache}`, feed an empty row for rows that wait")]
    Rows {
        /// Rows of the batch.
        batch: usize,
        /// Rows of the cache.
        cache: usize,
    },
    /// A row would outgrow the longest sequence the decoder knows.
    #[error("row `{row}` would hold `{len}` tokens, the decoder reads at most `{max}`")]
    Full {
        /// Which row.
        row: usize,
        /// Its length after feeding.
        len: usize,
        /// `max_seq_len` of the decoder.
        max: usize,
    },
    /// A token id outside the vocabulary.
    #[error("token `{token}` is outside the vocabulary of `{vocab_size}`")]
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
        todo!()
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
        todo!()
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
}
