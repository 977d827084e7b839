//! Doctor's words -> a [`Question`]: one pass over the bytes, own open-addressing tables, no allocation.
//!
//! Phrases are those of the knowledge base (ways of asking, nouns, terms) and built-in cues for kinds of questions. The longest
//! phrase wins; what the knowledge base says wins over what is built in. Only questions are answered: a sentence that ends in
//! a question mark or begins like a question. Statements before a question say what it refers back to. Total and bounded on
//! any text.

mod cue;
mod sentence;
mod table;

use alloc::{
    string::{String, ToString},
    vec,
    vec::Vec,
};

use self::{
    sentence::{Sentence, heard},
    table::{COMMA, END, Meaning, PhraseTable, QUESTION_MARK, UNKNOWN, role},
};
use crate::{
    action::{MAX_ITEMS_PER_TURN, Question},
    knowledge::{Aspect, FindingKind, ItemId, KnowledgeBase, Topic},
    wording::second_person,
};

/// Bytes of a doctor's message that are listened to.
pub const MAX_TEXT: usize = 2_000;
/// Most findings and cues noted in one message.
pub const MAX_MENTIONS: usize = 8;
/// A message of so few words need not be put as a question: "chest pain".
const MAX_ELLIPSIS: u32 = 6;

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
    #[must_use]
    pub const fn with_aspect(self, aspect: Aspect) -> Self {
        Self(self.0 | 1 << aspect as u32)
    }

    /// Adds a topic.
    #[must_use]
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
    /// Findings asked about, in the order of the text; the first `num_mentions` are valid.
    pub mentions: [Mention; MAX_MENTIONS],
    /// Number of valid mentions.
    pub num_mentions: usize,
    /// Kinds of questions heard.
    pub kinds: Kinds,
}

/// A phrase that two findings claim; the first keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// The phrase as written.
    pub phrase: String,
    /// The finding (index) that is understood.
    pub kept: u16,
    /// The finding (index) that is not.
    pub lost: u16,
}

/// What the understanding must know about a finding.
#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    /// Past illness, medicine, habit.
    history: bool,
    /// Listed under the topic family.
    family: bool,
    /// It hurts: "the pain" may mean it.
    painful: bool,
}

/// What was heard in the questions of a message.
struct Hearing {
    complaint: u16,
    last: Option<u16>,
    mentions: [Mention; MAX_MENTIONS],
    num_mentions: usize,
    items: [Option<ItemId>; MAX_ITEMS_PER_TURN],
    topic: Option<Topic>,
    open: bool,
    kinds: Kinds,
}

impl Hearing {
    /// Notes a finding or an aspect of it, which the finding has.
    fn mention(&mut self, base: &KnowledgeBase, finding: u16, aspect: Option<Aspect>) {
        let mention = Mention { finding, aspect };
        if self.num_mentions == MAX_MENTIONS || self.mentions[..self.num_mentions].contains(&mention) {
            return;
        }
        self.mentions[self.num_mentions] = mention;
        self.num_mentions += 1;
        self.last = Some(finding);
        let attribute = aspect.and_then(|aspect| base.attribute_of(finding, aspect));
        let item = attribute.map_or_else(|| base.finding_item(finding), |attribute| base.attribute_item(attribute));
        if let Some(slot) = self.items.iter_mut().find(|slot| slot.is_none()) {
            *slot = Some(item);
        }
    }

    fn question(&self) -> Question {
        match (self.items[0], self.topic) {
            (Some(_), _) => Question::About(self.items),
            (None, Some(topic)) => Question::Open(topic),
            (None, None) if self.open => Question::Open(Topic::Complaint),
            (None, None) => Question::NotUnderstood,
        }
    }
}

/// All phrases of a knowledge base, ready for matching; built once.
#[derive(Clone, Debug)]
pub struct PhraseIndex {
    table: PhraseTable,
    flags: Vec<Flags>,
    clashes: Vec<Clash>,
}

impl PhraseIndex {
    /// Compiles the phrases of `base` and the built-in cues.
    pub fn new(base: &KnowledgeBase) -> Self {
        let mut index = Self { table: PhraseTable::new(), flags: flags(base), clashes: Vec::new() };
        // Symptoms and history before signs, which a patient cannot answer: a phrase of both goes to the first.
        let is_sign = |finding: u16| base.findings[usize::from(finding)].kind == FindingKind::Sign;
        let all = 0..base.findings.len() as u16;
        let mut order: Vec<u16> = all.clone().filter(|&finding| !is_sign(finding)).collect();
        order.extend(all.filter(|&finding| is_sign(finding)));
        for &finding in &order {
            for phrase in &base.findings[usize::from(finding)].ask {
                index.claim(phrase, finding, true);
            }
        }
        for &finding in &order {
            // "aspirin" alone is not a question about an allergy.
            if !base.topics[Topic::Allergy as usize].contains(&finding) {
                let noun = &base.findings[usize::from(finding)].noun;
                index.claim(crate::wording::without_article(&second_person(noun)), finding, false);
            }
        }
        for &finding in &order {
            index.claim(&base.findings[usize::from(finding)].term, finding, false);
        }
        for &finding in &order {
            for clause in &base.findings[usize::from(finding)].present {
                index.claim_clause(&second_person(clause), finding);
            }
        }
        cue::insert_all(&mut index.table);
        index
    }

    fn claim(&mut self, phrase: &str, finding: u16, note: bool) {
        if let Some(Meaning::Finding(kept)) = self.table.insert(phrase, Meaning::Finding(finding))
            && note
            && kept != finding
        {
            self.clashes.push(Clash { phrase: phrase.to_string(), kept, lost: finding });
        }
    }

    /// A patient's whole clause, turned to the doctor's words, is a way of asking too; its subject may be elsewhere.
    fn claim_clause(&mut self, clause: &str, finding: u16) {
        let rest =
            ["you are ", "you have been ", "you have ", "you "].iter().find_map(|start| clause.strip_prefix(start));
        let rest = rest.unwrap_or(clause);
        if rest.split(' ').count() >= 3 {
            self.claim(rest, finding, false);
        }
    }

    /// Ways of asking that two findings claim.
    pub fn clashes(&self) -> &[Clash] {
        &self.clashes
    }

    /// Understands a doctor's message; [`Question::NotUnderstood`] when nothing in it is a question that a patient can answer.
    ///
    /// Indexes in `context` must be those of findings of `base`, the base this index was built from; others are ignored.
    pub fn understand(&self, base: &KnowledgeBase, text: &str, context: Context) -> Understood {
        let known = |finding: &u16| usize::from(*finding) < self.flags.len();
        let complaint = if known(&context.complaint) { context.complaint } else { 0 };
        let mut hearing = Hearing {
            complaint,
            last: context.last.filter(known),
            mentions: [Mention { finding: complaint, aspect: None }; MAX_MENTIONS],
            num_mentions: 0,
            items: [None; MAX_ITEMS_PER_TURN],
            topic: None,
            open: false,
            kinds: Kinds::default(),
        };
        let bytes = text.as_bytes();
        self.hear(base, &bytes[..bytes.len().min(MAX_TEXT)], &mut hearing);
        Understood {
            question: hearing.question(),
            mentions: hearing.mentions,
            num_mentions: hearing.num_mentions,
            kinds: hearing.kinds,
        }
    }

    fn hear(&self, base: &KnowledgeBase, bytes: &[u8], hearing: &mut Hearing) {
        let tokens = self.table.tokens(bytes);
        let tokens = tokens.as_slice();
        let mut sentence = Sentence::new();
        let mut statement = None;
        let mut num_sentences = 0;
        let mut at = 0;
        while at <= tokens.len() {
            let token = tokens.get(at).copied().unwrap_or(END);
            match token {
                END | QUESTION_MARK => {
                    at += 1;
                    if !sentence.has(heard::BEGUN) {
                        sentence = Sentence::new();
                        continue;
                    }
                    sentence.end();
                    num_sentences += 1;
                    if token == QUESTION_MARK || sentence.has(heard::OPENER | heard::REQUEST) {
                        sentence.ask(base, &self.flags, hearing);
                    } else {
                        hearing.last = sentence.last_finding().or(hearing.last);
                        statement = Some(sentence);
                    }
                    sentence = Sentence::new();
                }
                COMMA => {
                    at += 1;
                    sentence.end_clause();
                    sentence.note(heard::HEAD);
                }
                UNKNOWN => {
                    at += 1;
                    sentence.note(heard::BEGUN);
                    sentence.forget(heard::HEAD);
                    sentence.num_words += 1;
                }
                word => at += self.hear_word(word, &tokens[at..], &mut sentence),
            }
        }
        // A few words that are no statement are a question too: "chest pain", "fever or chills".
        if let Some(only) =
            statement.filter(|only: &Sentence| num_sentences == 1 && !only.has(heard::STATEMENT) && only.has_content())
            && only.num_words <= MAX_ELLIPSIS
        {
            only.ask(base, &self.flags, hearing);
        }
    }

    /// Takes in the word or phrase at the head of `tokens`; returns how many tokens that were.
    fn hear_word(&self, word: u16, tokens: &[u16], sentence: &mut Sentence) -> usize {
        let roles = self.table.role(word);
        if !sentence.has(heard::BEGUN) && (roles & role::FILLER == 0 || roles & role::STATEMENT != 0) {
            let statement = if roles & role::STATEMENT != 0 { heard::STATEMENT } else { 0 };
            let opener = if roles & role::OPENER != 0 { heard::OPENER } else { 0 };
            sentence.note(heard::BEGUN | statement | opener);
        }
        let (skip, length, meaning) = self.table.phrase(tokens);
        if length == 0 {
            sentence.num_words += 1;
            if roles & role::JOIN != 0 {
                sentence.end_clause();
                sentence.note(heard::HEAD);
            } else if roles & role::FILLER == 0 {
                sentence.forget(heard::HEAD);
            }
            return 1;
        }
        sentence.hear(meaning);
        sentence.note(heard::BEGUN);
        sentence.forget(heard::HEAD);
        sentence.num_words += (skip + length) as u32;
        skip + length
    }
}

fn flags(base: &KnowledgeBase) -> Vec<Flags> {
    let mut flags = vec![Flags::default(); base.findings.len()];
    for (flags, finding) in flags.iter_mut().zip(&base.findings) {
        flags.history = finding.is_history();
        let hurts = |text: &String| {
            text.split(' ')
                .any(|word| matches!(word.trim_end_matches('s'), "pain" | "hurt" | "ache" | "headache" | "sore"))
        };
        flags.painful = !finding.is_history() && (hurts(&finding.noun) || finding.ask.iter().any(hurts));
    }
    for &finding in &base.topics[Topic::Family as usize] {
        flags[usize::from(finding)].family = true;
    }
    flags
}

#[cfg(test)]
mod tests;
