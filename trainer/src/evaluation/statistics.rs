//! Intervals: Wilson for shares, percentile bootstrap for everything else. All of them 95 %, all of them reproducible.

use std::thread;

use serde::{Deserialize, Serialize};
use workup_core::random::{KeyedRng, Purpose};

/// Resamples of every bootstrap (CLINIC 7).
pub const REPLICATES: u32 = 10_000;
/// Half-width of a 95 % interval in standard deviations.
const Z: f64 = 1.959_963_984_540_054;
/// Seed of the resampling, the same for every evaluation: two runs over the same cases resample the same cases.
const RESAMPLING_SEED: u64 = 0x5eed;

/// A mean with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The estimate itself.
    pub mean: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Share of successes with the Wilson score interval (Wilson, J Am Stat Assoc 1927;22:209); `None` without trials.
pub fn wilson(successes: u64, trials: u64) -> Option<Estimate> {
    if trials == 0 {
        return None;
    }
    let (number, share) = (trials as f64, successes as f64 / trials as f64);
    let square = Z * Z / number;
    let centre = (share + square / 2.0) / (1.0 + square);
    let half = Z / (1.0 + square) * (share * (1.0 - share) / number + square / (4.0 * number)).sqrt();
    Some(Estimate { mean: share, low: (centre - half).max(0.0), high: (centre + half).min(1.0) })
}

/// Percentile bootstrap over cases: `statistic` maps how often each case was drawn to one number per quantity.
///
/// The first number is what [`Estimate::mean`] reports: the statistic with every case drawn once. The result does not depend on
/// `threads`: every resample has random numbers of its own.
pub fn bootstrap<S>(num_cases: usize, threads: usize, statistic: S) -> Vec<Estimate>
where
    S: Fn(&[u32]) -> Vec<f64> + Sync,
{
    let whole = statistic(&vec![1; num_cases]);
    let threads = threads.max(1) as u32;
    let share = |thread: u32| {
        let mut counts = vec![0; num_cases];
        let mut drawn = Vec::new();
        for replicate in (thread..REPLICATES).step_by(threads as usize) {
            resample(&mut counts, replicate);
            drawn.push(statistic(&counts));
        }
        drawn
    };
    let share = &share;
    let drawn: Vec<Vec<f64>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(move || share(thread))).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    whole
        .iter()
        .enumerate()
        .map(|(index, &mean)| interval(mean, drawn.iter().map(|row| row[index]).collect()))
        .collect()
}

/// Mean of paired differences with a bootstrap over cases.
pub fn bootstrap_mean(values: &[f64], threads: usize) -> Estimate {
    bootstrap(values.len(), threads, |counts| vec![weighted_mean(values, counts)])[0]
}

/// Mean of `values` with each counted `counts` times; 0 when nothing is counted.
pub fn weighted_mean(values: &[f64], counts: &[u32]) -> f64 {
    let (mut sum, mut number) = (0.0, 0.0);
    for (value, &count) in values.iter().zip(counts) {
        sum += value * f64::from(count);
        number += f64::from(count);
    }
    if number > 0.0 { sum / number } else { 0.0 }
}

fn resample(counts: &mut [u32], replicate: u32) {
    counts.fill(0);
    let mut rng = KeyedRng::new(RESAMPLING_SEED, Purpose::Auxiliary, u64::from(replicate), 0);
    let bound = counts.len() as u32;
    for _ in 0..bound {
        counts[rng.below(bound) as usize] += 1;
    }
}

fn interval(mean: f64, mut drawn: Vec<f64>) -> Estimate {
    drawn.sort_by(f64::total_cmp);
    Estimate { mean, low: quantile(&drawn, 0.025), high: quantile(&drawn, 0.975) }
}

/// A quantile of sorted numbers, linear between neighbours; NaN of none.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share * last as f64;
    let below = place as usize;
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 8 of 10: 0.490 to 0.943 (Newcombe, Stat Med 1998;17:857, method 3 on the same numbers).
    #[test]
    fn wilson_interval_equals_the_published_one() {
        let estimate = wilson(8, 10).unwrap();
        assert!((estimate.low - 0.490_2).abs() < 1e-3 && (estimate.high - 0.943_3).abs() < 1e-3, "{estimate:?}");
        assert_eq!(wilson(0, 0), None);
        assert!(wilson(0, 20).unwrap().low.abs() < 1e-12);
        assert!((wilson(20, 20).unwrap().high - 1.0).abs() < 1e-12);
    }

    #[test]
    fn bootstrap_interval_is_close_to_the_normal_one_for_many_cases() {
        let values: Vec<f64> = (0..1_000).map(|index| f64::from(index % 10)).collect();
        let estimate = bootstrap_mean(&values, 2);
        let half = Z * (8.25f64 / 1_000.0).sqrt();
        assert!((estimate.mean - 4.5).abs() < 1e-12);
        assert!((estimate.high - 4.5 - half).abs() < 0.02, "{estimate:?}");
        assert!((4.5 - estimate.low - half).abs() < 0.02, "{estimate:?}");
    }

    #[test]
    fn bootstrap_does_not_depend_on_the_number_of_threads() {
        let values: Vec<f64> = (0..50).map(|index| f64::from(index * index % 7)).collect();
        assert_eq!(bootstrap_mean(&values, 1), bootstrap_mean(&values, 3));
    }

    #[test]
    fn a_constant_has_an_interval_of_no_width() {
        let estimate = bootstrap_mean(&[0.25; 9], 2);
        assert!((estimate.high - estimate.low).abs() < 1e-15);
    }
}
