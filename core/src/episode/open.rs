//! Open questions: the patient goes down a public order and names the first two findings that come to mind.

use alloc::vec::Vec;

use super::{Episode, Step, Truth};
use crate::{
    action::MAX_ITEMS_PER_TURN,
    knowledge::{ItemId, KnowledgeBase, Topic},
    noise::{Noise, PatientNoise, QuestionClass},
    noise_plan::Plan,
    observation::{Reading, Source, Value},
};

/// Findings whose presence is drawn at a time.
const SIDE_BY_SIDE: usize = 4;

impl Episode {
    /// Findings (indexes) that an open question on a topic would still go through, in order. Public.
    pub fn untold(&self, topic: Topic) -> Vec<u16> {
        let Truth::Generated(patient) = &self.truth else { return Vec::new() };
        let complaint = &self.base.complaints[usize::from(patient.complaint)];
        let order = order_of(&self.base, patient.complaint, topic);
        order.iter().copied().filter(|&finding| finding != complaint.finding && self.state.is_untold(finding)).collect()
    }

    /// Probability that the next open question on a topic gets a vague answer under `plan`, as a share of 1.
    pub(crate) fn open_vague_rate(&self, plan: &Plan, topic: Topic) -> f64 {
        let occurrence = self.state.opened(topic).min(1);
        let item = ItemId(u16::MAX);
        let rates = plan.answer_rates(item, QuestionClass::Open, occurrence, self.state.patient_turns);
        let vague = rates[PatientNoise::VagueAnswer as usize];
        let is_keyed = matches!(plan, Plan::Keyed { .. });
        // Where omission cannot act item by item it makes the whole answer vague.
        if is_keyed { vague } else { vague + rates[PatientNoise::Omission as usize] }
    }

    /// Names the first [`MAX_ITEMS_PER_TURN`] untold findings that are present and not forgotten; those passed over on the way are
    /// recorded for the belief, and never shown to an agent.
    pub(super) fn answer_open(&mut self, topic: Topic, step: &mut Step) {
        let occurrence = self.state.open(topic);
        let Some(respondent) = self.respondent() else { return };
        let (noise, guess) = respondent.open_noise(topic, occurrence);
        step.noise = noise.map(Noise::Patient);
        step.guess = guess;
        if noise == Some(PatientNoise::VagueAnswer) {
            return;
        }
        let Truth::Generated(patient) = self.truth else { return };
        let base = self.base.clone();
        let complaint = base.complaints[usize::from(patient.complaint)].finding;
        let order = order_of(&base, patient.complaint, topic);
        let mut named = 0;
        for ahead in order.chunks(SIDE_BY_SIDE) {
            let is_open = |finding: u16| finding != complaint && self.state.is_untold(finding);
            if !ahead.iter().copied().any(is_open) {
                continue;
            }
            let last = ahead.len() - 1;
            let present = patient.has_each(&base, core::array::from_fn::<_, SIDE_BY_SIDE, _>(|at| ahead[at.min(last)]));
            for (&finding, present) in ahead.iter().zip(present) {
                if named == MAX_ITEMS_PER_TURN {
                    return;
                }
                if finding == complaint || !self.state.is_untold(finding) {
                    continue;
                }
                let forgotten = present && self.respondent().is_some_and(|respondent| respondent.forgets(finding));
                let told = present && !forgotten;
                self.readings.push(Reading {
                    item: base.finding_item(finding),
                    value: if told { Value::Present } else { Value::LeftOut },
                    clean: if present { Value::Present } else { Value::Absent },
                    noise: forgotten.then_some(Noise::Patient(PatientNoise::Omission)),
                    source: if told { Source::Volunteered } else { Source::PassedOver },
                });
                if told {
                    named += 1;
                    self.state.tell(finding);
                } else {
                    self.state.pass_over(finding);
                }
            }
        }
    }
}

/// The public order in which a patient with this complaint (index) goes through a topic.
fn order_of(base: &KnowledgeBase, complaint: u16, topic: Topic) -> &[u16] {
    match topic {
        Topic::Complaint => &base.complaints[usize::from(complaint)].order,
        other => &base.topics[other as usize],
    }
}
