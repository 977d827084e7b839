//! The setting an evaluation stands for: which scenarios, under which noise, prices and caps. Echoed in every report.

use serde::{Serialize, Serializer};
use workup_core::{
    case::Prevalence,
    noise::{NoisePlan, NoiseSettings},
    persona::Persona,
    random::{PPM, Split, scenario_seed},
    reward::{Payer, RewardMode},
    scenario::{CaseSource, DEFAULT_DOCTOR_TURNS, DEFAULT_PATIENT_TURNS, PersonaChoice, Scenario},
};

/// Everything that decides which scenarios are played and how.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Setting {
    /// Number of scenarios.
    pub cases: u64,
    /// Master seed.
    #[serde(serialize_with = "as_hex")]
    pub seed: u64,
    /// Split of its scenarios.
    pub split: Split,
    /// Noise plan.
    pub noise_plan: NoisePlan,
    /// Level of patient noise, 0 to 1.
    pub patient_noise: f64,
    /// Level of exam noise, 0 to 1.
    pub exam_noise: f64,
    /// Reward mode.
    pub reward_mode: RewardMode,
    /// Whose prices are paid.
    pub payer: Payer,
    /// How often diseases occur.
    pub prevalence: Prevalence,
    /// Cap of doctor turns.
    pub max_doctor_turns: u32,
    /// Cap of patient turns.
    pub max_patient_turns: u32,
    /// Every patient speaks plainly and remembers everything.
    pub plain_persona: bool,
}

impl Default for Setting {
    /// The headline setting (CLINIC, opening lines).
    fn default() -> Self {
        Self {
            cases: 1_000,
            seed: 1,
            split: Split::Test,
            noise_plan: NoisePlan::Keyed,
            patient_noise: 0.3,
            exam_noise: 0.1,
            reward_mode: RewardMode::Clinic,
            payer: Payer::Medicare,
            prevalence: Prevalence::Uniform,
            max_doctor_turns: DEFAULT_DOCTOR_TURNS,
            max_patient_turns: DEFAULT_PATIENT_TURNS,
            plain_persona: false,
        }
    }
}

impl Setting {
    /// The scenario of a seed under this setting.
    pub fn scenario(&self, seed: u64) -> Scenario {
        let persona = if self.plain_persona { PersonaChoice::Fixed(Persona::PLAIN) } else { PersonaChoice::Drawn };
        Scenario {
            seed,
            case: CaseSource::Generated,
            persona,
            noise: NoiseSettings {
                plan: self.noise_plan,
                patient_ppm: parts_per_million(self.patient_noise),
                exam_ppm: parts_per_million(self.exam_noise),
                forced: Vec::new(),
            },
            reward_mode: self.reward_mode,
            payer: self.payer,
            prevalence: self.prevalence,
            max_doctor_turns: self.max_doctor_turns,
            max_patient_turns: self.max_patient_turns,
        }
    }

    /// The scenario of case `index` of the split.
    pub fn case(&self, index: u64) -> Scenario {
        self.scenario(scenario_seed(self.seed, self.split, index))
    }

    /// All scenarios, in order.
    pub fn scenarios(&self) -> Vec<Scenario> {
        (0..self.cases).map(|index| self.case(index)).collect()
    }
}

/// A share as parts per million, rounded.
pub fn parts_per_million(share: f64) -> u32 {
    (share * f64::from(PPM)).round() as u32
}

/// A seed or digest as 16 hexadecimal digits.
pub fn hex(number: u64) -> String {
    format!("{number:016x}")
}

/// Serializes a seed or digest as 16 hexadecimal digits.
///
/// # Errors
/// Those of the serializer.
pub fn as_hex<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hex(*number))
}

/// Reads a seed: 16 hexadecimal digits, `0x..`, or a decimal number.
///
/// # Errors
/// When it is neither.
pub fn parse_seed(text: &str) -> Result<u64, String> {
    let parsed = if text.len() == 16 {
        u64::from_str_radix(text, 16)
    } else if let Some(digits) = text.strip_prefix("0x") {
        u64::from_str_radix(digits, 16)
    } else {
        text.parse()
    };
    parsed.map_err(|_| format!("`{text}` is no seed: write a decimal number or 16 hexadecimal digits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_setting_is_the_headline_scenario() {
        assert_eq!(Setting::default().scenario(5), Scenario::headline(5));
    }

    #[test]
    fn seeds_are_read_as_they_are_written() {
        assert_eq!(parse_seed(&hex(0xfeed)), Ok(0xfeed));
        assert_eq!(parse_seed("7"), Ok(7));
        assert_eq!(parse_seed("0x10"), Ok(16));
        assert!(parse_seed("seven").unwrap_err().contains("`seven`"));
    }
}
