//! The doctor's words for structured actions: questions that are understood as what they came from, and the set pieces of a
//! consultation after the Calgary-Cambridge guide.
//!
//! Invariant: every question that [`Wording`] writes was understood, when it was composed, as exactly what it asks, whatever
//! the complaint and whatever was talked about before.

mod compose;
mod person;
mod piece;

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

pub use self::{
    person::{second_person, without_article},
    piece::{Piece, write_explanation, write_piece, write_summary},
};
use crate::{
    action::Question,
    knowledge::{ItemId, ItemKind, KnowledgeBase, Topic},
    patient::understand::{Context, PhraseIndex},
};

/// Most variants kept of one question.
const MAX_VARIANTS: usize = 5;
/// Questions marked as a last resort (a leading `~`) are taken only below this number.
const ENOUGH_VARIANTS: usize = 3;
/// Longest question of one item, in words.
const MAX_WORDS: usize = 11;

/// The doctor's questions for every item and topic, each checked to be understood as what it asks; built once.
#[derive(Clone, Debug)]
pub struct Wording {
    /// Variants by item: findings, then attributes.
    items: Vec<Vec<String>>,
    /// Variants by topic.
    topics: [Vec<String>; 6],
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

impl Wording {
    /// Composes the questions of a knowledge base and checks each by understanding it.
    ///
    /// # Errors
    /// Names the item for which no question is understood, and what was understood instead.
    pub fn new(base: &KnowledgeBase, index: &PhraseIndex) -> Result<Self, WordingError> {
        let num_items = base.findings.len() + base.attributes.len();
        let items = (0..num_items as u16).map(|item| understood_item(base, index, ItemId(item)));
        let mut topics: [Vec<String>; 6] = Default::default();
        for topic in Topic::ALL {
            let candidates = compose::topic_questions(topic).map(ToString::to_string);
            topics[topic as usize] = keep_understood(base, index, Question::Open(topic), 0, candidates)?;
        }
        Ok(Self { items: items.collect::<Result<_, _>>()?, topics })
    }

    /// Appends the question in the doctor's words; every `variant` is valid. Nothing is written for `NotUnderstood` and for
    /// items that a patient cannot be asked for.
    pub fn write_question(&self, base: &KnowledgeBase, question: &Question, variant: u32, out: &mut String) {
        match question {
            Question::About(items) => {
                let known = |item: &ItemId| base.item_kind(*item).is_some() && usize::from(item.0) < self.items.len();
                for (index, item) in items.iter().flatten().filter(|item| known(item)).enumerate() {
                    if index > 0 {
                        out.push(' ');
                    }
                    push_variant(&self.items[usize::from(item.0)], variant, out);
                }
            }
            Question::Open(topic) => push_variant(&self.topics[*topic as usize], variant, out),
            Question::NotUnderstood => {}
        }
    }

    /// Number of variants of a question about one item or topic.
    pub fn num_variants(&self, question: &Question) -> usize {
        match question {
            Question::About(items) => items[0].and_then(|item| self.items.get(usize::from(item.0))).map_or(0, Vec::len),
            Question::Open(topic) => self.topics[*topic as usize].len(),
            Question::NotUnderstood => 0,
        }
    }
}

fn push_variant(variants: &[String], variant: u32, out: &mut String) {
    if !variants.is_empty() {
        out.push_str(&variants[variant as usize % variants.len()]);
    }
}

fn understood_item(base: &KnowledgeBase, index: &PhraseIndex, item: ItemId) -> Result<Vec<String>, WordingError> {
    let (finding, candidates) = match base.item_kind(item) {
        Some(ItemKind::Finding(finding)) => (finding, compose::finding_questions(&base.findings[usize::from(finding)])),
        Some(ItemKind::Attribute(attribute)) => {
            let attribute = &base.attributes[usize::from(attribute)];
            let finding = &base.findings[usize::from(attribute.finding)];
            (attribute.finding, compose::attribute_questions(finding, attribute.aspect))
        }
        Some(ItemKind::Analyte(_)) | None => return Ok(Vec::new()),
    };
    keep_understood(base, index, Question::item(item), finding, candidates.into_iter())
}

/// The candidates that are understood as `question` in every context; an error when there are none.
fn keep_understood(
    base: &KnowledgeBase,
    index: &PhraseIndex,
    question: Question,
    finding: u16,
    candidates: impl Iterator<Item = String>,
) -> Result<Vec<String>, WordingError> {
    let other = if finding == 0 { base.findings.len() as u16 - 1 } else { 0 };
    let contexts = [
        Context { complaint: finding, last: None },
        Context { complaint: finding, last: Some(other) },
        Context { complaint: other, last: Some(finding) },
        Context { complaint: other, last: None },
    ];
    let mut kept: Vec<String> = Vec::new();
    let mut failed = None;
    for candidate in candidates {
        let last_resort = candidate.starts_with(compose::LAST_RESORT);
        let candidate = candidate.trim_start_matches(compose::LAST_RESORT).to_string();
        let limit = if last_resort { ENOUGH_VARIANTS } else { MAX_VARIANTS };
        if kept.len() >= limit || kept.contains(&candidate) || candidate.split(' ').count() > MAX_WORDS {
            continue;
        }
        let heard = contexts.iter().map(|&context| index.understand(base, &candidate, context).question);
        match heard.into_iter().find(|heard| *heard != question) {
            None => kept.push(candidate),
            Some(heard) => failed = failed.or(Some((candidate, heard))),
        }
    }
    if kept.is_empty() {
        let (question_text, heard) = failed.unwrap_or((String::new(), Question::NotUnderstood));
        let item = describe(base, &question);
        return Err(WordingError { item, question: question_text, heard: describe(base, &heard) });
    }
    Ok(kept)
}

/// A question in ids, for errors and logs: `chest_pain.site`, `open(history)`, `not understood`.
pub fn describe(base: &KnowledgeBase, question: &Question) -> String {
    match question {
        Question::About(items) => {
            let names: Vec<String> = items.iter().flatten().map(|&item| base.item_name(item)).collect();
            names.join(" + ")
        }
        Question::Open(topic) => format!("open({})", topic.name()),
        Question::NotUnderstood => "not understood".to_string(),
    }
}

#[cfg(test)]
mod tests;
