//! The digest of an episode and the score of its diagnosis.

use alloc::vec::Vec;

use super::{Episode, Truth};
use crate::{
    action::{Action, Question},
    diagnosis::{Condition, similarity},
    digest::Digest,
    exam::ExamCall,
    import::score_diagnosis,
    noise::Noise,
};

impl Episode {
    /// FNV-1a-64 over ids, values, fired noise and reward; a structured and a text episode with the same resolved actions share it.
    pub fn digest(&self) -> u64 {
        let mut digest = Digest::new();
        digest.u64(self.scenario.seed);
        if let Truth::Generated(patient) = &self.truth {
            digest.u64(u64::from(patient.hypothesis) << 32 | u64::from(patient.age) << 8 | patient.sex as u64);
            digest.u64(u64::from(patient.complaint));
        }
        for step in &self.steps {
            digest_action(&mut digest, self, &step.action);
            digest.u32(step.reply as u32);
            digest_noise(&mut digest, step.noise);
            digest.u32(step.guess.map_or(u32::MAX, u32::from));
            digest.u32(step.cents);
            step.facts.iter().for_each(|&fact| digest.u32(u32::from(fact)));
            for reading in self.readings_of(step) {
                digest.u32(u32::from(reading.item.0));
                digest.u64(reading.value.code());
                digest.u64(reading.clean.code());
                digest_noise(&mut digest, reading.noise);
            }
        }
        digest.f64(self.reward().total);
        digest.value()
    }

    /// The share of the diagnosis that is right: S of CLINIC 5; 0 without a diagnosis.
    pub fn diagnosis_score(&self) -> f64 {
        match (self.steps.last().map(|step| &step.action), &self.truth) {
            (Some(Action::Diagnose(text)), Truth::Generated(patient)) => {
                let truth = [Condition::Disease(patient.disease(&self.base))];
                similarity(&self.base.names.read(text).conditions, &truth)
            }
            (Some(Action::DiagnoseDiseases(diseases)), Truth::Generated(patient)) => {
                let listed: Vec<Condition> = diseases.iter().map(|&disease| Condition::Disease(disease)).collect();
                similarity(&listed, &[Condition::Disease(patient.disease(&self.base))])
            }
            (Some(Action::Diagnose(text)), Truth::Imported(case)) => score_diagnosis(case, text),
            _ => 0.0,
        }
    }

    /// The reference workup as calls; empty where it is not known.
    pub(super) fn reference_workup(&self) -> Vec<ExamCall> {
        let texts = match &self.truth {
            Truth::Generated(patient) => &self.base.diseases[usize::from(patient.disease(&self.base))].reference_workup,
            Truth::Imported(case) => &case.reference_workup,
        };
        texts.iter().filter_map(|text| self.base.catalogue.parse_call_text(text).ok()).collect()
    }
}

/// Text and structured diagnoses that score the same name the same diseases; only the resolved set enters the digest.
fn digest_action(digest: &mut Digest, episode: &Episode, action: &Action) {
    match action {
        Action::Ask(Question::About(items)) => {
            digest.u32(1);
            items.iter().flatten().for_each(|item| digest.u32(u32::from(item.0)));
        }
        Action::Ask(Question::Open(topic)) => digest.u32(0x100 | *topic as u32),
        Action::Ask(Question::NotUnderstood) => digest.u32(3),
        Action::Order(call) => {
            digest.u32(4);
            digest.u64(call.key());
        }
        Action::Diagnose(_) | Action::DiagnoseDiseases(_) => {
            digest.u32(5);
            digest.f64(episode.diagnosis_score());
        }
        Action::InvalidCall => digest.u32(6),
        Action::FormatError => digest.u32(7),
    }
}

fn digest_noise(digest: &mut Digest, noise: Option<Noise>) {
    digest.u32(match noise {
        None => 0,
        Some(Noise::Patient(noise)) => 1 + noise as u32,
        Some(Noise::Exam(noise)) => 0x100 + noise as u32,
    });
}
