//! Who the patient is as a speaker: personality, language proficiency, recall. Independent of disease, sex and origin.

use serde::{Deserialize, Serialize};

use crate::random::{KeyedRng, Purpose};

/// How a patient behaves towards the doctor (the six of the published system).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Personality {
    /// Wanders but answers.
    Verbose,
    /// Apologises and agrees.
    Pleasing,
    /// Curt.
    Impatient,
    /// Guarded: withholds an answer once.
    Distrust,
    /// Worried: seeks reassurance.
    Overanxious,
    /// Answers plainly.
    Plain,
}

impl Personality {
    /// All personalities in their fixed order.
    pub const ALL: [Self; 6] =
        [Self::Verbose, Self::Pleasing, Self::Impatient, Self::Distrust, Self::Overanxious, Self::Plain];

    /// The label shown to people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Verbose => "talkative",
            Self::Pleasing => "eager to please",
            Self::Impatient => "impatient",
            Self::Distrust => "guarded",
            Self::Overanxious => "worried",
            Self::Plain => "plain",
        }
    }
}

/// How well the patient speaks the doctor's language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proficiency {
    /// A, low: short plain sentences.
    LevelA,
    /// B, moderate.
    LevelB,
    /// C, native.
    LevelC,
}

impl Proficiency {
    /// All levels in their fixed order.
    pub const ALL: [Self; 3] = [Self::LevelA, Self::LevelB, Self::LevelC];
}

/// How well the patient remembers medical history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recall {
    /// Often cannot say.
    Low,
    /// Knows.
    High,
}

impl Recall {
    /// Both levels in their fixed order.
    pub const ALL: [Self; 2] = [Self::Low, Self::High];
}

/// A speaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Persona {
    /// Behaviour.
    pub personality: Personality,
    /// Language.
    pub proficiency: Proficiency,
    /// Memory.
    pub recall: Recall,
}

impl Persona {
    /// The plain speaker with perfect language and memory: what "persona off" means.
    pub const PLAIN: Self =
        Self { personality: Personality::Plain, proficiency: Proficiency::LevelC, recall: Recall::High };

    /// The persona of a scenario, uniform over all 36.
    pub fn draw(seed: u64) -> Self {
        let mut rng = KeyedRng::new(seed, Purpose::Persona, 0, 0);
        Self {
            personality: Personality::ALL[rng.below(6) as usize],
            proficiency: Proficiency::ALL[rng.below(3) as usize],
            recall: Recall::ALL[rng.below(2) as usize],
        }
    }

    /// The persona of a scenario with the traits that are given in place of the drawn ones.
    pub fn draw_with(
        seed: u64,
        personality: Option<Personality>,
        proficiency: Option<Proficiency>,
        recall: Option<Recall>,
    ) -> Self {
        let drawn = Self::draw(seed);
        Self {
            personality: personality.unwrap_or(drawn.personality),
            proficiency: proficiency.unwrap_or(drawn.proficiency),
            recall: recall.unwrap_or(drawn.recall),
        }
    }

    /// Probability, in parts per million, that a first answer is withheld (guarded) or not remembered (low recall, history only).
    /// It depends on the persona and the kind of item alone, never on the value: likelihood ratio 1. Numbers: estimate.
    pub const fn deflection_ppm(self, history: bool) -> u32 {
        let guarded = if matches!(self.personality, Personality::Distrust) { 150_000 } else { 0 };
        let forgetful = if history && matches!(self.recall, Recall::Low) { 200_000 } else { 0 };
        guarded + forgetful
    }
}
