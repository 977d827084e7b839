//! The clinic as the rollout engine sees it: token ids in, token ids out, a reward at the end.
//!
//! Prices, diseases, wording and protocol stay on the other side of these two traits, so everything here can be
//! tested on a toy.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A source of episodes. The same scenario always starts the same episode, noise included.
pub trait Clinic {
    /// One running episode. A clone goes on independently from the same state, which is how a group shares its start.
    type Episode: Episode;

    /// Starts `scenario`: the episode, and the prompt up to and including the opening of the first doctor message.
    fn start(&self, scenario: u64) -> (Self::Episode, Vec<u32>);
}

/// One conversation between the policy (the doctor) and the clinic.
pub trait Episode: Clone {
    /// Takes one doctor message, exactly the tokens the policy chose: it closes with the end token unless the message
    /// was cut at the limit of tokens per turn.
    fn step(&mut self, message: &[u32]) -> ClinicStep;

    /// Ends the episode from outside because the conversation reached the token limit; an unfinished message is not
    /// heard.
    fn truncate(&mut self) -> Ending;
}

/// What the clinic answers to one doctor message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClinicStep {
    /// Tokens that follow the message in the context: the reply with its role marks, up to and including the opening of
    /// the next doctor message. When the message was cut, they begin with what closes it. Ignored at the end.
    pub observation: Vec<u32>,
    /// Set when the episode is over.
    pub ended: Option<Ending>,
}

/// How an episode ended and what it earned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ending {
    /// The reward R, finite, all costs included.
    pub reward: f64,
    /// The diagnosis score S in 0..=1, without costs.
    pub score: f64,
    /// True when a cap ended the episode rather than a diagnosis.
    pub truncated: bool,
    /// Anything else worth averaging into the log, under its final name (`episode/dollars`, `action_share/ask`, ..).
    pub metrics: BTreeMap<String, f64>,
}
