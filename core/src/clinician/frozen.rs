//! The thresholds of greedy Bayes, chosen on validation scenarios and frozen with the setting they were chosen for.
//!
//! `data/clinicians.json` is written by `workup tune`; nothing else changes it.

use alloc::{string::String, vec::Vec};

use serde::{Deserialize, Serialize};

use super::Thresholds;
use crate::{
    case::Prevalence, digest::Digest, knowledge::KnowledgeBase, noise::NoisePlan, reward::Payer, scenario::Scenario,
};

/// Everything the best thresholds depend on. The reward is always that of mode `clinic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThresholdSetting {
    /// Noise plan.
    pub noise_plan: NoisePlan,
    /// Patient level in parts per million.
    pub patient_ppm: u32,
    /// Exam level in parts per million.
    pub exam_ppm: u32,
    /// Whose prices are paid.
    pub payer: Payer,
    /// How often diseases occur.
    pub prevalence: Prevalence,
    /// Cap of doctor turns.
    pub max_doctor_turns: u32,
    /// Cap of patient turns.
    pub max_patient_turns: u32,
}

impl ThresholdSetting {
    /// The setting of a scenario.
    pub fn of_scenario(scenario: &Scenario) -> Self {
        Self {
            noise_plan: scenario.noise.plan,
            patient_ppm: scenario.noise.patient_ppm,
            exam_ppm: scenario.noise.exam_ppm,
            payer: scenario.payer,
            prevalence: scenario.prevalence,
            max_doctor_turns: scenario.max_doctor_turns,
            max_patient_turns: scenario.max_patient_turns,
        }
    }

    /// The digest of the setting in a knowledge base.
    pub fn digest(&self, knowledge_digest: u64) -> u64 {
        let mut digest = Digest::new();
        digest.u64(knowledge_digest);
        for number in [
            self.noise_plan as u32,
            self.patient_ppm,
            self.exam_ppm,
            self.payer as u32,
            self.prevalence as u32,
            self.max_doctor_turns,
            self.max_patient_turns,
        ] {
            digest.u32(number);
        }
        digest.value()
    }
}

/// One row of the frozen table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrozenThresholds {
    /// `ideal` or `ideal_naive`.
    pub clinician: String,
    /// The setting.
    pub setting: ThresholdSetting,
    /// Knowledge base and its digest (16 hexadecimal digits) at the time.
    pub knowledge: String,
    /// Digest of the setting in that knowledge base, 16 hexadecimal digits.
    pub digest: String,
    /// Validation scenarios they were chosen on.
    pub cases: u32,
    /// What they earned there.
    pub reward: f64,
    /// The thresholds.
    pub thresholds: Thresholds,
}

/// Thresholds, and whether they were chosen for exactly this setting and knowledge base.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChosenThresholds {
    /// The thresholds.
    #[serde(flatten)]
    pub thresholds: Thresholds,
    /// True when the frozen table has this very setting in this very knowledge base.
    pub frozen: bool,
}

impl Thresholds {
    /// What is taken where nothing was tuned: the middle of what is best in the settings that were.
    pub const DEFAULT: Self = Self { confidence: 0.99, ratio: 5.0 };

    /// The frozen thresholds of exactly this setting and knowledge base; `None` when there are none.
    pub fn frozen(base: &KnowledgeBase, scenario: &Scenario, naive: bool) -> Option<Self> {
        let digest = hex(ThresholdSetting::of_scenario(scenario).digest(base.digest));
        let row = table().into_iter().find(|row| row.clinician == clinician(naive) && row.digest == digest)?;
        Some(row.thresholds)
    }

    /// The frozen thresholds of a setting; where there are none, those of the same setting in another edition of the knowledge
    /// base, then [`Thresholds::DEFAULT`], both marked as not frozen.
    pub fn for_scenario(base: &KnowledgeBase, scenario: &Scenario, naive: bool) -> ChosenThresholds {
        if let Some(thresholds) = Self::frozen(base, scenario, naive) {
            return ChosenThresholds { thresholds, frozen: true };
        }
        let setting = ThresholdSetting::of_scenario(scenario);
        let row = table().into_iter().find(|row| row.clinician == clinician(naive) && row.setting == setting);
        ChosenThresholds { thresholds: row.map_or(Self::DEFAULT, |row| row.thresholds), frozen: false }
    }
}

/// The name of a greedy clinician in the frozen table.
pub(super) const fn clinician(naive: bool) -> &'static str {
    if naive { "ideal_naive" } else { "ideal" }
}

fn hex(number: u64) -> String {
    alloc::format!("{number:016x}")
}

/// The embedded table; empty when the file is wrong, which a test forbids.
fn table() -> Vec<FrozenThresholds> {
    serde_json::from_str(include_str!("../../data/clinicians.json")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_table_is_readable_and_its_thresholds_make_sense() {
        let rows: Vec<FrozenThresholds> = serde_json::from_str(include_str!("../../data/clinicians.json")).unwrap();
        for row in rows {
            assert!((0.0..=1.0).contains(&row.thresholds.confidence), "{row:?}");
            assert!(row.thresholds.ratio >= 0.0 && row.thresholds.ratio.is_finite(), "{row:?}");
            assert!(["ideal", "ideal_naive"].contains(&row.clinician.as_str()), "{row:?}");
        }
    }

    #[test]
    fn a_setting_that_nobody_tuned_says_so() {
        let base = KnowledgeBase::core24().unwrap();
        let odd = Scenario { max_doctor_turns: 7, ..Scenario::headline(1) };
        assert_eq!(Thresholds::frozen(&base, &odd, false), None);
        assert!(!Thresholds::for_scenario(&base, &odd, false).frozen);
    }
}
