//! Noise types, plans and which types a question or report is open to (CLINIC 3).

use alloc::{string::String, vec::Vec};

use serde::{Deserialize, Serialize};

use crate::random::{KeyedRng, PPM};

/// What can go wrong in a patient's answer (the seven of the published system).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum PatientNoise {
    /// Names a neighbouring site.
    BodyPartSwap = 0,
    /// Answers about a similar symptom, or names a similar character.
    SymptomConfusion = 1,
    /// Plays severity down.
    SeverityChange = 2,
    /// Misjudges how long.
    TemporalChange = 3,
    /// Leaves out or denies.
    Omission = 4,
    /// Adds a guess of their own.
    SelfDiagnosis = 5,
    /// Says nothing definite.
    VagueAnswer = 6,
}

impl PatientNoise {
    /// All types in their fixed order.
    pub const ALL: [Self; 7] = [
        Self::BodyPartSwap,
        Self::SymptomConfusion,
        Self::SeverityChange,
        Self::TemporalChange,
        Self::Omission,
        Self::SelfDiagnosis,
        Self::VagueAnswer,
    ];
}

/// What can go wrong in an exam report (the three of the published system).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum ExamNoise {
    /// Names an adjacent site.
    BodyPartSwap = 0,
    /// Drops one clause.
    Omission = 1,
    /// Flags the whole report as uncertain.
    Ambiguity = 2,
}

impl ExamNoise {
    /// All types in their fixed order.
    pub const ALL: [Self; 3] = [Self::BodyPartSwap, Self::Omission, Self::Ambiguity];
}

/// Noise that fired, of either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Noise {
    /// In a patient's answer.
    Patient(PatientNoise),
    /// In an exam report.
    Exam(ExamNoise),
}

/// Which plan decides where noise strikes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoisePlan {
    /// A level is the probability per answer and per report, keyed by what is asked.
    #[default]
    Keyed,
    /// The published plan: a level is the share of patients and exam slots affected.
    Paper,
    /// An explicit list.
    Forced,
}

/// One entry of a forced plan: the first answer about `item` (an item name such as `chest_pain.site`, or an exam tool name) meets `noise`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForcedNoise {
    /// Item name or exam tool.
    pub item: String,
    /// What strikes.
    pub noise: Noise,
}

/// The noise of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoiseSettings {
    /// Plan.
    pub plan: NoisePlan,
    /// Patient level in parts per million.
    pub patient_ppm: u32,
    /// Exam level in parts per million.
    pub exam_ppm: u32,
    /// Entries of a forced plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forced: Vec<ForcedNoise>,
}

impl NoiseSettings {
    /// No noise at all.
    pub const OFF: Self = Self { plan: NoisePlan::Keyed, patient_ppm: 0, exam_ppm: 0, forced: Vec::new() };

    /// The headline setting: keyed, 0.3 for answers, 0.1 for reports.
    pub const HEADLINE: Self =
        Self { plan: NoisePlan::Keyed, patient_ppm: 300_000, exam_ppm: 100_000, forced: Vec::new() };
}

/// What a question asks for, as far as noise is concerned: decided by the public schema, never by the value (rule N2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionClass {
    /// Is a symptom there? `confusable` when it has neighbours.
    Polar {
        /// The finding has neighbours.
        confusable: bool,
    },
    /// Is a piece of history there?
    History,
    /// Where, or where to?
    Site,
    /// Like what, when, better or worse with what?
    Character,
    /// How bad?
    Severity,
    /// How long?
    Time,
    /// An open question.
    Open,
}

impl QuestionClass {
    /// The types the level is shared by, equally.
    pub const fn eligible(self) -> &'static [PatientNoise] {
        use PatientNoise::{
            BodyPartSwap, Omission, SelfDiagnosis, SeverityChange, SymptomConfusion, TemporalChange, VagueAnswer,
        };
        match self {
            Self::Polar { confusable: true } => &[Omission, VagueAnswer, SelfDiagnosis, SymptomConfusion],
            Self::Polar { confusable: false } | Self::History | Self::Open => &[Omission, VagueAnswer, SelfDiagnosis],
            Self::Site => &[BodyPartSwap, VagueAnswer, SelfDiagnosis],
            Self::Character => &[SymptomConfusion, VagueAnswer, SelfDiagnosis],
            Self::Severity => &[SeverityChange, VagueAnswer, SelfDiagnosis],
            Self::Time => &[TemporalChange, VagueAnswer, SelfDiagnosis],
        }
    }

    /// Probability of one eligible type at level `ppm`, as a share of 1.
    pub fn share(self, ppm: u32) -> f64 {
        f64::from(ppm) / f64::from(PPM) / self.eligible().len() as f64
    }
}

/// The share of omissions that deny rather than leave open, in parts per million (δ of CLINIC 3).
pub const DENIAL_PPM: u32 = 500_000;

/// The level of the `occurrence`-th asking: half from the second on.
pub const fn level_at(ppm: u32, occurrence: u16) -> u32 {
    if occurrence == 0 { ppm } else { ppm / 2 }
}

/// Which of `types` strikes, if any: together with probability `ppm`, each with the same share.
#[inline]
pub fn strike<T: Copy>(rng: &mut KeyedRng, ppm: u32, types: &[T]) -> Option<T> {
    let draw = rng.below(PPM);
    if draw >= ppm {
        return None;
    }
    let index = u64::from(draw) * types.len() as u64 / u64::from(ppm);
    types.get(index as usize).copied()
}

/// Exam noise types by schema: types that cannot apply give their share to ambiguity (CLINIC 3).
pub const fn exam_types(has_site: bool, num_clauses: usize) -> [ExamNoise; 3] {
    [
        if has_site { ExamNoise::BodyPartSwap } else { ExamNoise::Ambiguity },
        if num_clauses >= 2 { ExamNoise::Omission } else { ExamNoise::Ambiguity },
        ExamNoise::Ambiguity,
    ]
}
