//! Readings -> the patient's words. The choice among phrases is keyed by the item, so it depends neither on the disease nor on
//! the order of questions; persona adds a short remark chosen the same way.
//!
//! Invariant: frames and remarks are chosen without looking at the value, so that nothing but the value itself tells it.

mod phrase;

use alloc::string::String;

use self::phrase::{Choice, Style, remark_after, remark_before};
use crate::{
    action::Question,
    knowledge::{Aspect, Attribute, AttributeValues, Finding, ItemId, ItemKind, KnowledgeBase},
    observation::{Reading, ReplyKind, Source, Value},
    persona::Persona,
    random::{KeyedRng, Purpose},
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
    /// Kind of reply; kinds that are no patient's words say nothing.
    pub kind: ReplyKind,
    /// What is told; entries passed over are skipped. A vague answer to an open question is one reading with `Vague`.
    pub readings: &'a [Reading],
    /// Disease (index) whose lay name the patient guesses.
    pub guess: Option<u16>,
}

/// Occurrence numbers of wording draws that belong to no direct answer.
const VOLUNTEERED: u16 = 8;
const OPENING: u16 = 9;
const TURN: u16 = 10;

/// Appends the patient's reply to `out`.
pub fn speak(base: &KnowledgeBase, speaking: &Speaking<'_>, out: &mut String) {
    let style = Style::of(speaking.persona);
    match speaking.kind {
        ReplyKind::Answer | ReplyKind::OpenAnswer => tell(base, speaking, style, out),
        ReplyKind::NotUnderstood => {
            let choice = turn_choice(speaking);
            choice.push_one_of(&phrase::NOT_UNDERSTOOD, out);
        }
        ReplyKind::PatientTurnsUsedUp => {
            let choice = turn_choice(speaking);
            choice.push_one_of(&phrase::USED_UP, out);
        }
        _ => {}
    }
}

/// Appends the patient's first sentence for a complaint (index) to `out`; nothing when there is no such complaint.
pub fn opening(base: &KnowledgeBase, complaint: u16, seed: u64, persona: Persona, out: &mut String) {
    let Some(entry) = base.complaints.get(usize::from(complaint)) else { return };
    let key = base.findings[usize::from(entry.finding)].key;
    let choice = Choice::draw(KeyedRng::new(seed, Purpose::Wording, key, OPENING));
    let start = out.len();
    choice.push_greeting(persona, out);
    let begins = out.len() == start || out.ends_with(". ");
    push_clause(choice.of(&entry.opening), begins, out);
    out.push('.');
}

fn turn_choice(speaking: &Speaking<'_>) -> Choice {
    Choice::draw(KeyedRng::new(speaking.seed, Purpose::Wording, u64::from(speaking.turn), TURN))
}

fn tell(base: &KnowledgeBase, speaking: &Speaking<'_>, style: Style, out: &mut String) {
    let told = speaking.readings.iter().filter(|reading| reading.source != Source::PassedOver);
    let first = told.clone().next();
    let choice = first.map_or_else(|| turn_choice(speaking), |reading| choice_of(base, speaking.seed, reading));
    remark_before(speaking.persona, choice, out);
    if matches!(speaking.question, Question::Open(_)) || first.is_none() {
        tell_openly(base, speaking, out);
    } else {
        let named = needs_names(base, told.clone());
        for (index, reading) in told.enumerate() {
            if index > 0 {
                out.push(' ');
            }
            answer(base, reading, choice_of(base, speaking.seed, reading), style, named, out);
        }
    }
    remark_after(speaking.persona, choice, out);
    if let Some(disease) = speaking.guess.and_then(|guess| base.diseases.get(usize::from(guess))) {
        choice.push_guess(&disease.lay, out);
    }
}

/// The draws behind the wording of one reading: keyed by what was asked and how often it was asked before.
fn choice_of(base: &KnowledgeBase, seed: u64, reading: &Reading) -> Choice {
    let (item, occurrence) = match reading.source {
        Source::Direct { asked, occurrence, .. } => (asked, u16::from(occurrence)),
        _ => (reading.item, VOLUNTEERED),
    };
    let key = match base.item_kind(item) {
        Some(ItemKind::Finding(index)) => base.findings[usize::from(index)].key,
        Some(ItemKind::Attribute(index)) => base.attributes[usize::from(index)].key,
        Some(ItemKind::Analyte(index)) => base.analytes[usize::from(index)].key,
        None => 0,
    };
    Choice::draw(KeyedRng::new(seed, Purpose::Wording, key, occurrence))
}

/// An open question: what is there, in the order told.
fn tell_openly(base: &KnowledgeBase, speaking: &Speaking<'_>, out: &mut String) {
    let told = || speaking.readings.iter().filter(|reading| reading.source != Source::PassedOver);
    if told().any(|reading| reading.value == Value::Vague) {
        return turn_choice(speaking).push_one_of(&phrase::VAGUE_OPEN, out);
    }
    let mut count = 0;
    for reading in told().filter(|reading| reading.value == Value::Present) {
        let Some(ItemKind::Finding(index)) = base.item_kind(reading.item) else { continue };
        if count > 0 {
            out.push_str(", and ");
        }
        let choice = choice_of(base, speaking.seed, reading);
        push_clause(choice.of(&base.findings[usize::from(index)].present), count == 0, out);
        count += 1;
    }
    if count == 0 {
        turn_choice(speaking).push_one_of(&phrase::NOTHING_ELSE, out);
    } else {
        out.push('.');
    }
}

/// Whether "it" would be unclear: attributes of different findings in one reply.
fn needs_names<'a>(base: &KnowledgeBase, mut told: impl Iterator<Item = &'a Reading>) -> bool {
    let owner = |item: ItemId| match base.item_kind(item) {
        Some(ItemKind::Attribute(index)) => Some(base.attributes[usize::from(index)].finding),
        _ => None,
    };
    let Some(first) = told.next() else { return false };
    told.any(|reading| owner(reading.item) != owner(first.item))
}

/// One direct answer as one or two sentences.
fn answer(base: &KnowledgeBase, reading: &Reading, choice: Choice, style: Style, named: bool, out: &mut String) {
    if let Some(phrases) = phrase::no_answer(reading.value) {
        return choice.push_one_of(phrases, out);
    }
    match base.item_kind(reading.item) {
        Some(ItemKind::Finding(index)) => {
            let confused = matches!(reading.source, Source::Direct { asked, .. } if asked != reading.item);
            answer_polar(&base.findings[usize::from(index)], reading.value, choice, style, confused, out);
        }
        Some(ItemKind::Attribute(index)) => {
            let attribute = &base.attributes[usize::from(index)];
            answer_attribute(base, attribute, reading.value, choice, named, out);
        }
        Some(ItemKind::Analyte(_)) | None => choice.push_one_of(&phrase::UNKNOWABLE, out),
    }
}

fn answer_polar(finding: &Finding, value: Value, choice: Choice, style: Style, confused: bool, out: &mut String) {
    let present = value == Value::Present;
    let clause = choice.of(if present { &finding.present } else { &finding.absent });
    let word = match (confused, present) {
        (true, _) => "Well",
        (false, true) => "Yes",
        (false, false) => "No",
    };
    out.push_str(word);
    out.push_str(style.after_word());
    push_clause(clause, style.separate_sentences(), out);
    out.push('.');
}

fn answer_attribute(
    base: &KnowledgeBase,
    attribute: &Attribute,
    value: Value,
    choice: Choice,
    named: bool,
    out: &mut String,
) {
    let finding = &base.findings[usize::from(attribute.finding)];
    if named && !matches!(value, Value::NotApplicable) {
        out.push_str("As for ");
        out.push_str(&finding.noun);
        out.push_str(": ");
    }
    match (value, &attribute.values) {
        (Value::Choice(site), AttributeValues::Sites(_)) => {
            let Some(site) = base.sites.get(usize::from(site)) else { return };
            if attribute.aspect == Aspect::Radiation {
                choice.push_radiation(site, out);
            } else {
                choice.push_one_of(&phrase::SITE, out);
                out.push_str(&site.lay);
            }
        }
        (Value::Choice(index), AttributeValues::Named(values)) => {
            let Some(named) = values.get(usize::from(index)) else { return };
            out.push_str("It ");
            out.push_str(&named.lay);
        }
        (Value::Severity(severity), _) => {
            choice.push_one_of(&phrase::SEVERITY, out);
            phrase::push_number(u32::from(severity), out);
            out.push_str(" out of 10");
        }
        (Value::Duration(number, unit), _) => {
            choice.push_one_of(&phrase::DURATION, out);
            phrase::push_number(number, out);
            out.push(' ');
            out.push_str(unit.word());
            if number != 1 {
                out.push('s');
            }
        }
        (Value::Awhile, _) => choice.push_one_of(&phrase::AWHILE, out),
        // The finding is not there: the patient says so.
        _ => push_clause(choice.of(&finding.absent), true, out),
    }
    out.push('.');
}

/// Appends a clause, with a capital when it begins a sentence.
fn push_clause(clause: &str, begins: bool, out: &mut String) {
    match clause.chars().next() {
        Some(first) if begins && first.is_ascii_lowercase() => {
            out.push(first.to_ascii_uppercase());
            out.push_str(&clause[1..]);
        }
        _ => out.push_str(clause),
    }
}

#[cfg(test)]
mod tests;
