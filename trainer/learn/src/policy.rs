//! What the rollout engine needs from a model, the decoder as such a policy, and choosing a token from logits.

use burn::module::Module;
use burn::prelude::*;
use rand_core::Rng;
use workup_model::{CacheError, Decoder, KvCache, RaggedBatch};

/// Next-token logits for many rows at once, each row with a history of its own.
pub trait Policy {
    /// What the policy remembers of every row.
    type Cache;
    /// Why tokens could not be fed.
    type Error;

    /// A memory of `num_rows` empty rows.
    fn new_cache(&self, num_rows: usize) -> Self::Cache;

    /// Feeds row `i` of `batch` to row `i` of the cache; an empty row waits. Returns logits `[k, vocab_size]`,
    /// row-major, after the last new token of each of the `k` rows that fed one, in row order.
    ///
    /// # Errors
    /// When a row cannot take the tokens.
    fn next_logits(&self, batch: &RaggedBatch, cache: &mut Self::Cache) -> Result<Vec<f32>, Self::Error>;

    /// A memory made of these rows in this order; rows may be dropped or named more than once.
    fn select_rows(&self, cache: &Self::Cache, rows: &[usize]) -> Self::Cache;
}

/// A decoder without gradients, ready for rollouts.
#[derive(Debug)]
pub struct DecoderPolicy {
    decoder: Decoder,
    device: Device,
    capacity: usize,
}

impl DecoderPolicy {
    /// The present weights of `decoder`, for rows of up to `capacity` tokens (longer ones only cost a reallocation).
    pub fn new(decoder: &Decoder, capacity: usize) -> Self {
        let plain = decoder.clone().valid();
        let device = plain.devices().into_iter().next().unwrap_or_default();
        Self { decoder: plain, device, capacity }
    }
}

impl Policy for DecoderPolicy {
    type Cache = KvCache;
    type Error = CacheError;

    fn new_cache(&self, num_rows: usize) -> KvCache {
        KvCache::new(self.decoder.config(), num_rows, self.capacity, &self.device)
    }

    fn next_logits(&self, batch: &RaggedBatch, cache: &mut KvCache) -> Result<Vec<f32>, CacheError> {
        let logits = self.decoder.next_logits(batch, cache)?;
        let data = logits.into_data();
        Ok(data.iter::<f32>().collect())
    }

    fn select_rows(&self, cache: &KvCache, rows: &[usize]) -> KvCache {
        cache.select_rows(rows)
    }
}

/// One token chosen by [`choose_token`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Choice {
    /// The token's id.
    pub(crate) token: u32,
    /// Its log-probability at temperature 1.
    pub(crate) log_prob: f32,
    /// Entropy of the whole distribution in nats.
    pub(crate) entropy: f64,
}

/// Chooses from `logits` `[vocab_size]` by one draw at temperature 1, or the most likely token (lowest id among equals)
/// without a generator; `None` if a logit is not finite. `scratch` saves an allocation per token.
///
/// Log-probability and entropy fall out of the same pass, which is why this is not `workup_model::sample`.
pub(crate) fn choose_token<R: Rng>(logits: &[f32], rng: Option<&mut R>, scratch: &mut Vec<f32>) -> Option<Choice> {
    let (mut best, mut max) = (0, f32::NEG_INFINITY);
    for (token, &logit) in logits.iter().enumerate() {
        if !logit.is_finite() {
            return None;
        }
        if logit > max {
            (best, max) = (token, logit);
        }
    }
    scratch.clear();
    scratch.extend(logits.iter().map(|logit| (logit - max).exp()));
    let (mut total, mut weighted) = (0.0f64, 0.0f64);
    for (&mass, &logit) in scratch.iter().zip(logits) {
        total += f64::from(mass);
        weighted += f64::from(mass) * f64::from(logit - max);
    }
    let token = match rng {
        Some(rng) => draw(scratch, total, rng),
        None => best,
    };
    let log_total = total.ln();
    let log_prob = (f64::from(logits[token] - max) - log_total) as f32;
    Some(Choice { token: token as u32, log_prob, entropy: log_total - weighted / total })
}

/// Inverse of the cumulative sum of `masses` at one uniform draw of 53 bits.
fn draw<R: Rng>(masses: &[f32], total: f64, rng: &mut R) -> usize {
    let uniform = (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let mut left = uniform * total;
    let mut last = 0;
    for (token, &mass) in masses.iter().enumerate() {
        if mass > 0.0 {
            last = token;
            left -= f64::from(mass);
            if left < 0.0 {
                break;
            }
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    #[test]
    fn frequencies_match_the_softmax_and_log_probs_are_its_logarithm() {
        let masses = [0.5f32, 0.2, 0.3];
        let logits = masses.map(f32::ln);
        let (mut counts, mut rng, mut scratch) = ([0u32; 3], ChaCha8Rng::seed_from_u64(3), Vec::new());
        for _ in 0..20_000 {
            let choice = choose_token(&logits, Some(&mut rng), &mut scratch).unwrap();
            counts[choice.token as usize] += 1;
            assert!((choice.log_prob - logits[choice.token as usize]).abs() < 1e-6);
            assert!((choice.entropy - 1.029_653).abs() < 1e-5);
        }
        for (count, mass) in counts.into_iter().zip(masses) {
            assert!((f64::from(count) / 20_000.0 - f64::from(mass)).abs() < 0.02, "{counts:?}");
        }
    }

    #[test]
    fn greedy_takes_the_first_of_the_most_likely() {
        let choice = choose_token::<ChaCha8Rng>(&[0.0, 2.0, 2.0], None, &mut Vec::new()).unwrap();
        assert_eq!(choice.token, 1);
    }

    #[test]
    fn logits_that_are_not_finite_are_refused() {
        for bad in [f32::NAN, f32::INFINITY] {
            assert_eq!(choose_token::<ChaCha8Rng>(&[0.0, bad], None, &mut Vec::new()), None);
        }
    }
}
