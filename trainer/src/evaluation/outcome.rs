//! What is kept of one played case.

use serde::{Deserialize, Serialize};
use workup_core::{
    action::Action,
    episode::{Ending, Episode, Truth},
    observation::ReplyKind,
    reward::RewardParts,
};

/// One played case.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Seed of the scenario.
    pub seed: u64,
    /// The disease (index); `None` for an imported case.
    pub disease: Option<u16>,
    /// Share of the diagnosis that was right, 0 to 1.
    pub score: f64,
    /// The reward with its parts and counts.
    pub reward: RewardParts,
    /// Messages meant as questions.
    pub questions: u32,
    /// Questions that were understood.
    pub understood: u32,
    /// Questions asked when no patient turn was left, not among `questions`.
    pub unanswered: u32,
    /// How it ended.
    pub ending: Option<Ending>,
}

impl Outcome {
    /// The outcome of an episode.
    pub fn of_episode(episode: &Episode) -> Self {
        let disease = match episode.truth() {
            Truth::Generated(patient) => Some(patient.disease(episode.base())),
            Truth::Imported(_) => None,
        };
        let (mut questions, mut understood, mut unanswered) = (0, 0, 0);
        for step in episode.history().iter().filter(|step| matches!(step.action, Action::Ask(_))) {
            match step.reply {
                ReplyKind::PatientTurnsUsedUp => unanswered += 1,
                ReplyKind::NotUnderstood => questions += 1,
                _ => {
                    questions += 1;
                    understood += 1;
                }
            }
        }
        Self {
            seed: episode.scenario().seed,
            disease,
            score: episode.diagnosis_score(),
            reward: episode.reward(),
            questions,
            understood,
            unanswered,
            ending: episode.ending(),
        }
    }

    /// Whether the diagnosis was exactly right: the true disease and nothing else.
    pub fn is_correct(&self) -> bool {
        self.score >= 1.0
    }

    /// Messages of no usable form and calls that name nothing.
    pub fn invalid(&self) -> u32 {
        self.reward.tally.format_errors + self.reward.tally.invalid_calls
    }
}
