//! Rows of different lengths laid end to end, so that no work goes into padding.

use alloc::vec::Vec;
use core::ops::Range;

/// Token rows of different lengths, laid end to end. A row may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaggedBatch {
    tokens: Vec<u32>,
    /// Where each row starts, and the end of the last one: one more than there are rows.
    starts: Vec<usize>,
}

impl Default for RaggedBatch {
    fn default() -> Self {
        Self { tokens: Vec::new(), starts: alloc::vec![0] }
    }
}

impl RaggedBatch {
    /// Lays `rows` end to end.
    pub fn from_rows<R: AsRef<[u32]>>(rows: impl IntoIterator<Item = R>) -> Self {
        let mut batch = Self::default();
        for row in rows {
            batch.push(row.as_ref());
        }
        batch
    }

    /// Appends one row, which may be empty.
    pub fn push(&mut self, row: &[u32]) {
        self.tokens.extend_from_slice(row);
        self.starts.push(self.tokens.len());
    }

    /// How many rows, empty ones included.
    pub fn num_rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many tokens all rows hold together.
    pub fn num_tokens(&self) -> usize {
        self.tokens.len()
    }

    /// All tokens, row after row.
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// Where the tokens of row `row` stand in [`tokens`](Self::tokens), and its hidden states in a decoder's output.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn range(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// The length of each row.
    pub fn row_lens(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.starts.windows(2).map(|pair| pair[1] - pair[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_order_and_empty_rows_count() {
        let batch = RaggedBatch::from_rows([&[1, 2][..], &[], &[3]]);
        assert_eq!(batch.num_rows(), 3);
        assert_eq!(batch.tokens(), [1, 2, 3]);
        assert_eq!(batch.range(1), 2..2);
        assert_eq!(batch.row_lens().collect::<Vec<_>>(), [2, 0, 1]);
    }
}
