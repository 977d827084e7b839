//! The only caller of `libm`: elementary functions with the same bits on every platform.
//!
//! Sums run in slice order and never use fused multiply-add, so a value computed here is identical on x86-64 and wasm32.

/// Natural exponential.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// Natural logarithm; `-inf` at 0.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// `ln(1 + x)`, accurate for small `x`.
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// Square root.
pub fn sqrt(x: f64) -> f64 {
    libm::sqrt(x)
}

/// Base-10 logarithm.
pub fn log10(x: f64) -> f64 {
    libm::log10(x)
}

/// Base-2 logarithm; `-inf` at 0.
pub fn log2(x: f64) -> f64 {
    libm::log2(x)
}

/// Shannon entropy in bits of weights that need not be normalised; 0 when they sum to 0.
pub fn entropy_bits(weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    if total <= 0.0 {
        return 0.0;
    }
    // H = log2(T) - (1/T) sum w log2 w
    let mut weighted = 0.0;
    for &weight in weights {
        if weight > 0.0 {
            weighted += weight * log2(weight);
        }
    }
    log2(total) - weighted / total
}

/// Scales weights so that they sum to 1; leaves an all-zero slice alone. Returns the sum before.
pub fn normalize(weights: &mut [f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    if total > 0.0 {
        for weight in weights.iter_mut() {
            *weight /= total;
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_of_a_fair_coin_is_one_bit() {
        assert!((entropy_bits(&[3.0, 3.0]) - 1.0).abs() < 1e-15);
        assert!(entropy_bits(&[5.0, 0.0]).abs() < 1e-15);
        assert!(entropy_bits(&[]).abs() < 1e-15);
    }
}
