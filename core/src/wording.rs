//! The doctor's words for structured actions: questions that are understood as what they came from, and the set pieces of a
//! consultation after the Calgary-Cambridge guide.

use alloc::string::String;

use crate::{action::Question, knowledge::KnowledgeBase, patient::understand::PhraseIndex};

/// The doctor's questions for every item and topic, each checked to be understood as what it asks; built once.
#[derive(Clone, Debug)]
pub struct Wording {}

impl Wording {
    /// Composes the questions of a knowledge base and checks each by understanding it.
    ///
    /// # Errors
    /// Names the item for which no question is understood, and what was understood instead.
    pub fn new(_base: &KnowledgeBase, _index: &PhraseIndex) -> Result<Self, WordingError> {
        Ok(Self {})
    }

    /// Appends the question in the doctor's words; every `variant` is valid. Nothing is written for `NotUnderstood`.
    pub fn write_question(&self, _base: &KnowledgeBase, _question: &Question, _variant: u32, _out: &mut String) {}
}

/// Why a knowledge base has no words for an item.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no question for `{item}` is understood: `{question}` is heard as `{heard}`; add an `ask` phrase that no other finding has"
)]
pub struct WordingError {
    /// Item or topic.
    pub item: String,
    /// A question that was tried.
    pub question: String,
    /// What it was understood as.
    pub heard: String,
}

/// A set piece of the consultation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Greeting and open question.
    Greeting,
    /// Is there anything else?
    Screening,
    /// Closing with a safety net.
    Closing,
}

/// Appends a set piece.
pub fn write_piece(_piece: Piece, _variant: u32, _out: &mut String) {}

/// Appends a summary of what was told: findings (indexes) and whether they are present.
pub fn write_summary(_base: &KnowledgeBase, _told: &[(u16, bool)], _variant: u32, _out: &mut String) {}

/// Appends one sentence that announces an exam by its name for people.
pub fn write_explanation(_label: &str, _variant: u32, _out: &mut String) {}
