//! Independent pieces of work on all cores, with results in the order of the pieces whatever thread did which.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use crate::progress::Progress;

/// Pieces a thread takes at a time.
const BATCH: usize = 8;

/// How many threads to use by default: one per core.
pub fn available_threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// `work(worker, index)` for every index below `count`; every thread has a `worker` of its own.
pub fn map<T, W>(
    count: usize,
    threads: usize,
    progress: &dyn Progress,
    worker: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, usize) -> T + Sync,
) -> Vec<T>
where
    T: Send,
{
    let next = AtomicUsize::new(0);
    let run = || {
        let mut worker = worker();
        let mut done = Vec::new();
        loop {
            let start = next.fetch_add(BATCH, Ordering::Relaxed);
            if start >= count {
                return done;
            }
            let end = (start + BATCH).min(count);
            done.extend((start..end).map(|index| (index, work(&mut worker, index))));
            progress.advance((end - start) as u64);
        }
    };
    let mut results: Vec<(usize, T)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(run)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    #[test]
    fn results_stand_in_the_order_of_the_pieces() {
        let squares = map(1_000, 3, &Silent, || (), |(), index| index * index);
        assert!(squares.iter().enumerate().all(|(index, square)| *square == index * index));
        assert_eq!(squares.len(), 1_000);
        assert!(map(0, 2, &Silent, || (), |(), index| index).is_empty());
    }
}
