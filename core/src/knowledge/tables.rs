//! Shares and weights as written -> parts per million as drawn.

use alloc::{vec, vec::Vec};

use super::schema::Share;
use crate::random::PPM;

/// Youngest and oldest age of each band: child, adult, middle, older.
pub const AGE_BANDS: [(u32, u32); 4] = [(5, 17), (18, 39), (40, 64), (65, 90)];

/// The band of an age in years; ages outside all bands fall to the nearest.
pub fn age_band(age: u32) -> usize {
    AGE_BANDS.iter().position(|&(_, oldest)| age <= oldest).unwrap_or(AGE_BANDS.len() - 1)
}

/// Probabilities are kept off 0 and 1 by this much: nothing is certain except by definition (CLINIC 9).
const FLOOR_PPM: u32 = 200;

impl Share {
    /// The share in an age band.
    pub(super) fn in_band(self, band: usize) -> f64 {
        match self {
            Self::All(share) => share,
            Self::ByBand(shares) => shares[band],
        }
    }

    /// True when every number is a probability.
    pub(super) fn is_probability(self) -> bool {
        (0..4).all(|band| (0.0..=1.0).contains(&self.in_band(band)))
    }

    /// True when no number is negative or not finite, and at least one is positive.
    pub(super) fn is_weight(self) -> bool {
        (0..4).all(|band| self.in_band(band) >= 0.0 && self.in_band(band).is_finite())
            && (0..4).any(|band| self.in_band(band) > 0.0)
    }
}

/// A probability in parts per million, kept off 0 and 1.
pub(super) fn probability_ppm(share: f64) -> u32 {
    ((share * f64::from(PPM)) as u32).clamp(FLOOR_PPM, PPM - FLOOR_PPM)
}

/// Weights as parts per million that sum to exactly one million: largest remainders get what rounding leaves.
/// `None` when a weight is negative or not finite or when all are 0.
pub(super) fn weights_ppm(weights: &[f64]) -> Option<Vec<u32>> {
    let total: f64 = weights.iter().sum();
    if !(total > 0.0 && total.is_finite()) || weights.iter().any(|&weight| weight < 0.0) {
        return None;
    }
    let scaled: Vec<f64> = weights.iter().map(|weight| weight / total * f64::from(PPM)).collect();
    let mut ppm: Vec<u32> = scaled.iter().map(|&value| value as u32).collect();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| {
        let remainder = |index: usize| scaled[index] - f64::from(ppm[index]);
        remainder(b).total_cmp(&remainder(a)).then(a.cmp(&b))
    });
    let missing = PPM - ppm.iter().sum::<u32>().min(PPM);
    for &index in order.iter().cycle().take(missing as usize) {
        ppm[index] += 1;
    }
    Some(ppm)
}

/// `share` of `weights` mixed with the rest of `background`, both scaled to sum 1 first.
pub(super) fn mixed(weights: &[f64], background: &[f64], share: f64) -> Vec<f64> {
    let total = |values: &[f64]| values.iter().sum::<f64>();
    let (own, other) = (total(weights), total(background));
    if own <= 0.0 {
        return background.to_vec();
    }
    let mut result = vec![0.0; weights.len()];
    for (index, slot) in result.iter_mut().enumerate() {
        let back = if other > 0.0 { background[index] / other } else { 0.0 };
        *slot = share * weights[index] / own + (1.0 - share) * back;
    }
    result
}

/// Triangular weights over severity 1 to 10 from lowest, most likely and highest.
pub(super) fn triangular([lowest, mode, highest]: [u32; 3]) -> [f64; 10] {
    let mut weights = [0.0; 10];
    for (index, weight) in weights.iter_mut().enumerate() {
        let value = index as u32 + 1;
        if value < lowest || value > highest {
            continue;
        }
        *weight = if value <= mode {
            f64::from(value - lowest + 1) / f64::from(mode - lowest + 1)
        } else {
            f64::from(highest - value + 1) / f64::from(highest - mode + 1)
        };
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one_million_whatever_rounding_does() {
        for weights in [&[1.0, 1.0, 1.0][..], &[0.3, 0.1, 7.0, 2.0], &[1e-9, 1.0]] {
            assert_eq!(weights_ppm(weights).unwrap().iter().sum::<u32>(), PPM);
        }
        assert_eq!(weights_ppm(&[0.0, 0.0]), None);
        assert_eq!(weights_ppm(&[-1.0, 2.0]), None);
    }

    #[test]
    fn triangular_peaks_at_its_mode() {
        let weights = triangular([3, 5, 9]);
        assert!(weights[0] == 0.0 && weights[9] == 0.0);
        assert!(weights.iter().all(|&weight| weight <= weights[4]));
    }

    #[test]
    fn ages_fall_into_their_band() {
        assert_eq!([5, 17, 18, 64, 65, 200].map(age_band), [0, 0, 1, 2, 3, 3]);
    }
}
