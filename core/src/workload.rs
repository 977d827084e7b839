//! The work that speed is measured on: whole episodes of the expert, in words and structured, on every platform the same.
//!
//! What needs the belief (choosing) is done beforehand; what is measured is the clinic alone: creation, understanding, answers,
//! reports, words, reward. There is no clock here: who calls measures.

use alloc::{string::String, sync::Arc, vec::Vec};

use crate::{
    action::Action,
    belief::{Belief, gain::ReportChannels},
    clinic::Clinic,
    clinician::{Candidates, Expert},
    dialogue::Dialogue,
    episode::Episode,
    knowledge::KnowledgeBase,
    protocol::{write_diagnosis, write_tool_call},
    random::{Split, scenario_seed},
    scenario::{Scenario, ScenarioError},
    wording::{Wording, WordingError},
};

/// Why a workload cannot be prepared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkloadError {
    /// A scenario out of range.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// A knowledge base without words for a question.
    #[error(transparent)]
    Wording(#[from] WordingError),
}

/// One episode: its seed, what is done, and the same in words.
#[derive(Clone, Debug)]
struct Recorded {
    seed: u64,
    actions: Vec<Action>,
    messages: Vec<String>,
}

/// Recorded episodes of the expert under the headline setting: noise and persona on.
#[derive(Clone, Debug)]
pub struct Workload {
    clinic: Arc<Clinic>,
    episodes: Vec<Recorded>,
}

impl Workload {
    /// Has the expert play `episodes` training scenarios of a master seed, and puts what it does into words.
    ///
    /// # Errors
    /// A knowledge base without words for a question.
    pub fn new(clinic: Arc<Clinic>, seed: u64, episodes: u64) -> Result<Self, WorkloadError> {
        let base = clinic.base().clone();
        let wording = Wording::new(&base, clinic.phrases())?;
        let candidates = Arc::new(Candidates::new(&base, Scenario::headline(0).payer));
        let mut expert = Expert::new(candidates, Arc::new(ReportChannels::new(&base)));
        let mut recorded = Vec::new();
        for index in 0..episodes {
            let seed = scenario_seed(seed, Split::Train, index);
            let mut episode = Episode::new(base.clone(), Scenario::headline(seed))?;
            crate::clinician::play(&mut expert, &mut episode);
            let actions: Vec<Action> = episode.history().iter().map(|step| step.action.clone()).collect();
            let messages = actions.iter().enumerate().map(|(turn, action)| say(&base, &wording, action, turn as u32));
            recorded.push(Recorded { seed, messages: messages.collect(), actions });
        }
        Ok(Self { clinic, episodes: recorded })
    }

    /// Plays every episode in words, each created anew; returns the text turns: messages that ask or order, with their replies.
    pub fn run_text(&self) -> u64 {
        let mut turns = 0;
        for recorded in &self.episodes {
            let Ok(mut dialogue) = Dialogue::new(self.clinic.clone(), Scenario::headline(recorded.seed)) else {
                continue;
            };
            for message in &recorded.messages {
                dialogue.send(message);
            }
            core::hint::black_box(dialogue.episode().reward().total);
            turns += recorded.messages.len() as u64 - 1;
        }
        turns
    }

    /// Plays every episode with structured actions, no words built; returns the steps.
    pub fn run_structured(&self) -> u64 {
        let mut steps = 0;
        let Ok(mut episode) = Episode::new(self.clinic.base().clone(), Scenario::headline(0)) else { return 0 };
        for recorded in &self.episodes {
            if episode.reset(recorded.seed).is_err() {
                continue;
            }
            for action in &recorded.actions {
                steps += u64::from(episode.step(action.clone()).is_ok());
            }
            core::hint::black_box(episode.reward().total);
        }
        steps
    }

    /// Plays every episode with structured actions and follows it with the exact belief; returns the steps.
    pub fn run_belief(&self) -> u64 {
        let mut steps = 0;
        for recorded in &self.episodes {
            let scenario = Scenario::headline(recorded.seed);
            let Ok(mut episode) = Episode::new(self.clinic.base().clone(), scenario) else { continue };
            let Some(mut belief) = Belief::at_start(&episode) else { continue };
            for action in &recorded.actions {
                steps += u64::from(episode.step(action.clone()).is_ok());
                if let Some(step) = episode.history().last() {
                    belief.observe_step(&episode, step);
                }
            }
            core::hint::black_box(belief.top());
        }
        steps
    }
}

fn say(base: &KnowledgeBase, wording: &Wording, action: &Action, variant: u32) -> String {
    let mut out = String::new();
    match action {
        Action::Ask(question) => wording.write_question(base, question, variant, &mut out),
        Action::Order(call) => {
            write_tool_call(&base.catalogue.exam(call).name, base.catalogue.arguments(call), &mut out);
        }
        Action::Diagnose(text) => write_diagnosis([text.as_str()], &mut out),
        Action::DiagnoseDiseases(diseases) => {
            write_diagnosis(
                diseases.iter().map(|&disease| base.diseases[usize::from(disease)].name.as_str()),
                &mut out,
            );
        }
        Action::InvalidCall | Action::FormatError => {}
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_episodes_are_played_in_words_and_structured() {
        let clinic = Arc::new(Clinic::core24().unwrap());
        let workload = Workload::new(clinic.clone(), 1, 8).unwrap();
        assert_eq!(workload.run_text() + 8, workload.run_structured());
        assert_eq!(workload.run_belief(), workload.run_structured());
        for recorded in &workload.episodes {
            let mut dialogue = Dialogue::new(clinic.clone(), Scenario::headline(recorded.seed)).unwrap();
            let mut episode = Episode::new(clinic.base().clone(), Scenario::headline(recorded.seed)).unwrap();
            for (message, action) in recorded.messages.iter().zip(&recorded.actions) {
                dialogue.send(message);
                episode.step(action.clone()).unwrap();
            }
            assert_eq!(dialogue.episode().digest(), episode.digest(), "{:?}", recorded.messages);
        }
    }
}
