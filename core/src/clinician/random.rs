//! `random`: any question, any exam, sometimes a diagnosis.

use alloc::{sync::Arc, vec};

use super::{Candidates, Clinician};
use crate::{
    action::{Action, Question},
    episode::Episode,
    random::{KeyedRng, PPM, Purpose},
};

/// Share of turns, in parts per million, on which it orders, and on which it diagnoses.
const ORDER_PPM: u32 = 200_000;
const DIAGNOSE_PPM: u32 = 100_000;

/// Chooses at random, keyed by scenario and turn; diagnoses at the last turn at the latest.
#[derive(Clone, Debug)]
pub struct RandomClinician {
    candidates: Arc<Candidates>,
}

impl RandomClinician {
    /// A random clinician.
    pub fn new(candidates: Arc<Candidates>) -> Self {
        Self { candidates }
    }
}

impl Clinician for RandomClinician {
    fn start(&mut self, _episode: &Episode) {}

    fn next_action(&mut self, episode: &Episode) -> Action {
        let turn = episode.doctor_turns();
        let mut rng = KeyedRng::new(episode.scenario().seed, Purpose::Clinician, u64::from(turn), 0);
        let last = turn + 1 >= episode.scenario().max_doctor_turns;
        let draw = rng.below(PPM);
        if last || draw < DIAGNOSE_PPM {
            return Action::DiagnoseDiseases(vec![rng.below(episode.base().diseases.len() as u32) as u16]);
        }
        if draw < DIAGNOSE_PPM + ORDER_PPM && !self.candidates.orders.is_empty() {
            let order = rng.below(self.candidates.orders.len() as u32) as usize;
            return Action::Order(self.candidates.orders[order].call);
        }
        let item = rng.below(self.candidates.items.len() as u32) as usize;
        Action::Ask(self.candidates.items.get(item).map_or(Question::NotUnderstood, |&item| Question::item(item)))
    }
}
