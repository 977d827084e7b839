//! What was done, in words: the action as it was understood, not as it was phrased.

use alloc::{format, string::String, vec::Vec};

use serde::Serialize;

use crate::{
    action::{Action, Question},
    episode::{Episode, Step, Truth},
    knowledge::{ItemId, ItemKind, KnowledgeBase},
};

/// What kind of action a turn was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// A question to the patient.
    Ask,
    /// An order.
    Order,
    /// The diagnosis.
    Diagnose,
    /// A message or call that could not be used.
    Mistake,
}

impl ActionKind {
    /// The kind of an action.
    pub const fn of(action: &Action) -> Self {
        match action {
            Action::Ask(_) => Self::Ask,
            Action::Order(_) => Self::Order,
            Action::Diagnose(_) | Action::DiagnoseDiseases(_) => Self::Diagnose,
            Action::InvalidCall | Action::FormatError => Self::Mistake,
        }
    }
}

/// The step's action in words.
pub(super) fn heard(base: &KnowledgeBase, episode: &Episode, step: &Step) -> String {
    match &step.action {
        Action::Ask(question) => match episode.truth() {
            Truth::Generated(_) => asked(base, *question),
            Truth::Imported(case) => {
                let path =
                    |fact: &u16| case.facts.get(usize::from(*fact)).map(|fact| fact.path.replace(['/', '_'], " "));
                step.facts.iter().filter_map(path).collect::<Vec<_>>().join("; ")
            }
        },
        Action::Order(call) => base.catalogue.label(call),
        Action::Diagnose(text) => text.clone(),
        Action::DiagnoseDiseases(diseases) => {
            let names = diseases.iter().filter_map(|&disease| base.diseases.get(usize::from(disease)));
            names.map(|disease| disease.name.as_str()).collect::<Vec<_>>().join(", ")
        }
        Action::InvalidCall | Action::FormatError => String::new(),
    }
}

fn asked(base: &KnowledgeBase, question: Question) -> String {
    match question {
        Question::About(items) => {
            items.iter().flatten().map(|&item| item_in_words(base, item)).collect::<Vec<_>>().join("; ")
        }
        Question::Open(topic) => format!("open question: {}", topic.name().replace('_', " ")),
        Question::NotUnderstood => String::new(),
    }
}

/// An item for people: `chest pain`, `chest pain: site`.
fn item_in_words(base: &KnowledgeBase, item: ItemId) -> String {
    let term = |finding: u16| base.findings[usize::from(finding)].term.as_str();
    match base.item_kind(item) {
        Some(ItemKind::Finding(finding)) => String::from(term(finding)),
        Some(ItemKind::Attribute(attribute)) => {
            let attribute = &base.attributes[usize::from(attribute)];
            format!("{}: {}", term(attribute.finding), attribute.aspect.name().replace('_', " "))
        }
        Some(ItemKind::Analyte(_)) | None => base.item_name(item),
    }
}
