//! Reference clinicians (CLINIC 6). None sees the truth except the oracles; same caps and prices as an agent.

mod candidates;
mod checklist;
mod expert;
mod frozen;
mod greedy;
mod oracle;
mod random;
mod redteam;

pub use candidates::{Candidates, OrderCandidate};
pub use checklist::Checklist;
pub use expert::Expert;
pub use frozen::{ChosenThresholds, FrozenThresholds, ThresholdSetting};
pub use greedy::{Choice, Greedy, Judgement, Thresholds};
pub use oracle::{Ceiling, oracle_diagnosis};
pub use random::RandomClinician;
pub use redteam::{RedTeam, Scheme};

use crate::{action::Action, belief::Belief, episode::Episode};

/// Someone who chooses the next action from what has been observed. One value plays one episode at a time.
pub trait Clinician {
    /// Prepares for a new episode.
    fn start(&mut self, episode: &Episode);

    /// The next action. Called once per turn, in order, until the episode has ended.
    fn next_action(&mut self, episode: &Episode) -> Action;
}

/// Plays an episode to its end.
pub fn play(clinician: &mut dyn Clinician, episode: &mut Episode) {
    clinician.start(episode);
    while episode.ending().is_none() {
        let action = clinician.next_action(episode);
        if episode.step(action).is_err() {
            // A clinician that names what does not exist has lost its turn; the cap ends the episode.
            let _ = episode.step(Action::FormatError);
        }
    }
}

/// A belief kept up to date with an episode.
#[derive(Clone, Debug, Default)]
struct Follower {
    belief: Option<Belief>,
    seen: usize,
    naive: bool,
}

impl Follower {
    fn start(&mut self, episode: &Episode) {
        let belief = Belief::at_start(episode);
        self.belief = if self.naive { belief.map(Belief::believing_every_word) } else { belief };
        self.seen = 0;
    }

    /// The belief after every step so far; `None` for imported words.
    fn follow(&mut self, episode: &Episode) -> Option<&Belief> {
        let belief = self.belief.as_mut()?;
        for step in &episode.history()[self.seen..] {
            belief.observe_step(episode, step);
        }
        self.seen = episode.history().len();
        Some(belief)
    }
}
