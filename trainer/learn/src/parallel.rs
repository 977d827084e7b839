//! A few big independent pieces of work at the same time, results in the order of the pieces.

/// Runs `work` on every piece, in the pool that the CPU kernels use too, so that neither waits for the other.
#[cfg(feature = "native")]
pub(crate) fn in_parallel<T: Sync, R: Send>(pieces: &[T], work: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
    pieces.par_iter().with_max_len(1).map(work).collect()
}

/// Runs `work` on every piece, one after the other.
#[cfg(not(feature = "native"))]
pub(crate) fn in_parallel<T: Sync, R: Send>(pieces: &[T], work: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    pieces.iter().map(work).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_pieces() {
        assert_eq!(in_parallel(&[3, 1, 2], |piece| piece * 10), [30, 10, 20]);
        assert_eq!(in_parallel(&[0; 0], |piece| *piece), [0; 0]);
    }
}
