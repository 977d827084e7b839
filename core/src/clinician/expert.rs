//! The clinician whose conversations are learned from: sensible and thorough, in the order of the Calgary-Cambridge guide.
//!
//! It acts on its belief, never on the truth: opening question and screening, questions, bedside examination, tests, diagnosis.

use alloc::{sync::Arc, vec};

use super::{
    Candidates, Clinician, Follower,
    greedy::{best_order, best_question},
};
use crate::{
    action::{Action, Question},
    belief::gain::{Frame, ReportChannels},
    episode::Episode,
    knowledge::Topic,
};

/// Open questions at the start: the opening and "anything else?".
const OPENINGS: usize = 2;
/// Direct questions at most.
const MAX_QUESTIONS: usize = 6;
/// Bedside examinations at most.
const MAX_BEDSIDE: usize = 2;
/// Tests at most.
const MAX_TESTS: usize = 6;
/// A question or bedside examination is made while it is expected to tell at least this many bits.
const MIN_GAIN: f64 = 0.04;
/// It asks and examines until some disease is this probable.
const CONFIDENT: f64 = 0.97;
/// It tests until some disease is this probable: more than a thrifty clinician would.
const CERTAIN: f64 = 0.93;
/// A test is done while it is expected to tell at least this many bits per unit of reward.
const MIN_TEST_RATIO: f64 = 5.0;

/// The phases of an encounter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Opening,
    Gathering,
    Bedside,
    Testing,
}

/// A thorough clinician.
#[derive(Clone, Debug)]
pub struct Expert {
    candidates: Arc<Candidates>,
    channels: Arc<ReportChannels>,
    follower: Follower,
    phase: Phase,
    /// Actions so far in the current phase.
    done: usize,
}

impl Expert {
    /// An expert.
    pub fn new(candidates: Arc<Candidates>, channels: Arc<ReportChannels>) -> Self {
        Self { candidates, channels, follower: Follower::default(), phase: Phase::Opening, done: 0 }
    }

    fn advance(&mut self, phase: Phase) {
        self.phase = phase;
        self.done = 0;
    }
}

impl Clinician for Expert {
    fn start(&mut self, episode: &Episode) {
        self.follower.start(episode);
        self.advance(Phase::Opening);
    }

    fn next_action(&mut self, episode: &Episode) -> Action {
        if self.follower.follow(episode).is_none() {
            return Action::FormatError;
        }
        loop {
            let Some(belief) = &self.follower.belief else { return Action::FormatError };
            let (disease, confidence) = belief.top();
            let is_last = episode.doctor_turns() + 1 >= episode.scenario().max_doctor_turns;
            if is_last {
                return Action::DiagnoseDiseases(vec![disease]);
            }
            let done = self.done;
            self.done += 1;
            let (candidates, channels) = (&self.candidates, &self.channels);
            match self.phase {
                Phase::Opening if done < OPENINGS => return Action::Ask(Question::Open(Topic::Complaint)),
                Phase::Opening => self.advance(Phase::Gathering),
                Phase::Gathering => {
                    let wanted = done < MAX_QUESTIONS && confidence < CONFIDENT;
                    let best = if wanted { best_question(&Frame::new(belief), episode, candidates) } else { None };
                    match best {
                        Some(choice) if choice.gain >= MIN_GAIN => return choice.action,
                        _ => self.advance(Phase::Bedside),
                    }
                }
                Phase::Bedside => {
                    let wanted = done < MAX_BEDSIDE && confidence < CONFIDENT;
                    let bedside =
                        || best_order(&Frame::new(belief), episode, candidates, channels, 0.0, |order| order.bedside);
                    match if wanted { bedside() } else { None } {
                        Some(choice) if choice.gain >= MIN_GAIN => return choice.action,
                        _ => self.advance(Phase::Testing),
                    }
                }
                Phase::Testing => {
                    let wanted = done < MAX_TESTS && confidence < CERTAIN;
                    let frame = Frame::new(belief);
                    let test =
                        || best_order(&frame, episode, candidates, channels, MIN_TEST_RATIO, |order| !order.bedside);
                    return match if wanted { test() } else { None } {
                        Some(choice) if choice.ratio() >= MIN_TEST_RATIO => choice.action,
                        _ => Action::DiagnoseDiseases(vec![disease]),
                    };
                }
            }
        }
    }
}
