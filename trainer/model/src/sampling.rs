//! Choosing the next token on the host, from logits, with a generator that is passed in.

use alloc::vec::Vec;

use rand_core::Rng;

use crate::softmax::exp;

/// How the next token is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Logits are divided by this; 0 (and anything that is not a positive number) takes the most likely token.
    pub temperature: f32,
    /// Only the smallest set of most likely tokens that together reach this probability can be chosen; 1 allows all.
    pub top_p: f32,
}

impl Sampling {
    /// Always the most likely token (the lowest id among equals).
    pub const GREEDY: Self = Self { temperature: 0.0, top_p: 1.0 };
    /// The policy's own distribution.
    pub const PLAIN: Self = Self { temperature: 1.0, top_p: 1.0 };
}

/// A chosen token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampled {
    /// The token's id.
    pub token: u32,
    /// Its log-probability at temperature 1 over the whole vocabulary, whatever temperature and top-p chose it:
    /// what a policy-gradient ratio compares with. Only under [`Sampling::PLAIN`] was it drawn with that probability.
    pub log_prob: f32,
}

/// Draws one token from `logits` `[vocab_size]`. Takes one number from `rng`, none when greedy. A logit that is not a
/// number is never chosen.
///
/// # Panics
/// If `logits` is empty.
pub fn sample(logits: &[f32], sampling: Sampling, rng: &mut impl Rng) -> Sampled {
    assert!(!logits.is_empty(), "sample: no logits");
    let best = most_likely(logits);
    let plain = weights(logits, logits[best], 1.0);
    let token = if sampling.temperature > 0.0 && sampling.temperature.is_finite() {
        if sampling == Sampling::PLAIN {
            draw(&plain, rng)
        } else {
            let mut tempered = weights(logits, logits[best], 1.0 / sampling.temperature);
            if sampling.top_p < 1.0 {
                keep_top(&mut tempered, sampling.top_p);
            }
            draw(&tempered, rng)
        }
    } else {
        best
    };
    let total: f64 = plain.iter().map(|&weight| f64::from(weight)).sum();
    let log_prob = f64::from(logits[token]) - f64::from(logits[best]) - libm::log(total);
    Sampled { token: token as u32, log_prob: log_prob as f32 }
}

/// Log-probabilities of `logits`, their exponentials summed in f64: the same bits on every platform.
pub fn log_softmax(logits: &[f32]) -> Vec<f32> {
    if logits.is_empty() {
        return Vec::new();
    }
    let best = f64::from(logits[most_likely(logits)]);
    let total: f64 = weights(logits, best as f32, 1.0).into_iter().map(f64::from).sum();
    let shift = best + libm::log(total);
    logits.iter().map(|&logit| (f64::from(logit) - shift) as f32).collect()
}

/// The first index of the largest logit.
fn most_likely(logits: &[f32]) -> usize {
    let largest = crate::softmax::max(logits);
    logits.iter().position(|&logit| logit >= largest).unwrap_or(0)
}

/// `exp((logit - max) * scale)`, 0 for what is not a number.
fn weights(logits: &[f32], max: f32, scale: f32) -> Vec<f32> {
    logits.iter().map(|&logit| exp((logit - max) * scale)).collect()
}

/// Zeroes all but the smallest set of largest weights whose share reaches `top_p`; at least one stays.
fn keep_top(weights: &mut [f32], top_p: f32) {
    let total: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    let wanted = total * f64::from(top_p.max(0.0));
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
    let mut reached = 0.0;
    for index in order {
        if reached > 0.0 && reached >= wanted {
            weights[index] = 0.0;
        }
        reached += f64::from(weights[index]);
    }
}

/// An index drawn in proportion to `weights`; the first one when all are zero.
fn draw(weights: &[f32], rng: &mut impl Rng) -> usize {
    const UNIT: f64 = 1.0 / (1_u64 << 53) as f64;
    let total: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    let mut left = (rng.next_u64() >> 11) as f64 * UNIT * total;
    let mut last = 0;
    for (index, &weight) in weights.iter().enumerate() {
        if weight > 0.0 {
            last = index;
            left -= f64::from(weight);
            if left < 0.0 {
                return index;
            }
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    const LOGITS: [f32; 4] = [0.0, 1.0, 3.0, 2.0];

    fn shares(sampling: Sampling) -> [f64; 4] {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut counts = [0.0; 4];
        for _ in 0..40_000 {
            counts[sample(&LOGITS, sampling, &mut rng).token as usize] += 1.0 / 40_000.0;
        }
        counts
    }

    #[test]
    fn log_softmax_matches_a_hand_computed_case() {
        // sum of exponentials: 1 + e + e^3 + e^2 = 31.192874
        let expected = [-3.440_189_6, -2.440_189_6, -0.440_189_7, -1.440_189_7];
        for (got, want) in log_softmax(&LOGITS).iter().zip(expected) {
            assert!((got - want).abs() < 1e-6, "{got} {want}");
        }
    }

    #[test]
    fn greedy_takes_the_first_maximum_and_draws_nothing() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let sampled = sample(&[f32::NAN, 1.0, 3.0, 3.0], Sampling::GREEDY, &mut rng);
        assert_eq!(sampled.token, 2);
        assert_eq!(rng.next_u64(), ChaCha8Rng::seed_from_u64(1).next_u64());
    }

    #[test]
    fn plain_sampling_follows_the_distribution() {
        for (share, log_prob) in shares(Sampling::PLAIN).iter().zip(log_softmax(&LOGITS)) {
            assert!((share - f64::from(libm::expf(log_prob))).abs() < 0.01);
        }
    }

    #[test]
    fn top_p_keeps_the_smallest_sufficient_set() {
        let shares = shares(Sampling { temperature: 1.0, top_p: 0.7 });
        assert_eq!((shares[0], shares[1]), (0.0, 0.0));
        assert!((shares[2] - 0.731).abs() < 0.01);
    }

    #[test]
    fn log_prob_is_of_the_plain_policy_at_any_temperature() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let log_probs = log_softmax(&LOGITS);
        for _ in 0..100 {
            let sampled = sample(&LOGITS, Sampling { temperature: 2.0, top_p: 0.95 }, &mut rng);
            assert!((sampled.log_prob - log_probs[sampled.token as usize]).abs() < 1e-6);
        }
    }

    #[test]
    fn logits_that_are_not_numbers_do_not_panic() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for logits in [[f32::NAN; 2], [f32::NEG_INFINITY; 2], [f32::INFINITY, 0.0]] {
            assert!(sample(&logits, Sampling::PLAIN, &mut rng).token < 2);
        }
    }
}
