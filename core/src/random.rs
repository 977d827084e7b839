//! Keyed randomness: every draw comes from a stream named by purpose, key and occurrence, never from a shared sequence.
//!
//! The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
//! Counter layout (CLINIC 1): `(key.lo, key.hi, purpose << 16 | occurrence, draw index)`; generator key: the scenario seed.

use core::convert::Infallible;

use rand_core::{Rng, TryRng};

const MULTIPLIER_0: u32 = 0xD251_1F53;
const MULTIPLIER_1: u32 = 0xCD9E_8D57;
const WEYL_0: u32 = 0x9E37_79B9;
const WEYL_1: u32 = 0xBB67_AE85;

/// What a random number is drawn for. Values are fixed for ever and never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Purpose {
    /// Seeds of scenarios from a master seed.
    ScenarioSeed = 0,
    /// Disease, variant, age and sex, chief complaint.
    Case = 1,
    /// Whether a finding is present.
    Finding = 2,
    /// The value of an attribute of a finding.
    Attribute = 3,
    /// The latent pattern of a panel.
    Pattern = 4,
    /// The band of an analyte given its panel's pattern.
    Band = 5,
    /// The printed number given its band.
    Number = 6,
    /// Personality, language proficiency and recall.
    Persona = 7,
    /// Which noise strikes a patient's answer, and how.
    PatientNoise = 8,
    /// Findings forgotten in open questions.
    Forgotten = 9,
    /// Which noise strikes an exam report, and how.
    ExamNoise = 10,
    /// The `paper` plan of patient noise.
    PaperPatientPlan = 11,
    /// The `paper` plan of exam noise.
    PaperExamPlan = 12,
    /// Choice among phrases of the same meaning.
    Wording = 13,
    /// Answers withheld by persona.
    Deflection = 14,
    /// Actions of scripted and random clinicians.
    Clinician = 15,
    /// Token sampling of a trained policy.
    Sampling = 16,
    /// Shuffling of training data.
    Shuffle = 17,
    /// Free choices of tools and tests (probes, bootstrap).
    Auxiliary = 18,
}

const ROUNDS: u32 = 10;

#[inline]
fn one_round(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let product_0 = u64::from(MULTIPLIER_0) * u64::from(counter[0]);
    let product_1 = u64::from(MULTIPLIER_1) * u64::from(counter[2]);
    [
        (product_1 >> 32) as u32 ^ counter[1] ^ key[0],
        product_1 as u32,
        (product_0 >> 32) as u32 ^ counter[3] ^ key[1],
        product_0 as u32,
    ]
}

#[inline]
fn next_key([first, second]: [u32; 2]) -> [u32; 2] {
    [first.wrapping_add(WEYL_0), second.wrapping_add(WEYL_1)]
}

/// One block of Philox4x32-10: ten rounds on a 128-bit counter under a 64-bit key.
#[inline]
pub fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for round in 0..ROUNDS {
        if round > 0 {
            key = next_key(key);
        }
        counter = one_round(counter, key);
    }
    counter
}

/// The first words of several streams that differ in their key alone: what [`KeyedRng::draw`] gives for each, worked out side by
/// side: the steps of one stream wait for each other, those of several do not.
#[inline]
pub fn first_words<const N: usize>(seed: u64, purpose: Purpose, keys: [u64; N], occurrence: u16) -> [u32; N] {
    let mut key = [seed as u32, (seed >> 32) as u32];
    let third = u32::from(purpose as u16) << 16 | u32::from(occurrence);
    let mut counters = keys.map(|key| [key as u32, (key >> 32) as u32, third, 0]);
    for round in 0..ROUNDS {
        if round > 0 {
            key = next_key(key);
        }
        counters = counters.map(|counter| one_round(counter, key));
    }
    counters.map(|counter| counter[0])
}

/// The keyed stream of one (seed, purpose, key, occurrence); implements the traits of `rand`.
#[derive(Clone, Debug)]
pub struct KeyedRng {
    seed: [u32; 2],
    counter: [u32; 4],
    block: [u32; 4],
    /// Words of `block` already handed out; 4 asks for a new block.
    used: u8,
}

impl KeyedRng {
    /// The stream for `key` (see [`crate::digest::key`]) and the `occurrence`-th use of it.
    #[inline]
    pub fn new(seed: u64, purpose: Purpose, key: u64, occurrence: u16) -> Self {
        Self {
            seed: [seed as u32, (seed >> 32) as u32],
            counter: [key as u32, (key >> 32) as u32, u32::from(purpose as u16) << 16 | u32::from(occurrence), 0],
            block: [0; 4],
            used: 4,
        }
    }

    /// The next 32 random bits.
    #[inline]
    pub fn draw(&mut self) -> u32 {
        if self.used == 4 {
            self.block = philox(self.counter, self.seed);
            self.counter[3] = self.counter[3].wrapping_add(1);
            self.used = 0;
        }
        let word = self.block[self.used as usize];
        self.used += 1;
        word
    }

    /// A whole number below `bound` (0 when `bound` is 0), by multiplication and shift; bias below 2^-32 times `bound`.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        scale(self.draw(), bound)
    }

    /// True with probability `ppm` in a million.
    #[inline]
    pub fn happens(&mut self, ppm: u32) -> bool {
        happens(self.draw(), ppm)
    }

    /// An index with probability proportional to its weight; 0 when all weights are 0. The weights' sum must fit `u32`.
    #[inline]
    pub fn weighted(&mut self, weights: &[u32]) -> usize {
        let total: u32 = weights.iter().sum();
        let mut rest = self.below(total);
        for (index, &weight) in weights.iter().enumerate() {
            if rest < weight {
                return index;
            }
            rest -= weight;
        }
        0
    }
}

/// A random word as a whole number below `bound`.
#[inline]
fn scale(word: u32, bound: u32) -> u32 {
    ((u64::from(word) * u64::from(bound)) >> 32) as u32
}

/// Whether what has a probability of `ppm` in a million happens, given a random word: what [`KeyedRng::happens`] makes of it.
#[inline]
pub fn happens(word: u32, ppm: u32) -> bool {
    scale(word, PPM) < ppm
}

/// One million: the denominator of every probability in sampling.
pub const PPM: u32 = 1_000_000;

impl TryRng for KeyedRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.draw())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let low = u64::from(self.draw());
        Ok(low | u64::from(self.draw()) << 32)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(4) {
            let word = self.draw().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        Ok(())
    }
}

/// A split of the scenario space of a master seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// Scenarios to learn from.
    Train,
    /// Scenarios to choose models and thresholds on.
    Validation,
    /// Scenarios to report on.
    Test,
}

/// The scenario seed of case `index` in `split` of `master`: a Philox draw of (m, s, i), CLINIC 1.
pub fn scenario_seed(master: u64, split: Split, index: u64) -> u64 {
    let mut rng = KeyedRng::new(master, Purpose::ScenarioSeed, index, split as u16);
    rng.next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn philox_reproduces_the_known_answers() {
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(philox([u32::MAX; 4], [u32::MAX; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        assert_eq!(
            philox([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn streams_side_by_side_are_the_streams_one_by_one() {
        let keys = [0, 1, 0x1234_5678_9abc_def0, u64::MAX];
        for seed in [0, 7, u64::MAX] {
            let one_by_one = keys.map(|key| KeyedRng::new(seed, Purpose::Finding, key, 3).draw());
            assert_eq!(first_words(seed, Purpose::Finding, keys, 3), one_by_one);
        }
    }

    #[test]
    fn streams_of_different_purpose_key_or_occurrence_differ() {
        let first = |purpose, key, occurrence| KeyedRng::new(7, purpose, key, occurrence).next_u64();
        let base = first(Purpose::Case, 1, 0);
        assert_ne!(base, first(Purpose::Finding, 1, 0));
        assert_ne!(base, first(Purpose::Case, 2, 0));
        assert_ne!(base, first(Purpose::Case, 1, 1));
    }

    #[test]
    fn weighted_draws_follow_their_weights() {
        let mut counts = [0u32; 3];
        for key in 0..30_000 {
            counts[KeyedRng::new(1, Purpose::Auxiliary, key, 0).weighted(&[1, 0, 2])] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!((9_500..10_500).contains(&counts[0]), "{counts:?}");
        assert_eq!(KeyedRng::new(1, Purpose::Auxiliary, 0, 0).weighted(&[0, 0]), 0);
    }

    #[test]
    fn certain_events_always_happen_and_impossible_ones_never() {
        for key in 0..1_000 {
            assert!(KeyedRng::new(3, Purpose::Auxiliary, key, 0).happens(PPM));
            assert!(!KeyedRng::new(3, Purpose::Auxiliary, key, 0).happens(0));
        }
    }
}
