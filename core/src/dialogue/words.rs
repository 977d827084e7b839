//! Readings of a generated case -> words.

use alloc::{format, string::String};

use super::Dialogue;
use crate::{
    action::Question,
    case::Patient,
    episode::Truth,
    exam::ExamCall,
    examination::print::{Detail, Report, print_report},
    knowledge::Sex,
    noise::{ExamNoise, Noise, PatientNoise},
    observation::{Reading, ReplyKind, Source, Value},
    patient::speak::{Speaking, speak},
};

/// "54-year-old woman".
pub(super) fn presentation(patient: &Patient) -> String {
    let noun = match (patient.sex, patient.age) {
        (Sex::Female, 0..=17) => "girl",
        (Sex::Male, 0..=17) => "boy",
        (Sex::Female, _) => "woman",
        (Sex::Male, _) => "man",
    };
    format!("{}-year-old {noun}", patient.age)
}

impl Dialogue {
    /// Appends what the patient says to the last step.
    pub(super) fn speak(&self, question: Question, turn: u32, out: &mut String) {
        let Some(step) = self.episode.history().last() else { return };
        let base = self.clinic.base();
        let readings = self.episode.readings_of(step);
        let vague = [Reading {
            item: base.finding_item(0),
            value: Value::Vague,
            clean: Value::Vague,
            noise: step.noise,
            source: Source::Volunteered,
        }];
        let is_vague = step.noise == Some(Noise::Patient(PatientNoise::VagueAnswer));
        let speaking = Speaking {
            seed: self.episode.scenario().seed,
            persona: self.episode.persona(),
            turn,
            question: &question,
            kind: step.reply,
            readings: if is_vague { &vague } else { readings },
            guess: step.guess,
        };
        speak(base, &speaking, out);
    }

    /// Appends the report of the last step.
    pub(super) fn report(&self, call: &ExamCall, kind: ReplyKind, out: &mut String) {
        let base = self.clinic.base();
        let label = base.catalogue.label(call);
        if kind == ReplyKind::NotApplicable {
            out.push_str(&label);
            out.push_str(": not applicable to this patient, not charged.");
            return;
        }
        if kind == ReplyKind::InvalidCall {
            out.push_str(&label);
            out.push_str(" is for imported cases only: order an exam by its own name.");
            return;
        }
        let (Truth::Generated(patient), Some(step)) = (self.episode.truth(), self.episode.history().last()) else {
            return;
        };
        let report = Report {
            label: &label,
            view: base.view_of(call).map(|view| &base.views[usize::from(view)]),
            readings: self.episode.readings_of(step),
            scale: patient.scale_index(),
            ambiguous: step.noise == Some(Noise::Exam(ExamNoise::Ambiguity)),
            detail: Detail::Compact,
        };
        print_report(base, &report, out);
    }
}
