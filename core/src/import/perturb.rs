//! Noise on spans of free text, found by lexicon.

use alloc::string::String;

use crate::{
    noise::{ExamNoise, PatientNoise},
    random::KeyedRng,
};

/// The patient's answer `text` after `noise`; `None` when the lexicon finds nothing for this type to act on (the caller then
/// falls back to a vague answer and records that).
pub fn perturb_text(text: &str, noise: PatientNoise, rng: &mut KeyedRng) -> Option<String> {
    let _ = (text, noise, rng);
    None
}

/// The report `text` after `noise`; `None` when the type finds nothing to act on (the caller then falls back to ambiguity).
pub fn perturb_report(text: &str, noise: ExamNoise, rng: &mut KeyedRng) -> Option<String> {
    let _ = (text, noise, rng);
    None
}
