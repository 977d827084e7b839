//! Independent tasks on all cores where threads exist (feature `native`), one after the other elsewhere.

use alloc::vec::Vec;

/// Runs `run` on every task; tasks must not depend on each other.
#[cfg(feature = "native")]
pub(crate) fn for_each<T: Send>(tasks: Vec<T>, run: impl Fn(T) + Sync + Send) {
    use rayon::iter::{IntoParallelIterator, ParallelIterator};
    tasks.into_par_iter().for_each(run);
}

/// Runs `run` on every task; tasks must not depend on each other.
#[cfg(not(feature = "native"))]
pub(crate) fn for_each<T: Send>(tasks: Vec<T>, run: impl Fn(T) + Sync + Send) {
    tasks.into_iter().for_each(run);
}

/// Splits `slice` into consecutive parts of the given lengths.
///
/// # Panics
/// If the lengths add up to more than the slice holds.
pub(crate) fn split_lens(mut slice: &mut [f32], lens: impl Iterator<Item = usize>) -> Vec<&mut [f32]> {
    let mut parts = Vec::new();
    for len in lens {
        let (part, rest) = slice.split_at_mut(len);
        parts.push(part);
        slice = rest;
    }
    parts
}
