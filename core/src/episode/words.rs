//! Steps of imported cases: the words are looked up outside, the turn, the charge and the noise are booked here.

use alloc::vec::Vec;

use super::{Ending, Episode, Step, Truth};
use crate::{
    action::{Action, Question},
    digest::key,
    exam::ExamCall,
    knowledge::ItemId,
    noise::{ExamNoise, Noise, PatientNoise, QuestionClass, exam_types},
    observation::ReplyKind,
    random::{KeyedRng, Purpose},
};

impl Episode {
    /// Books a question to an imported case; returns the kind of reply, the facts told (indexes) and the patient turns before.
    /// `None` after the end, or for a generated case.
    pub(crate) fn ask_words(&mut self, text: &str) -> Option<(ReplyKind, Vec<u16>, u32)> {
        let Truth::Imported(case) = &self.truth else { return None };
        if self.ending.is_some() {
            return None;
        }
        let turn = self.state.patient_turns;
        let allowed = turn < self.scenario.max_patient_turns;
        let facts = if allowed { case.ask(text, &mut self.state.told_facts) } else { Vec::new() };
        let reply = match (allowed, facts.is_empty()) {
            (false, _) => ReplyKind::PatientTurnsUsedUp,
            (true, true) => ReplyKind::NotUnderstood,
            (true, false) => ReplyKind::Answer,
        };
        self.state.patient_turns += u32::from(allowed);
        self.record(Action::Ask(Question::NotUnderstood), reply, facts.clone(), 0, turn);
        Some((reply, facts, turn))
    }

    /// Books an order to an imported case; returns the kind of reply and the noise that strikes the report.
    pub(crate) fn order_words(&mut self, call: ExamCall, found: Vec<u16>) -> Option<(ReplyKind, Option<ExamNoise>)> {
        if self.ending.is_some() {
            return None;
        }
        let occurrence = self.state.times_executed(&call).min(1);
        let reply = if found.is_empty() { ReplyKind::NotRecorded } else { ReplyKind::Report };
        let call = self.base.catalogue.identity(&call);
        self.state.tally.tool_turns += 1;
        let cents = self.charge(call);
        let types = exam_types(true, 2);
        let mut rng = KeyedRng::new(self.scenario.seed, Purpose::ExamNoise, call.key(), occurrence);
        let struck = self.plan.strike_any(&mut rng, call.exam(), types, occurrence);
        let turn = self.state.patient_turns;
        self.record(Action::Order(call), reply, found, cents, turn);
        Some((reply, struck))
    }

    /// Which noise strikes a fact, keyed by its path.
    pub(crate) fn strike_words(&self, path: &str, patient_turn: u32) -> Option<PatientNoise> {
        let mut rng = KeyedRng::new(self.scenario.seed, Purpose::PatientNoise, key(path), 0);
        // Any of the seven can be tried on words; the item is outside every knowledge base.
        let class = QuestionClass::Polar { confusable: true };
        self.plan.strike_answer(&mut rng, ItemId(u16::MAX), class, 0, patient_turn).map(|noise| {
            let all = PatientNoise::ALL;
            if noise == PatientNoise::SelfDiagnosis { noise } else { all[rng.below(all.len() as u32) as usize] }
        })
    }

    /// Remembers that noise struck the last step.
    pub(crate) fn note_noise(&mut self, noise: Noise) {
        if let Some(step) = self.steps.last_mut() {
            step.noise = Some(noise);
        }
    }

    fn record(&mut self, action: Action, reply: ReplyKind, facts: Vec<u16>, cents: u32, patient_turn: u32) {
        let here = self.readings.len() as u32;
        self.state.tally.doctor_turns += 1;
        self.steps.push(Step {
            action,
            reply,
            first_reading: here,
            end_reading: here,
            noise: None,
            guess: None,
            cents,
            patient_turn,
            facts,
        });
        if self.state.tally.doctor_turns >= self.scenario.max_doctor_turns {
            self.ending = Some(Ending::Truncated);
        }
    }
}
