//! Set pieces of a consultation after the Calgary-Cambridge guide: initiating, screening, summary, explanation, closing.

use alloc::string::String;

use super::person::second_person;
use crate::knowledge::KnowledgeBase;

/// Most findings of one summary.
const MAX_SUMMARY: usize = 4;

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

/// Appends a set piece; every `variant` is valid.
pub fn write_piece(piece: Piece, variant: u32, out: &mut String) {
    let variants: &[&str] = match piece {
        Piece::Greeting => &[
            "Hello, I am your doctor today. What brings you in?",
            "Good morning, please take a seat. What can I do for you?",
            "Hello, nice to meet you. How can I help today?",
            "Welcome. Please tell me, in your own words, what has been going on?",
        ],
        Piece::Screening => &[
            "Is there anything else?",
            "Thank you. Is anything else bothering you?",
            "I see. Any other symptoms?",
            "That helps. What else have you noticed?",
        ],
        Piece::Closing => &[
            "If it gets worse or anything new appears, come back at once.",
            "Please come back straight away if you feel worse.",
            "Call us or the emergency number if it becomes worse.",
        ],
    };
    out.push_str(variants[variant as usize % variants.len()]);
}

/// Appends a summary of what was told, at most four findings (index, present): "So you have a fever, but no cough."
/// Nothing is written when nothing was told.
pub fn write_summary(base: &KnowledgeBase, told: &[(u16, bool)], variant: u32, out: &mut String) {
    let nouns = |wanted: bool| {
        let told = told.iter().filter(move |(_, present)| *present == wanted);
        told.filter_map(|(finding, _)| base.findings.get(usize::from(*finding)))
            .map(|finding| second_person(&finding.noun))
    };
    if told.is_empty() {
        return;
    }
    out.push_str(["So you have told me: ", "Let me sum up: ", "If I understand you well: "][variant as usize % 3]);
    let start = out.len();
    push_list(nouns(true).take(MAX_SUMMARY), "yes to ", out);
    let rest = MAX_SUMMARY - nouns(true).take(MAX_SUMMARY).count();
    if out.len() > start && rest > 0 && nouns(false).next().is_some() {
        out.push_str("; ");
    }
    push_list(nouns(false).take(rest), "no to ", out);
    out.push('.');
}

fn push_list(nouns: impl Iterator<Item = String>, head: &str, out: &mut String) {
    for (index, noun) in nouns.enumerate() {
        out.push_str(if index == 0 { head } else { ", " });
        out.push_str(&noun);
    }
}

/// Appends one sentence that announces an exam by its name for people; every `variant` is valid.
pub fn write_explanation(label: &str, variant: u32, out: &mut String) {
    let (before, after) = [
        ("I would like to arrange a test: ", "."),
        ("The next step is this: ", "."),
        ("To find the cause we need: ", "."),
    ][variant as usize % 3];
    out.push_str(before);
    out.push_str(label);
    out.push_str(after);
}
