//! Where noise strikes: the plan of one scenario, as the sampler uses it and as the belief knows it.

use alloc::vec::Vec;

use crate::{
    knowledge::{ItemId, KnowledgeBase},
    noise::{ExamNoise, Noise, NoisePlan, NoiseSettings, PatientNoise, QuestionClass, level_at, strike},
    random::{KeyedRng, PPM, Purpose},
    scenario::ScenarioError,
};

/// Patient turns in which the published plan fires, at least.
const PAPER_TURNS: u32 = 7;
/// Average number of types an affected patient gets in the published plan (1 to 3).
const PAPER_MEAN_TYPES: f64 = 2.0;

/// Rates of the seven patient types for one answer, as shares of 1, by position in [`PatientNoise::ALL`].
pub(crate) type Rates = [f64; 7];

/// The noise plan of one scenario.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    Keyed { patient_ppm: u32, exam_ppm: u32 },
    Paper { patient_ppm: u32, exam_ppm: u32, turns: Vec<(u32, PatientNoise)> },
    Forced { items: Vec<(ItemId, PatientNoise)>, tools: Vec<(usize, ExamNoise)> },
}

impl Plan {
    /// The plan of a scenario.
    pub(crate) fn new(base: &KnowledgeBase, seed: u64, settings: &NoiseSettings) -> Result<Self, ScenarioError> {
        let (patient_ppm, exam_ppm) = (settings.patient_ppm, settings.exam_ppm);
        Ok(match settings.plan {
            NoisePlan::Keyed => Self::Keyed { patient_ppm, exam_ppm },
            NoisePlan::Paper => Self::Paper { patient_ppm, exam_ppm, turns: paper_turns(seed, patient_ppm) },
            NoisePlan::Forced => forced(base, settings)?,
        })
    }

    /// Which type strikes the answer to a direct question, drawn from `rng` (the stream of item and occurrence).
    #[inline]
    pub(crate) fn strike_answer(
        &self,
        rng: &mut KeyedRng,
        item: ItemId,
        class: QuestionClass,
        occurrence: u16,
        patient_turn: u32,
    ) -> Option<PatientNoise> {
        match self {
            Self::Keyed { patient_ppm, .. } => strike(rng, level_at(*patient_ppm, occurrence), class.eligible()),
            Self::Paper { turns, .. } => {
                let planned = turns.iter().find(|(turn, _)| *turn == patient_turn)?.1;
                Some(if class.eligible().contains(&planned) { planned } else { PatientNoise::VagueAnswer })
            }
            Self::Forced { items, .. } if occurrence == 0 => {
                let forced = items.iter().find(|(other, _)| *other == item)?.1;
                class.eligible().contains(&forced).then_some(forced)
            }
            Self::Forced { .. } => None,
        }
    }

    /// Probability of each type for the answer to a direct question: what the belief marginalises over.
    pub(crate) fn answer_rates(&self, item: ItemId, class: QuestionClass, occurrence: u16, patient_turn: u32) -> Rates {
        let mut rates = [0.0; 7];
        match self {
            Self::Keyed { patient_ppm, .. } => {
                for &noise in class.eligible() {
                    rates[noise as usize] = class.share(level_at(*patient_ppm, occurrence));
                }
            }
            Self::Paper { patient_ppm, .. } => {
                let rate = paper_rate(*patient_ppm, patient_turn) / 7.0;
                for noise in PatientNoise::ALL {
                    let fires = if class.eligible().contains(&noise) { noise } else { PatientNoise::VagueAnswer };
                    rates[fires as usize] += rate;
                }
            }
            Self::Forced { items, .. } => {
                if let Some((_, noise)) = items.iter().find(|(other, _)| *other == item && occurrence == 0)
                    && class.eligible().contains(noise)
                {
                    rates[*noise as usize] = 1.0;
                }
            }
        }
        rates
    }

    /// Whether the first answer about an item is forced.
    pub(crate) fn forces(&self, item: ItemId) -> bool {
        matches!(self, Self::Forced { items, .. } if items.iter().any(|(other, _)| *other == item))
    }

    /// Probability, in parts per million, that an item is forgotten in open questions (`u_g` of CLINIC 3).
    pub(crate) fn forgotten_ppm(&self) -> u32 {
        match self {
            Self::Keyed { patient_ppm, .. } => patient_ppm / QuestionClass::Open.eligible().len() as u32,
            Self::Paper { .. } | Self::Forced { .. } => 0,
        }
    }

    /// Which exam noise strikes a report as a whole: omission, ambiguity or nothing. Site swaps strike field by field with the
    /// same share ([`Self::site_swap_ppm`]), so that fields stay independent given the truth. `types` come from
    /// [`crate::noise::exam_types`].
    pub(crate) fn strike_report(
        &self,
        rng: &mut KeyedRng,
        tool: usize,
        types: [ExamNoise; 3],
        occurrence: u16,
    ) -> Option<ExamNoise> {
        self.strike_any(rng, tool, types, occurrence).filter(|noise| *noise != ExamNoise::BodyPartSwap)
    }

    /// Which exam noise strikes a report in words, where there are no fields.
    pub(crate) fn strike_any(
        &self,
        rng: &mut KeyedRng,
        tool: usize,
        types: [ExamNoise; 3],
        occurrence: u16,
    ) -> Option<ExamNoise> {
        match self {
            Self::Keyed { exam_ppm, .. } => strike(rng, level_at(*exam_ppm, occurrence), &types),
            Self::Paper { exam_ppm, .. } => strike(rng, if occurrence == 0 { *exam_ppm } else { 0 }, &types),
            Self::Forced { tools, .. } if occurrence == 0 => {
                let forced = tools.iter().find(|(other, _)| *other == tool)?.1;
                Some(if types.contains(&forced) { forced } else { ExamNoise::Ambiguity })
            }
            Self::Forced { .. } => None,
        }
    }

    /// Probability, in parts per million, that a site field of a report is swapped.
    pub(crate) fn site_swap_ppm(&self, tool: usize, occurrence: u16) -> u32 {
        match self {
            Self::Keyed { exam_ppm, .. } => level_at(*exam_ppm, occurrence) / 3,
            Self::Paper { exam_ppm, .. } if occurrence == 0 => exam_ppm / 3,
            Self::Forced { tools, .. } if occurrence == 0 && tools.contains(&(tool, ExamNoise::BodyPartSwap)) => PPM,
            Self::Paper { .. } | Self::Forced { .. } => 0,
        }
    }

    /// False when the belief under this plan is an approximation.
    pub(crate) const fn is_exact(&self) -> bool {
        !matches!(self, Self::Paper { .. })
    }
}

/// Probability that some noise strikes in a patient turn of the published plan, averaged over plans (CLINIC 3).
fn paper_rate(level_ppm: u32, patient_turn: u32) -> f64 {
    if patient_turn >= PAPER_TURNS {
        return 0.0;
    }
    f64::from(level_ppm) / f64::from(PPM) * PAPER_MEAN_TYPES / f64::from(PAPER_TURNS)
}

/// The turns and types of one patient in the published plan: one to three distinct types on distinct turns.
fn paper_turns(seed: u64, level_ppm: u32) -> Vec<(u32, PatientNoise)> {
    let mut rng = KeyedRng::new(seed, Purpose::PaperPatientPlan, 0, 0);
    if !rng.happens(level_ppm) {
        return Vec::new();
    }
    let count = 1 + rng.below(3) as usize;
    let mut types = PatientNoise::ALL;
    let mut turns: [u32; PAPER_TURNS as usize] = core::array::from_fn(|index| index as u32);
    for index in 0..count {
        let (other_type, other_turn) =
            (index + rng.below(7 - index as u32) as usize, index + rng.below(7 - index as u32) as usize);
        types.swap(index, other_type);
        turns.swap(index, other_turn);
    }
    turns.into_iter().zip(types).take(count).collect()
}

fn forced(base: &KnowledgeBase, settings: &NoiseSettings) -> Result<Plan, ScenarioError> {
    let (mut items, mut tools) = (Vec::new(), Vec::new());
    for entry in &settings.forced {
        let unknown = || ScenarioError::UnknownItem(entry.item.clone());
        match entry.noise {
            Noise::Patient(noise) => {
                let item = base.item_by_name(&entry.item).ok_or_else(unknown)?;
                let class = base.question_class(item).ok_or_else(unknown)?;
                if !class.eligible().contains(&noise) || items.iter().any(|(other, _)| *other == item) {
                    return Err(ScenarioError::CannotForce(entry.item.clone()));
                }
                items.push((item, noise));
            }
            Noise::Exam(noise) => {
                let tool = base.catalogue.find(&entry.item).ok_or_else(unknown)?;
                if tools.iter().any(|(other, _)| *other == tool) {
                    return Err(ScenarioError::CannotForce(entry.item.clone()));
                }
                tools.push((tool, noise));
            }
        }
    }
    Ok(Plan::Forced { items, tools })
}
