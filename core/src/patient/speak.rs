//! Readings -> the patient's words. The choice among phrases is keyed by the item, so it depends neither on the disease nor on
//! the order of questions; persona adds a short remark chosen the same way.

use alloc::string::String;

use crate::{
    action::Question,
    knowledge::KnowledgeBase,
    observation::{Reading, ReplyKind},
    persona::Persona,
};

/// What the patient is about to say.
#[derive(Clone, Copy, Debug)]
pub struct Speaking<'a> {
    /// Seed of the scenario.
    pub seed: u64,
    /// The speaker.
    pub persona: Persona,
    /// Patient turn, from 0; varies what is said when there is nothing to tell.
    pub turn: u32,
    /// What was asked.
    pub question: &'a Question,
    /// Kind of reply.
    pub kind: ReplyKind,
    /// What is told; entries passed over are skipped. A vague answer to an open question is one reading with `Vague`.
    pub readings: &'a [Reading],
    /// Disease (index) whose lay name the patient guesses.
    pub guess: Option<u16>,
}

/// Appends the patient's reply to `out`.
pub fn speak(_base: &KnowledgeBase, _speaking: &Speaking<'_>, out: &mut String) {
    out.push_str("I am not sure what you mean.");
}

/// Appends the patient's first sentence for a complaint (index) to `out`.
pub fn opening(base: &KnowledgeBase, complaint: u16, _seed: u64, _persona: Persona, out: &mut String) {
    if let Some(phrase) = base.complaints.get(usize::from(complaint)).and_then(|entry| entry.opening.first()) {
        out.push_str(phrase);
        out.push('.');
    }
}
