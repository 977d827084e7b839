//! Doctor's words -> a [`Question`]: one pass over the bytes, own open-addressing tables, no allocation.
//!
//! Phrases are those of the knowledge base (ways of asking, nouns, terms) and built-in cues for kinds of questions. The longest
//! phrase wins; what the knowledge base says wins over what is built in. Total and bounded on any text.

use crate::{
    action::Question,
    knowledge::{Aspect, KnowledgeBase, Topic},
};

/// Bytes of a doctor's message that are listened to.
pub const MAX_TEXT: usize = 2_000;
/// Most findings and cues noted in one message.
pub const MAX_MENTIONS: usize = 8;

/// What the words refer back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// The complaint's finding (index).
    pub complaint: u16,
    /// The finding last talked about (index).
    pub last: Option<u16>,
}

/// A finding mentioned in a question, and what about it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The finding (index).
    pub finding: u16,
    /// `None`: whether it is there.
    pub aspect: Option<Aspect>,
}

/// Kinds of questions that were heard, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(pub u32);

impl Kinds {
    /// Adds an aspect.
    pub const fn with_aspect(self, aspect: Aspect) -> Self {
        Self(self.0 | 1 << aspect as u32)
    }

    /// Adds a topic.
    pub const fn with_topic(self, topic: Topic) -> Self {
        Self(self.0 | 1 << (16 + topic as u32))
    }

    /// True when the aspect was asked for.
    pub const fn has_aspect(self, aspect: Aspect) -> bool {
        self.0 & 1 << aspect as u32 != 0
    }

    /// True when the topic was asked for.
    pub const fn has_topic(self, topic: Topic) -> bool {
        self.0 & 1 << (16 + topic as u32) != 0
    }
}

/// What a doctor's message was understood as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Understood {
    /// The question put to the patient.
    pub question: Question,
    /// Findings mentioned in questions, in the order of the text; the first `num_mentions` are valid.
    pub mentions: [Mention; MAX_MENTIONS],
    /// Number of valid mentions.
    pub num_mentions: usize,
    /// Kinds of questions heard.
    pub kinds: Kinds,
}

/// All phrases of a knowledge base, ready for matching; built once.
#[derive(Clone, Debug)]
pub struct PhraseIndex {}

impl PhraseIndex {
    /// Compiles the phrases of `base` and the built-in cues.
    pub fn new(_base: &KnowledgeBase) -> Self {
        Self {}
    }

    /// Understands a doctor's message; [`Question::NotUnderstood`] when nothing in it is a question that a patient can answer.
    pub fn understand(&self, _base: &KnowledgeBase, _text: &str, context: Context) -> Understood {
        let none = Mention { finding: context.complaint, aspect: None };
        Understood {
            question: Question::NotUnderstood,
            mentions: [none; MAX_MENTIONS],
            num_mentions: 0,
            kinds: Kinds::default(),
        }
    }
}
