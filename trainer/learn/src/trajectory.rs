//! What one rollout leaves behind. Tokens are kept as they were sampled: nothing is ever rendered to text and encoded
//! again.

use serde::{Deserialize, Serialize};

use crate::clinic::Ending;

/// One episode as the policy lived it. The four token-wise lists have the same length.
///
/// Serialises exactly only where floats round-trip: with `serde_json`, switch on its feature `float_roundtrip`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trajectory {
    /// The scenario that was played.
    pub scenario: u64,
    /// Index of this trajectory in its group.
    pub member: u32,
    /// Prompt, doctor messages and observations in the order the model read them.
    pub tokens: Vec<u32>,
    /// True on tokens the policy chose.
    pub action_mask: Vec<bool>,
    /// Log-probability at sampling time of each chosen token at temperature 1; 0 on all others.
    pub old_log_probs: Vec<f32>,
    /// Which turn a token belongs to: a doctor message and the observation that answers it share a number, from 0; the
    /// prompt counts with turn 0.
    pub turn_ids: Vec<u32>,
    /// How it ended.
    pub ending: Ending,
    /// Doctor messages that the clinic answered.
    pub num_turns: u32,
    /// Sum over chosen tokens of the entropy, in nats, of the distribution each was drawn from.
    pub entropy_sum: f64,
}

impl Trajectory {
    /// A trajectory that has read `prompt` and chosen nothing yet.
    pub fn from_prompt(scenario: u64, member: u32, prompt: &[u32]) -> Self {
        let mut trajectory = Self { scenario, member, ..Self::default() };
        trajectory.push_observation(prompt, 0);
        trajectory
    }

    /// Appends tokens the policy did not choose.
    pub fn push_observation(&mut self, tokens: &[u32], turn: u32) {
        for &token in tokens {
            self.push(token, false, 0.0, turn);
        }
    }

    /// Appends one token the policy chose.
    pub fn push_action(&mut self, token: u32, log_prob: f32, turn: u32) {
        self.push(token, true, log_prob, turn);
    }

    fn push(&mut self, token: u32, chosen: bool, log_prob: f32, turn: u32) {
        self.tokens.push(token);
        self.action_mask.push(chosen);
        self.old_log_probs.push(log_prob);
        self.turn_ids.push(turn);
    }

    /// Number of tokens, chosen or not.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there are no tokens at all.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Number of tokens the policy chose: the length that normalisers and penalties mean.
    pub fn num_chosen(&self) -> usize {
        self.action_mask.iter().filter(|&&chosen| chosen).count()
    }
}

/// Trajectories of one scenario: same case, same noise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// The scenario all members played.
    pub scenario: u64,
    /// The members, by index.
    pub trajectories: Vec<Trajectory>,
}

impl Group {
    /// The diagnosis scores S of the members.
    pub fn scores(&self) -> Vec<f64> {
        self.trajectories.iter().map(|trajectory| trajectory.ending.score).collect()
    }
}
