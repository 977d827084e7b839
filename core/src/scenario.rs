//! What fixes an episode: with the same knowledge base and the same actions, the same scenario gives the same episode.

use alloc::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    case::Prevalence,
    import::ImportedCase,
    noise::NoiseSettings,
    persona::Persona,
    reward::{Payer, RewardMode},
};

/// Default cap of doctor turns.
pub const DEFAULT_DOCTOR_TURNS: u32 = 20;
/// Default cap of patient turns.
pub const DEFAULT_PATIENT_TURNS: u32 = 15;
/// Largest cap accepted.
pub const MAX_TURNS: u32 = 200;

/// Who the patient is as a speaker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonaChoice {
    /// Drawn from the seed.
    #[default]
    Drawn,
    /// This one.
    Fixed(Persona),
}

/// Where the case comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum CaseSource {
    /// Generated from the seed and the knowledge base.
    Generated,
    /// Imported text.
    Imported(Arc<ImportedCase>),
}

/// What fixes an episode.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Seed of every draw.
    pub seed: u64,
    /// The case.
    pub case: CaseSource,
    /// The speaker.
    pub persona: PersonaChoice,
    /// Noise.
    pub noise: NoiseSettings,
    /// Reward mode.
    pub reward_mode: RewardMode,
    /// Whose prices are paid.
    pub payer: Payer,
    /// How often diseases occur.
    pub prevalence: Prevalence,
    /// Cap of doctor turns, 1 to [`MAX_TURNS`].
    pub max_doctor_turns: u32,
    /// Cap of patient turns, 0 to [`MAX_TURNS`].
    pub max_patient_turns: u32,
}

impl Scenario {
    /// A generated case under the headline settings: keyed noise 0.3/0.1, clinic reward, Medicare prices, uniform prevalence, 20/15 turns.
    pub const fn headline(seed: u64) -> Self {
        Self {
            seed,
            case: CaseSource::Generated,
            persona: PersonaChoice::Drawn,
            noise: NoiseSettings::HEADLINE,
            reward_mode: RewardMode::Clinic,
            payer: Payer::Medicare,
            prevalence: Prevalence::Uniform,
            max_doctor_turns: DEFAULT_DOCTOR_TURNS,
            max_patient_turns: DEFAULT_PATIENT_TURNS,
        }
    }

    /// The speaker of this scenario.
    pub fn persona(&self) -> Persona {
        match self.persona {
            PersonaChoice::Drawn => Persona::draw(self.seed),
            PersonaChoice::Fixed(persona) => persona,
        }
    }

    /// Checks ranges.
    ///
    /// # Errors
    /// Names the field that is out of range.
    pub fn check(&self) -> Result<(), ScenarioError> {
        let in_range = |field, value: u32, low: u32, high: u32| {
            if (low..=high).contains(&value) {
                Ok(())
            } else {
                Err(ScenarioError::OutOfRange { field, value, low, high })
            }
        };
        in_range("max_doctor_turns", self.max_doctor_turns, 1, MAX_TURNS)?;
        in_range("max_patient_turns", self.max_patient_turns, 0, MAX_TURNS)?;
        in_range("patient_noise", self.noise.patient_ppm, 0, crate::random::PPM)?;
        in_range("exam_noise", self.noise.exam_ppm, 0, crate::random::PPM)?;
        in_range("forced", self.noise.forced.len() as u32, 0, 64)
    }
}

/// Why a scenario cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScenarioError {
    /// A number outside its range.
    #[error("`{field}` is `{value}`: choose `{low}` to `{high}`")]
    OutOfRange {
        /// Field.
        field: &'static str,
        /// Value given.
        value: u32,
        /// Smallest allowed.
        low: u32,
        /// Largest allowed.
        high: u32,
    },
    /// A forced noise names no item or tool of the knowledge base.
    #[error("forced noise names `{0}`, which the knowledge base does not have")]
    UnknownItem(alloc::string::String),
    /// A forced noise that can never fire as asked.
    #[error("forced noise on `{0}` cannot fire: name each item once, with a type that its question is open to")]
    CannotForce(alloc::string::String),
}
