//! A scenario and its actions as a short, versioned, checksummed, URL-safe text: same code, same bytes, everywhere.
//!
//! Layout before base64url: format version (1 byte), engine version (2), knowledge digest (8), scenario, actions, checksum (4).
//! Numbers are little-endian; counts and lengths are varints that must be covered by the bytes that follow, so nothing is
//! allocated on the word of a number in the input.

mod reader;
mod writer;

use alloc::{string::String, vec::Vec};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

use crate::{
    action::{Action, Question},
    clinic::Clinic,
    dialogue::Dialogue,
    episode::Episode,
    knowledge::KnowledgeBase,
    scenario::{Scenario, ScenarioError},
};
use reader::Reader;
use writer::Writer;

/// Version of the layout.
pub const FORMAT_VERSION: u8 = 1;
/// Version of everything that decides what an episode is; raised in the commit that moves any golden.
pub const ENGINE_VERSION: u16 = 1;
/// Longest code accepted, in characters: an imported case with its whole text fits.
pub const MAX_CODE: usize = 512 << 10;
/// Most actions in a code.
pub const MAX_ACTIONS: usize = 400;

/// What was done in one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedAction {
    /// A structured action.
    Structured(Action),
    /// A message; a question with what it was understood as.
    Message {
        /// The doctor's words.
        text: String,
        /// What they were understood as, when they were a question to a generated patient.
        question: Option<Question>,
    },
}

/// A decoded code.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioCode {
    /// Version of the engine that wrote it.
    pub engine_version: u16,
    /// Digest of the knowledge base it was played in.
    pub knowledge_digest: u64,
    /// The scenario.
    pub scenario: Scenario,
    /// What was done.
    pub actions: Vec<RecordedAction>,
}

/// Why a text is no usable code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodeError {
    /// Longer than [`MAX_CODE`].
    #[error("the code has `{0}` characters: at most 524288 are read")]
    TooLong(usize),
    /// Not base64url.
    #[error("the code has a character that no code has: copy the whole link again")]
    BadCharacter,
    /// It ends early.
    #[error("the code ends early, in `{0}`: copy the whole link again")]
    Truncated(&'static str),
    /// The checksum does not match.
    #[error("the checksum is wrong: the code was changed or cut, copy the whole link again")]
    WrongChecksum,
    /// A layout that this program does not know.
    #[error("format version `{0}` is unknown: this program reads version 1")]
    UnknownVersion(u8),
    /// Bytes after the end.
    #[error("`{0}` bytes stand after the end of the code")]
    TrailingBytes(usize),
    /// A value that no code has.
    #[error("`{field}` holds `{value}`, which no code has")]
    BadValue {
        /// Field.
        field: &'static str,
        /// Value.
        value: u64,
    },
    /// Written by another engine: it would play differently here.
    #[error(
        "engine_mismatch: the code was made by engine `{0}`, this is another: start the same seed in today's clinic"
    )]
    EngineMismatch(u16),
    /// Played in another knowledge base.
    #[error("knowledge_mismatch: the code belongs to knowledge base `{0:016x}`, this is another: load that one")]
    KnowledgeMismatch(u64),
    /// The scenario is out of range.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// An action names what the knowledge base does not have, or comes after the end.
    #[error("action `{0}` cannot be performed")]
    BadAction(usize),
}

impl ScenarioCode {
    /// A code for a scenario without actions.
    pub fn of_scenario(base: &KnowledgeBase, scenario: &Scenario) -> Self {
        Self {
            engine_version: ENGINE_VERSION,
            knowledge_digest: base.digest,
            scenario: scenario.clone(),
            actions: Vec::new(),
        }
    }

    /// A code for a structured episode so far.
    pub fn of_episode(episode: &Episode) -> Self {
        let actions = episode.history().iter().map(|step| RecordedAction::Structured(step.action.clone())).collect();
        Self { actions, ..Self::of_scenario(episode.base(), episode.scenario()) }
    }

    /// A code for a dialogue so far; every question is stored with what it was understood as.
    pub fn of_dialogue(dialogue: &Dialogue) -> Self {
        let steps = dialogue.episode().history();
        let generated = matches!(dialogue.episode().truth(), crate::episode::Truth::Generated(_));
        let record = |(exchange, step): (&crate::dialogue::Exchange, &crate::episode::Step)| {
            let text = exchange.message.clone();
            match &step.action {
                Action::Ask(question) if generated => RecordedAction::Message { text, question: Some(*question) },
                action if exchange.structured => RecordedAction::Structured(action.clone()),
                _ => RecordedAction::Message { text, question: None },
            }
        };
        let actions = dialogue.exchanges().iter().zip(steps).map(record).collect();
        Self { actions, ..Self::of_scenario(dialogue.clinic().base(), dialogue.episode().scenario()) }
    }

    /// The text form.
    pub fn encode(&self) -> String {
        let mut writer = Writer::new();
        writer.u8(FORMAT_VERSION);
        writer.u16(self.engine_version);
        writer.u64(self.knowledge_digest);
        writer.scenario(&self.scenario);
        writer.varint(self.actions.len() as u64);
        for action in &self.actions {
            writer.recorded(action);
        }
        URL_SAFE_NO_PAD.encode(writer.finish())
    }

    /// Reads the text form. Total: any text gives a code or a typed error.
    ///
    /// # Errors
    /// See [`CodeError`]. Versions and digests other than those of this program are read too: [`Self::check`] compares them.
    pub fn decode(text: &str) -> Result<Self, CodeError> {
        let text = text.trim();
        if text.len() > MAX_CODE {
            return Err(CodeError::TooLong(text.len()));
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| CodeError::BadCharacter)?;
        let mut reader = Reader::checked(&bytes)?;
        let engine_version = reader.u16("engine_version")?;
        let knowledge_digest = reader.u64("knowledge_digest")?;
        let scenario = reader.scenario()?;
        scenario.check()?;
        let num = reader.varint("actions")?;
        if num > MAX_ACTIONS as u64 {
            return Err(CodeError::BadValue { field: "actions", value: num });
        }
        let mut actions = Vec::new();
        for _ in 0..num {
            actions.push(reader.recorded()?);
        }
        reader.end()?;
        Ok(Self { engine_version, knowledge_digest, scenario, actions })
    }

    /// Checks that this program and this knowledge base replay the code as it was.
    ///
    /// # Errors
    /// `engine_mismatch` or `knowledge_mismatch`.
    pub fn check(&self, base: &KnowledgeBase) -> Result<(), CodeError> {
        if self.engine_version != ENGINE_VERSION {
            return Err(CodeError::EngineMismatch(self.engine_version));
        }
        if self.knowledge_digest != base.digest {
            return Err(CodeError::KnowledgeMismatch(self.knowledge_digest));
        }
        Ok(())
    }

    /// Plays the whole code again.
    ///
    /// # Errors
    /// A mismatch of versions, a scenario out of range, or an action that cannot be performed.
    pub fn replay(&self, clinic: alloc::sync::Arc<Clinic>) -> Result<Dialogue, CodeError> {
        self.check(clinic.base())?;
        let mut dialogue = Dialogue::new(clinic, self.scenario.clone())?;
        for (index, action) in self.actions.iter().enumerate() {
            dialogue.perform_recorded(action).map_err(|_| CodeError::BadAction(index))?;
        }
        Ok(dialogue)
    }
}
