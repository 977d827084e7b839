//! One sentence while it is heard: its parts in order, then what they ask for.

use super::{Flags, Hearing, MAX_MENTIONS, table::Meaning};
use crate::knowledge::{Aspect, KnowledgeBase, Topic};

/// Findings and aspects of a sentence, at most this many; later ones are not heard.
const MAX_PARTS: usize = MAX_MENTIONS;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Finding(u16),
    Aspect(Aspect),
}

/// What was heard besides parts, as bits. The first five end with the clause, the others with the sentence.
pub(super) mod heard {
    pub(super) const WHEN: u16 = 1;
    pub(super) const START: u16 = 2;
    pub(super) const SITE: u16 = 4;
    pub(super) const RADIATION: u16 = 8;
    pub(super) const ASPECT: u16 = 16;
    pub(super) const CLAUSE: u16 = 31;
    pub(super) const OPEN: u16 = 32;
    pub(super) const PAIN: u16 = 64;
    pub(super) const LIKE: u16 = 128;
    /// Words such as "I would like to know".
    pub(in super::super) const REQUEST: u16 = 256;
    /// It begins like a question.
    pub(in super::super) const OPENER: u16 = 512;
    /// It begins like a statement.
    pub(in super::super) const STATEMENT: u16 = 1024;
    /// A word that is no filler was heard.
    pub(in super::super) const BEGUN: u16 = 2048;
    /// A clause has just begun: "when" asks for a time.
    pub(in super::super) const HEAD: u16 = 4096;
}

/// A sentence as heard so far.
#[derive(Clone, Copy)]
pub(super) struct Sentence {
    parts: [Part; MAX_PARTS],
    len: usize,
    /// The first topic.
    topic: Option<Topic>,
    /// Bits of [`heard`].
    heard: u16,
    /// Words heard.
    pub(super) num_words: u32,
}

impl Sentence {
    pub(super) const fn new() -> Self {
        Self { parts: [Part::Finding(0); MAX_PARTS], len: 0, topic: None, heard: heard::HEAD, num_words: 0 }
    }

    /// Whether any of these bits of [`heard`] is set.
    #[inline]
    pub(super) const fn has(&self, bits: u16) -> bool {
        self.heard & bits != 0
    }

    /// Sets bits of [`heard`].
    #[inline]
    pub(super) fn note(&mut self, bits: u16) {
        self.heard |= bits;
    }

    /// Clears bits of [`heard`].
    #[inline]
    pub(super) fn forget(&mut self, bits: u16) {
        self.heard &= !bits;
    }

    /// True when something was heard that can be asked about.
    pub(super) const fn has_content(&self) -> bool {
        self.len > 0 || self.topic.is_some() || self.has(heard::OPEN | heard::PAIN)
    }

    fn push(&mut self, part: Part) {
        if self.len < MAX_PARTS && !self.parts[..self.len].contains(&part) {
            self.parts[self.len] = part;
            self.len += 1;
        }
    }

    /// Takes in one phrase.
    pub(super) fn hear(&mut self, meaning: Meaning) {
        match meaning {
            Meaning::Finding(finding) => self.push(Part::Finding(finding)),
            Meaning::Aspect(aspect) => {
                self.note(match aspect {
                    Aspect::Site => heard::ASPECT | heard::SITE,
                    Aspect::Radiation => heard::ASPECT | heard::RADIATION,
                    _ => heard::ASPECT,
                });
                self.push(Part::Aspect(aspect));
            }
            // Illness in the family is a question about the family.
            Meaning::Topic(Topic::Family) => self.topic = Some(Topic::Family),
            Meaning::Topic(topic) => self.topic = self.topic.or(Some(topic)),
            Meaning::Open => self.note(heard::OPEN),
            Meaning::Start => self.note(heard::START),
            Meaning::When if self.has(heard::HEAD) => self.note(heard::WHEN),
            Meaning::Pain => self.note(heard::PAIN),
            Meaning::Like => self.note(heard::LIKE),
            Meaning::Request => self.note(heard::REQUEST),
            Meaning::When | Meaning::Nothing | Meaning::Neutral => {}
        }
    }

    /// Ends a clause: "when .. start" asks how long, "start" how it began, "when" for the timing; "where .. spread" is one question.
    pub(super) fn end_clause(&mut self) {
        if self.has(heard::RADIATION) && self.has(heard::SITE) {
            self.remove_site();
        }
        if !self.has(heard::ASPECT) && self.has(heard::WHEN | heard::START) {
            let aspect = match (self.has(heard::WHEN), self.has(heard::START)) {
                (true, true) => Aspect::Duration,
                (false, _) => Aspect::Onset,
                (true, false) => Aspect::Timing,
            };
            self.push(Part::Aspect(aspect));
        }
        self.forget(heard::CLAUSE);
    }

    /// Ends the sentence: "like" asks for the character when no other aspect was heard.
    pub(super) fn end(&mut self) {
        self.end_clause();
        if self.has(heard::LIKE) && self.aspects().next().is_none() {
            self.push(Part::Aspect(Aspect::Character));
        }
    }

    fn remove_site(&mut self) {
        if let Some(at) = self.parts[..self.len].iter().position(|part| *part == Part::Aspect(Aspect::Site)) {
            self.parts.copy_within(at + 1..self.len, at);
            self.len -= 1;
        }
    }

    fn findings(&self) -> impl Iterator<Item = u16> + '_ {
        self.parts[..self.len].iter().filter_map(|part| match part {
            Part::Finding(finding) => Some(*finding),
            Part::Aspect(_) => None,
        })
    }

    fn aspects(&self) -> impl Iterator<Item = Aspect> + '_ {
        self.parts[..self.len].iter().filter_map(|part| match part {
            Part::Aspect(aspect) => Some(*aspect),
            Part::Finding(_) => None,
        })
    }

    /// The finding a statement leaves as the one talked about.
    pub(super) fn last_finding(&self) -> Option<u16> {
        self.findings().last()
    }

    /// Adds what the sentence, a question, asks for.
    pub(super) fn ask(&self, base: &KnowledgeBase, flags: &[Flags], hearing: &mut Hearing) {
        let num_findings = self.findings().count();
        for aspect in self.aspects() {
            hearing.kinds = hearing.kinds.with_aspect(aspect);
        }
        if let Some(topic) = self.topic {
            hearing.kinds = hearing.kinds.with_topic(topic);
            if self.is_about(topic, flags) {
                hearing.topic = hearing.topic.or(Some(topic));
                return;
            }
        }
        match num_findings {
            0 => self.ask_back(base, flags, hearing),
            1 => self.ask_one(base, hearing),
            _ => self.ask_several(base, hearing),
        }
    }

    /// Whether a topic outweighs the findings beside it: "any medicine for the chest pain?", "diabetes in the family?".
    fn is_about(&self, topic: Topic, flags: &[Flags]) -> bool {
        if self.len == 0 {
            return true;
        }
        let mut findings = self.findings().map(|finding| flags[usize::from(finding)]);
        let outweighed = match topic {
            Topic::Family => findings.all(|flags| !flags.family),
            _ => findings.all(|flags| !flags.history),
        };
        let influence = self.aspects().any(|aspect| matches!(aspect, Aspect::Aggravating | Aspect::Relieving));
        outweighed && !influence
    }

    /// No finding named: aspects of what is talked about, or an open question.
    fn ask_back(&self, base: &KnowledgeBase, flags: &[Flags], hearing: &mut Hearing) {
        let painful = |finding: &u16| flags.get(usize::from(*finding)).is_some_and(|flags| flags.painful);
        let (last, complaint) = (hearing.last, hearing.complaint);
        let hurting = last.filter(painful).or(Some(complaint).filter(painful));
        let mut asked = false;
        for aspect in self.aspects() {
            let targets =
                if self.has(heard::PAIN) { [hurting, last, Some(complaint)] } else { [last, Some(complaint), None] };
            let known = targets.into_iter().flatten();
            let target = known.clone().find(|&target| base.attribute_of(target, aspect).is_some());
            match (target, known.clone().next()) {
                (Some(target), _) => hearing.mention(base, target, Some(aspect)),
                (None, Some(first)) => hearing.mention(base, first, None),
                (None, None) => {}
            }
            asked = true;
        }
        if !asked && self.has(heard::PAIN) && !self.has(heard::OPEN) {
            match hurting {
                Some(target) => hearing.mention(base, target, None),
                None => hearing.open = true,
            }
        }
        hearing.open |= self.has(heard::OPEN);
    }

    /// One finding: the aspects of it that it has, else whether it is there; "tell me about" the complaint is an open question.
    fn ask_one(&self, base: &KnowledgeBase, hearing: &mut Hearing) {
        let Some(finding) = self.findings().next() else { return };
        let mut asked = false;
        for aspect in self.aspects() {
            if base.attribute_of(finding, aspect).is_some() {
                hearing.mention(base, finding, Some(aspect));
                asked = true;
            }
        }
        if asked {
            return;
        }
        if self.has(heard::OPEN) && finding == hearing.complaint {
            hearing.open = true;
        } else {
            hearing.mention(base, finding, None);
        }
    }

    /// Several findings: one aspect goes with each of them, several are dealt out in order.
    fn ask_several(&self, base: &KnowledgeBase, hearing: &mut Hearing) {
        let num_aspects = self.aspects().count();
        for (index, finding) in self.findings().enumerate() {
            let aspect = self.aspects().nth(if num_aspects == 1 { 0 } else { index });
            hearing.mention(base, finding, aspect.filter(|&aspect| base.attribute_of(finding, aspect).is_some()));
        }
    }
}
