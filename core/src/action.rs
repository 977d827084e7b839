//! What an agent can do: ask, order, diagnose.

use alloc::{string::String, vec::Vec};

use crate::{
    exam::ExamCall,
    knowledge::{ItemId, Topic},
};

/// Most items answered in one patient turn (rule N5).
pub const MAX_ITEMS_PER_TURN: usize = 2;

/// What the patient is asked, once understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// One or two items: findings or attributes.
    About([Option<ItemId>; MAX_ITEMS_PER_TURN]),
    /// An open question.
    Open(Topic),
    /// Nothing that the patient could make sense of.
    NotUnderstood,
}

impl Question {
    /// A question about one item.
    pub const fn item(item: ItemId) -> Self {
        Self::About([Some(item), None])
    }
}

/// An action of a doctor: one message, one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Asks the patient.
    Ask(Question),
    /// Orders an exam.
    Order(ExamCall),
    /// Ends with a diagnosis in words, as they stood in the tag.
    Diagnose(String),
    /// Ends with diseases by index.
    DiagnoseDiseases(Vec<u16>),
    /// An order that names no tool or no allowed value.
    InvalidCall,
    /// A message of no usable form.
    FormatError,
}
