//! Open questions: the patient goes down a public order and names the first two findings that come to mind.

use super::{Episode, Step, Truth};
use crate::{
    action::MAX_ITEMS_PER_TURN,
    knowledge::Topic,
    noise::{Noise, PatientNoise},
    observation::{Reading, Source, Value},
};

impl Episode {
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
        let base = self.base.clone();
        let Truth::Generated(patient) = self.truth else { return };
        let order = match topic {
            Topic::Complaint => &base.complaints[usize::from(patient.complaint)].order,
            other => &base.topics[other as usize],
        };
        let complaint = base.complaints[usize::from(patient.complaint)].finding;
        let mut named = 0;
        for &finding in order {
            if named == MAX_ITEMS_PER_TURN {
                break;
            }
            if finding == complaint || !self.state.is_untold(finding) {
                continue;
            }
            let present = patient.has(&base, finding);
            let forgotten = self.respondent().is_some_and(|respondent| respondent.forgets(finding));
            let value = if present { Value::Present } else { Value::Absent };
            let told = present && !forgotten;
            self.readings.push(Reading {
                item: base.finding_item(finding),
                value: if told { Value::Present } else { Value::LeftOut },
                clean: value,
                noise: (present && forgotten).then_some(Noise::Patient(PatientNoise::Omission)),
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
