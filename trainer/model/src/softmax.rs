//! Exponentials and what is built on them, written so that compilers turn them into vector code. Basic arithmetic in a
//! fixed order only: the same bits on every platform.
#![allow(clippy::inline_always, reason = "inside a dispatched function only inlined code gets its vector instructions")]
#![cfg_attr(not(feature = "flex"), allow(dead_code, reason = "the CPU kernels use the rest"))]

/// Numbers that are summed side by side: fixes the order of every sum.
const LANES: usize = 16;

/// `e^x` to a few units in the last place; 0 below -87 and for what is not a number, not above e^88. Range reduction by
/// ln 2, then a polynomial of degree 6 (Taylor).
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    /// Adding this rounds to a whole number in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    let clamped = x.clamp(-87.0, 88.0);
    let rounded = clamped * core::f32::consts::LOG2_E + ROUND;
    let whole = rounded - ROUND;
    let rest = (clamped - whole * 0.693_359_4) - whole * -2.121_944_4e-4;
    let mut sum = 1.0 / 720.0;
    for factor in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        sum = sum * rest + factor;
    }
    let power = f32::from_bits((rounded.to_bits() << 23).wrapping_add(127 << 23));
    if x >= -87.0 { sum * power } else { 0.0 }
}

/// The largest of `row`; minus infinity for an empty one.
#[inline(always)]
pub(crate) fn max(row: &[f32]) -> f32 {
    let (chunks, rest) = row.as_chunks::<LANES>();
    let mut lanes = [f32::NEG_INFINITY; LANES];
    for chunk in chunks {
        for (lane, &number) in lanes.iter_mut().zip(chunk) {
            *lane = if number > *lane { number } else { *lane };
        }
    }
    lanes.iter().chain(rest).fold(f32::NEG_INFINITY, |best, &number| if number > best { number } else { best })
}

/// The sum of `f` over `row`, in a fixed order.
#[inline(always)]
pub(crate) fn sum_by(row: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    let (chunks, rest) = row.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for chunk in chunks {
        for (lane, &number) in lanes.iter_mut().zip(chunk) {
            *lane += f(number);
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().map(|&number| f(number)).sum::<f32>()
}

/// The sum of `f` over the pairs of two rows of equal length, in a fixed order.
#[inline(always)]
pub(crate) fn sum_pairs(left: &[f32], right: &[f32], f: impl Fn(f32, f32) -> f32) -> f32 {
    let (left_chunks, left_rest) = left.as_chunks::<LANES>();
    let (right_chunks, right_rest) = right.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for (left, right) in left_chunks.iter().zip(right_chunks) {
        for (lane, (&left, &right)) in lanes.iter_mut().zip(left.iter().zip(right)) {
            *lane += f(left, right);
        }
    }
    let rest = left_rest.iter().zip(right_rest).map(|(&left, &right)| f(left, right)).sum::<f32>();
    lanes.iter().sum::<f32>() + rest
}

/// Turns scores into weights `exp(score - largest)` in place; returns their sum, and the sum of
/// `weight * (score - largest)`.
#[inline(always)]
pub(crate) fn to_weights(row: &mut [f32], largest: f32) -> (f32, f32) {
    let (chunks, rest) = row.as_chunks_mut::<LANES>();
    let (mut sums, mut products) = ([0.0; LANES], [0.0; LANES]);
    for chunk in chunks {
        for ((number, sum), product) in chunk.iter_mut().zip(&mut sums).zip(&mut products) {
            let score = *number - largest;
            *number = exp(score);
            *sum += *number;
            *product += *number * score;
        }
    }
    let (mut sum, mut product) = (sums.iter().sum::<f32>(), products.iter().sum::<f32>());
    for number in rest {
        let score = *number - largest;
        *number = exp(score);
        sum += *number;
        product += *number * score;
    }
    (sum, product)
}

/// Multiplies every number of `row`.
#[inline(always)]
pub(crate) fn scale(row: &mut [f32], factor: f32) {
    for number in row {
        *number *= factor;
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "whole numbers are exact")]
mod tests {
    use super::*;

    #[test]
    fn exp_agrees_with_libm() {
        for step in -8_600..=8_700 {
            let x = step as f32 * 0.01;
            let (got, want) = (f64::from(exp(x)), libm::exp(f64::from(x)));
            assert!((got / want - 1.0).abs() < 4e-7, "{x}: {got} {want}");
        }
        assert_eq!([f32::NEG_INFINITY, f32::NAN, -1000.0, 0.0].map(exp), [0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn sums_and_maxima_cover_the_whole_row() {
        let row: alloc::vec::Vec<f32> = (0..37).map(|index| index as f32).collect();
        assert_eq!(sum_by(&row, |x| x), 666.0);
        assert_eq!(sum_pairs(&row, &row, |x, y| x - y + 1.0), 37.0);
        assert_eq!(max(&row), 36.0);
    }
}
