//! Counters of an episode: what was asked, told and executed.

use alloc::{vec, vec::Vec};

use crate::{
    exam::ExamCall,
    knowledge::{ItemId, KnowledgeBase, Topic},
    reward::{Payer, Tally},
};

/// The mutable part of an episode. [`State::clear`] keeps its memory.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) patient_turns: u32,
    pub(super) tally: Tally,
    /// Every executed call in order.
    pub(super) executed: Vec<ExamCall>,
    /// Executed calls and the collections of specimens charged along with them.
    pub(super) collected: Vec<ExamCall>,
    /// Facts of an imported case told so far (indexes).
    pub(super) told_facts: Vec<u16>,
    /// Times asked, by finding and attribute item.
    asked: Vec<u8>,
    /// Findings that were asked about directly or volunteered: public knowledge.
    told: Vec<bool>,
    /// Findings passed over in an open question.
    passed: Vec<bool>,
    /// Open questions so far, by topic.
    opened: [u16; Topic::ALL.len()],
}

impl State {
    pub(super) fn new(base: &KnowledgeBase, payer: Payer) -> Self {
        Self {
            patient_turns: 0,
            tally: Tally::new(payer),
            executed: Vec::with_capacity(16),
            collected: Vec::with_capacity(16),
            told_facts: Vec::new(),
            asked: vec![0; base.findings.len() + base.attributes.len()],
            told: vec![false; base.findings.len()],
            passed: vec![false; base.findings.len()],
            opened: [0; Topic::ALL.len()],
        }
    }

    pub(super) fn clear(&mut self) {
        self.patient_turns = 0;
        self.tally = Tally::new(self.tally.payer);
        self.executed.clear();
        self.collected.clear();
        self.told_facts.clear();
        self.asked.fill(0);
        self.told.fill(false);
        self.passed.fill(false);
        self.opened = [0; Topic::ALL.len()];
    }

    /// How often an item was asked for.
    pub(super) fn asked(&self, item: ItemId) -> u16 {
        self.asked.get(usize::from(item.0)).copied().unwrap_or(0).into()
    }

    pub(super) fn note_asked(&mut self, item: ItemId) {
        if let Some(count) = self.asked.get_mut(usize::from(item.0)) {
            *count = count.saturating_add(1);
        }
    }

    pub(super) fn tell(&mut self, finding: u16) {
        self.told[usize::from(finding)] = true;
    }

    pub(super) fn pass_over(&mut self, finding: u16) {
        self.passed[usize::from(finding)] = true;
    }

    /// Whether an open question still has to consider a finding.
    pub(super) fn is_untold(&self, finding: u16) -> bool {
        !self.told[usize::from(finding)] && !self.passed[usize::from(finding)]
    }

    /// The number of earlier open questions on a topic; counts this one.
    pub(super) fn open(&mut self, topic: Topic) -> u16 {
        let count = &mut self.opened[topic as usize];
        *count = count.saturating_add(1);
        *count - 1
    }

    /// Open questions on a topic so far.
    pub(super) fn opened(&self, topic: Topic) -> u16 {
        self.opened[topic as usize]
    }

    /// How often a call was executed.
    pub(super) fn times_executed(&self, call: &ExamCall) -> u16 {
        self.executed.iter().filter(|other| *other == call).count() as u16
    }
}
