//! Flags -> numbers, checked where they are typed.

use std::{ops::RangeInclusive, str::FromStr};

/// Most threads that are started: more than a machine has cores gains nothing.
const MAX_THREADS: usize = 1_024;
/// Most scenarios of one evaluation: their outcomes are all kept.
const MAX_CASES: u64 = 10_000_000;
/// Most token ids of a trained vocabulary.
#[cfg(feature = "learn")]
const MAX_VOCAB_SIZE: usize = 1 << 17;
/// Most steps of a stage.
#[cfg(feature = "learn")]
const MAX_STEPS: u64 = 1_000_000_000;

fn number_in<N: FromStr + PartialOrd + std::fmt::Display>(text: &str, range: RangeInclusive<N>) -> Result<N, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("write a number from {} to {}", range.start(), range.end()))
}

/// A number of threads; 0 is one per core.
pub(crate) fn parse_threads(text: &str) -> Result<usize, String> {
    number_in(text, 0..=MAX_THREADS)
}

/// A number of scenarios to evaluate on.
pub(crate) fn parse_cases(text: &str) -> Result<u64, String> {
    number_in(text, 1..=MAX_CASES)
}

/// A number of token ids.
#[cfg(feature = "learn")]
pub(crate) fn parse_vocab_size(text: &str) -> Result<usize, String> {
    number_in(text, 1..=MAX_VOCAB_SIZE)
}

/// A number of training steps.
#[cfg(feature = "learn")]
pub(crate) fn parse_steps(text: &str) -> Result<u64, String> {
    number_in(text, 1..=MAX_STEPS)
}

/// A share or probability.
pub(crate) fn parse_share(text: &str) -> Result<f64, String> {
    number_in(text, 0.0..=1.0)
}

/// Noise of patient and exams, as `0.3/0.1`.
pub(crate) fn parse_noise(text: &str) -> Result<(f64, f64), String> {
    let (patient, exam) = text.split_once('/').ok_or("write PATIENT/EXAM, for example 0.3/0.1")?;
    Ok((parse_share(patient)?, parse_share(exam)?))
}

/// A learning rate.
#[cfg(feature = "learn")]
pub(crate) fn parse_rate(text: &str) -> Result<f64, String> {
    let rate: Option<f64> = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0);
    rate.ok_or_else(|| format!("`{text}` is no learning rate: write a number above 0, for example 4e-4"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_refused_where_they_are_typed() {
        assert_eq!(parse_noise("0.3/0.1"), Ok((0.3, 0.1)));
        for text in ["nan/0.1", "-1/0.1", "5/5", "0.3"] {
            assert!(parse_noise(text).is_err(), "{text}");
        }
        for text in ["0", "10000001", "18446744073709551616", "-1", "x"] {
            assert!(parse_cases(text).is_err(), "{text}");
        }
        assert_eq!((parse_threads("0"), parse_threads("1025").is_err()), (Ok(0), true));
    }

    #[cfg(feature = "learn")]
    #[test]
    fn numbers_of_training_are_refused_where_they_are_typed() {
        for text in ["0", "-1", "nan", "inf"] {
            assert!(parse_rate(text).is_err() && parse_steps(text).is_err(), "{text}");
        }
        assert!(parse_vocab_size("0").is_err() && parse_vocab_size("1000000000").is_err());
    }
}
