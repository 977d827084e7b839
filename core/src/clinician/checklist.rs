//! `checklist`: the same list for everyone with a complaint, then the disease that matches most of it.

use alloc::{sync::Arc, vec, vec::Vec};

use super::{Candidates, Clinician};
use crate::{
    action::{Action, Question},
    episode::{Episode, Truth},
    knowledge::{AttributeValues, ItemKind, KnowledgeBase, Topic},
    observation::{Source, Value},
    random::PPM,
};

/// Findings of the complaint's order that are asked one by one.
const NUM_FINDINGS: usize = 8;
/// Tests that are done for everybody, after the bedside examination.
const TESTS: [&str; 3] = ["cbc()", "cmp()", "ecg()"];
/// A finding counts for or against a disease when at least this share of its patients have it.
const TYPICAL_PPM: u32 = PPM / 2;

/// Works through a fixed list and counts matches.
#[derive(Clone, Debug)]
pub struct Checklist {
    candidates: Arc<Candidates>,
    list: Vec<Action>,
    next: usize,
}

impl Checklist {
    /// A checklist clinician.
    pub fn new(candidates: Arc<Candidates>) -> Self {
        Self { candidates, list: Vec::new(), next: 0 }
    }
}

impl Clinician for Checklist {
    fn start(&mut self, episode: &Episode) {
        self.next = 0;
        self.list = list(episode, &self.candidates);
    }

    fn next_action(&mut self, episode: &Episode) -> Action {
        let is_last = episode.doctor_turns() + 1 >= episode.scenario().max_doctor_turns;
        match self.list.get(self.next) {
            Some(action) if !is_last => {
                self.next += 1;
                action.clone()
            }
            _ => Action::DiagnoseDiseases(vec![best_match(episode)]),
        }
    }
}

fn list(episode: &Episode, candidates: &Candidates) -> Vec<Action> {
    let Truth::Generated(patient) = episode.truth() else { return Vec::new() };
    let base = episode.base();
    let complaint = &base.complaints[usize::from(patient.complaint)];
    let mut list = vec![Action::Ask(Question::Open(Topic::Complaint))];
    let findings = complaint.order.iter().filter(|&&finding| !base.findings[usize::from(finding)].is_history());
    for &finding in findings.take(NUM_FINDINGS) {
        list.push(Action::Ask(Question::item(base.finding_item(finding))));
    }
    list.push(Action::Ask(Question::Open(Topic::History)));
    list.extend(candidates.orders.iter().filter(|order| order.bedside).take(2).map(|order| Action::Order(order.call)));
    list.extend(TESTS.iter().filter_map(|test| base.catalogue.parse_call_text(test).ok()).map(Action::Order));
    list
}

/// The disease with the most matches: a reported finding that is typical counts for it, a typical one denied against it, an
/// abnormal report that the disease makes more likely for it. The first of equals.
fn best_match(episode: &Episode) -> u16 {
    let base = episode.base();
    let Truth::Generated(patient) = episode.truth() else { return 0 };
    let mut scores = vec![0i64; base.hypotheses.len()];
    for reading in episode.readings().iter().filter(|reading| reading.source != Source::PassedOver) {
        match base.item_kind(reading.item) {
            Some(ItemKind::Finding(finding)) => count_finding(base, finding, patient.band, reading.value, &mut scores),
            Some(ItemKind::Attribute(attribute)) => count_attribute(base, attribute, reading.value, &mut scores),
            Some(ItemKind::Analyte(_)) | None => {}
        }
    }
    let mut best = 0;
    for (index, hypothesis) in base.hypotheses.iter().enumerate() {
        let possible = hypothesis.complaints[usize::from(patient.complaint)] > 0;
        let sex_fits = base.diseases[usize::from(hypothesis.disease)].incidence[patient.sex as usize][patient.band] > 0;
        scores[index] += if possible && sex_fits { 0 } else { -1_000 };
        if scores[index] > scores[best] {
            best = index;
        }
    }
    base.hypotheses[best].disease
}

fn count_finding(base: &KnowledgeBase, finding: u16, band: usize, value: Value, scores: &mut [i64]) {
    let sign = match value {
        Value::Present => 1,
        Value::Absent => -1,
        _ => return,
    };
    for (score, &ppm) in scores.iter_mut().zip(base.finding_probabilities(finding, band)) {
        *score += if ppm >= TYPICAL_PPM { sign } else { 0 };
    }
}

fn count_attribute(base: &KnowledgeBase, attribute: u16, value: Value, scores: &mut [i64]) {
    let entry = &base.attributes[usize::from(attribute)];
    let index = match (&entry.values, value) {
        (AttributeValues::Sites(sites), Value::Choice(site)) => sites.iter().position(|&other| other == site),
        (AttributeValues::Named(_), Value::Choice(value)) => Some(usize::from(value)),
        _ => None,
    };
    let Some(index) = index else { return };
    for (hypothesis, score) in scores.iter_mut().enumerate() {
        *score += i64::from(base.attribute_probabilities(attribute, hypothesis)[index] >= TYPICAL_PPM);
    }
}
