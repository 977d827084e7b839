//! What the end reveals: the truth, how the diagnosis was read, what the reward is made of.

use alloc::{string::String, vec::Vec};

use serde::Serialize;

use crate::{
    action::Action,
    episode::{Ending, Episode, Truth},
    reward::RewardParts,
};

/// An exam of the reference workup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OrderedExam {
    /// In words for people.
    pub label: String,
    /// Whether it was ordered in this encounter.
    pub done: bool,
}

/// What the end reveals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Debrief {
    /// How it ended.
    pub ending: Ending,
    /// The disease.
    pub disease: String,
    /// Which form of it, in words; empty for imported cases.
    pub variant: String,
    /// ICD-10 code; empty for imported cases.
    pub icd10: String,
    /// 1 (most severe) to 5; `None` for imported cases.
    pub severity: Option<u32>,
    /// The diagnosis as it was given; empty without one.
    pub diagnosis: String,
    /// The share of the diagnosis that is right, 0 to 1.
    pub score: f64,
    /// Pieces of the diagnosis that are no name of a disease of the simulator.
    pub unmatched: Vec<String>,
    /// The reward with all parts.
    pub reward: RewardParts,
    /// What a textbook would have ordered, where known.
    pub reference_workup: Vec<OrderedExam>,
}

pub(super) fn debrief(episode: &Episode, ending: Ending) -> Debrief {
    let base = episode.base();
    let diagnosis = match episode.history().last().map(|step| &step.action) {
        Some(Action::Diagnose(text)) => text.clone(),
        Some(Action::DiagnoseDiseases(diseases)) => {
            let names = diseases.iter().filter_map(|&disease| base.diseases.get(usize::from(disease)));
            names.map(|disease| disease.name.as_str()).collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    };
    let score = episode.diagnosis_score();
    let common = Debrief {
        ending,
        disease: String::new(),
        variant: String::new(),
        icd10: String::new(),
        severity: None,
        unmatched: Vec::new(),
        score,
        reward: episode.reward(),
        reference_workup: Vec::new(),
        diagnosis,
    };
    match episode.truth() {
        Truth::Generated(patient) => {
            let disease = &base.diseases[usize::from(patient.disease(base))];
            Debrief {
                disease: disease.name.clone(),
                variant: base.hypotheses[usize::from(patient.hypothesis)].variant.replace('_', " "),
                icd10: disease.icd10.clone(),
                severity: Some(disease.severity),
                unmatched: base.names.read(&common.diagnosis).unmatched,
                reference_workup: reference(episode, &disease.reference_workup),
                ..common
            }
        }
        Truth::Imported(case) => {
            let unmatched = if score > 0.0 || common.diagnosis.is_empty() {
                Vec::new()
            } else {
                alloc::vec![common.diagnosis.clone()]
            };
            let reference_workup = reference(episode, &case.reference_workup);
            Debrief { disease: case.diagnosis.clone(), unmatched, reference_workup, ..common }
        }
    }
}

fn reference(episode: &Episode, texts: &[String]) -> Vec<OrderedExam> {
    let catalogue = &episode.base().catalogue;
    let entry = |text: &String| match catalogue.parse_call_text(text) {
        Ok(call) => {
            let identity = catalogue.identity(&call);
            let done = episode.collected().iter().any(|other| catalogue.identity(other) == identity);
            OrderedExam { label: catalogue.label(&call), done }
        }
        Err(_) => OrderedExam { label: text.clone(), done: false },
    };
    texts.iter().map(entry).collect()
}
