//! How fast is the clinic? Median of five on one core, whole episodes with creation.

use std::time::{Duration, Instant};

use serde::Serialize;

/// Measurements of which the median counts.
pub const REPETITIONS: usize = 5;

/// A speed: median and range of its measurements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Speed {
    /// Median, per second.
    pub median: f64,
    /// Slowest.
    pub low: f64,
    /// Fastest.
    pub high: f64,
}

/// Runs `work`, which returns how much it did, over and over for at least `duration`, [`REPETITIONS`] times.
pub fn measure(duration: Duration, mut work: impl FnMut() -> u64) -> Speed {
    work();
    let mut speeds: Vec<f64> = (0..REPETITIONS).map(|_| once(duration, &mut work)).collect();
    speeds.sort_by(f64::total_cmp);
    Speed { median: speeds[REPETITIONS / 2], low: speeds[0], high: speeds[REPETITIONS - 1] }
}

fn once(duration: Duration, work: &mut impl FnMut() -> u64) -> f64 {
    let start = Instant::now();
    let mut done = 0;
    loop {
        done += work();
        let elapsed = start.elapsed();
        if elapsed >= duration {
            return done as f64 / elapsed.as_secs_f64();
        }
    }
}
