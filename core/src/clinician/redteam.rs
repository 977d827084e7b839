//! Clinicians that try to earn reward without practising medicine (CLINIC 5): a sound reward ranks all of them below `checklist`.

use alloc::{sync::Arc, vec, vec::Vec};

use super::{Candidates, Clinician};
use crate::{
    action::{Action, Question},
    episode::{Episode, Truth},
    exam::ExamCall,
    knowledge::Topic,
};

/// A way to cheat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// The same diagnosis for everybody.
    ConstantDiagnosis,
    /// Every exam there is, then the first disease.
    OrderEverything,
    /// One blood count, then a guess.
    OneTestThenGuess,
    /// Nothing at all, then a guess by complaint.
    GuessAtOnce,
    /// Five diagnoses at once.
    ListFive,
    /// Asks for the patient's own idea and repeats it.
    EchoThePatient,
    /// Ends without naming anything.
    StopAtOnce,
    /// Asks the same question again and again, then guesses.
    RepeatQuestions,
}

impl Scheme {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::ConstantDiagnosis,
        Self::OrderEverything,
        Self::OneTestThenGuess,
        Self::GuessAtOnce,
        Self::ListFive,
        Self::EchoThePatient,
        Self::StopAtOnce,
        Self::RepeatQuestions,
    ];
}

/// Carries out one scheme.
#[derive(Clone, Debug)]
pub struct RedTeam {
    scheme: Scheme,
    candidates: Arc<Candidates>,
}

impl RedTeam {
    /// Someone who carries out `scheme`.
    pub fn new(scheme: Scheme, candidates: Arc<Candidates>) -> Self {
        Self { scheme, candidates }
    }

    fn call(episode: &Episode, text: &str) -> Option<ExamCall> {
        episode.base().catalogue.parse_call_text(text).ok()
    }

    fn order_everything(&self, episode: &Episode) -> Action {
        let turn = episode.doctor_turns() as usize;
        let is_last = episode.doctor_turns() + 1 >= episode.scenario().max_doctor_turns;
        match self.candidates.orders.get(turn) {
            Some(order) if !is_last => Action::Order(order.call),
            _ => Action::DiagnoseDiseases(vec![0]),
        }
    }

    fn echo(episode: &Episode) -> Action {
        let guess = episode.history().iter().find_map(|step| step.guess);
        match guess {
            Some(disease) => Action::DiagnoseDiseases(vec![disease]),
            None if episode.doctor_turns() < 6 => Action::Ask(Question::Open(Topic::Complaint)),
            None => guess_by_complaint(episode),
        }
    }

    fn repeat(&self, episode: &Episode) -> Action {
        let is_last = episode.doctor_turns() + 1 >= episode.scenario().max_doctor_turns;
        let item = self.candidates.items.first().filter(|_| !is_last && episode.doctor_turns() < 10);
        item.map_or_else(|| guess_by_complaint(episode), |&item| Action::Ask(Question::item(item)))
    }
}

impl Clinician for RedTeam {
    fn start(&mut self, _episode: &Episode) {}

    fn next_action(&mut self, episode: &Episode) -> Action {
        match self.scheme {
            Scheme::ConstantDiagnosis => Action::DiagnoseDiseases(vec![0]),
            Scheme::OrderEverything => self.order_everything(episode),
            Scheme::OneTestThenGuess => match Self::call(episode, "cbc()") {
                Some(call) if episode.doctor_turns() == 0 => Action::Order(call),
                _ => guess_by_complaint(episode),
            },
            Scheme::GuessAtOnce => guess_by_complaint(episode),
            Scheme::ListFive => Action::DiagnoseDiseases(likely(episode).into_iter().take(5).collect()),
            Scheme::EchoThePatient => Self::echo(episode),
            Scheme::StopAtOnce => Action::DiagnoseDiseases(Vec::new()),
            Scheme::RepeatQuestions => self.repeat(episode),
        }
    }
}

/// Diseases from the most to the least likely with this complaint, age and sex; public knowledge.
fn likely(episode: &Episode) -> Vec<u16> {
    let Truth::Generated(patient) = episode.truth() else { return Vec::new() };
    let base = episode.base();
    let mut weights = vec![0u64; base.diseases.len()];
    for hypothesis in &base.hypotheses {
        let disease = &base.diseases[usize::from(hypothesis.disease)];
        let share = u64::from(hypothesis.complaints[usize::from(patient.complaint)]);
        weights[usize::from(hypothesis.disease)] += share * u64::from(hypothesis.weight[patient.band]) / 1_000_000
            * u64::from(disease.incidence[patient.sex as usize][patient.band]);
    }
    let mut order: Vec<u16> = (0..weights.len() as u16).collect();
    order.sort_by_key(|&disease| (core::cmp::Reverse(weights[usize::from(disease)]), disease));
    order
}

fn guess_by_complaint(episode: &Episode) -> Action {
    Action::DiagnoseDiseases(likely(episode).into_iter().take(1).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        clinician::{Checklist, play},
        knowledge::KnowledgeBase,
        random::{Split, scenario_seed},
        reward::Payer,
        scenario::Scenario,
    };

    const CASES: u64 = 600;

    fn mean_reward(clinician: &mut dyn Clinician, base: &Arc<KnowledgeBase>) -> f64 {
        let mut total = 0.0;
        for index in 0..CASES {
            let scenario = Scenario::headline(scenario_seed(5, Split::Validation, index));
            let mut episode = Episode::new(base.clone(), scenario).unwrap();
            play(clinician, &mut episode);
            let parts = episode.reward();
            assert!(parts.total.is_finite());
            total += parts.total;
        }
        total / CASES as f64
    }

    #[test]
    fn every_scheme_earns_less_than_the_checklist() {
        let base = Arc::new(KnowledgeBase::core24().unwrap());
        let candidates = Arc::new(Candidates::new(&base, Payer::Medicare));
        let checklist = mean_reward(&mut Checklist::new(candidates.clone()), &base);
        for scheme in Scheme::ALL {
            let reward = mean_reward(&mut RedTeam::new(scheme, candidates.clone()), &base);
            assert!(reward < checklist, "{scheme:?} earns {reward}, checklist {checklist}");
        }
    }
}
