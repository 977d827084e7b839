//! `checklist`: the same list for everyone with a complaint, then the disease with the most points.

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
/// Most points an item gives or takes.
const MAX_POINTS: i64 = 3;

/// Works through a fixed list and counts points.
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

/// The disease with the most points. Every reported item gives each presentation points for being more or less common there
/// than on average, rounded and capped as on a paper form; so do complaint, sex and age. The first of equals.
fn best_match(episode: &Episode) -> u16 {
    let base = episode.base();
    let Truth::Generated(patient) = episode.truth() else { return 0 };
    let mut points = vec![0; base.hypotheses.len()];
    let complaint = |hypothesis: usize| {
        let entry = &base.hypotheses[hypothesis];
        let incidence = base.diseases[usize::from(entry.disease)].incidence[patient.sex as usize][patient.band];
        share(entry.complaints[usize::from(patient.complaint)]) * share(incidence)
    };
    add_points(&mut points, complaint);
    for reading in episode.readings().iter().filter(|reading| reading.source != Source::PassedOver) {
        let value = reading.value;
        match base.item_kind(reading.item) {
            Some(ItemKind::Finding(finding)) => {
                let ppm = base.finding_probabilities(finding, patient.band);
                match value {
                    Value::Present => add_points(&mut points, |hypothesis| share(ppm[hypothesis])),
                    Value::Absent => add_points(&mut points, |hypothesis| 1.0 - share(ppm[hypothesis])),
                    _ => {}
                }
            }
            Some(ItemKind::Attribute(attribute)) => {
                if let Some(index) = value_index(base, attribute, value) {
                    let told = |hypothesis| share(base.attribute_probabilities(attribute, hypothesis)[index]);
                    add_points(&mut points, told);
                }
            }
            Some(ItemKind::Analyte(analyte)) => add_report_points(base, analyte, value, &mut points),
            None => {}
        }
    }
    let mut best = 0;
    for (index, &score) in points.iter().enumerate() {
        if score > points[best] {
            best = index;
        }
    }
    base.hypotheses[best].disease
}

fn share(ppm: u32) -> f64 {
    f64::from(ppm) / f64::from(PPM)
}

/// Two points for every factor e by which something is more common than on average, at most [`MAX_POINTS`] either way.
fn add_points(points: &mut [i64], probability: impl Fn(usize) -> f64) {
    let mean = (0..points.len()).map(&probability).sum::<f64>() / points.len() as f64;
    for (hypothesis, points) in points.iter_mut().enumerate() {
        let ratio = (probability(hypothesis) + 1e-6) / (mean + 1e-6);
        let earned = libm::round(2.0 * crate::math::ln(ratio)) as i64;
        *points += earned.clamp(-MAX_POINTS, MAX_POINTS);
    }
}

/// Only what lies outside the normal bands, or is not a field's normal value, gives points.
fn add_report_points(base: &KnowledgeBase, analyte: u16, value: Value, points: &mut [i64]) {
    let entry = &base.analytes[usize::from(analyte)];
    let told = match value {
        Value::Number { band: band @ (0 | 1 | 4 | 5), .. } if entry.derived.is_none() => usize::from(band),
        Value::Choice(choice) if choice > 0 => usize::from(choice),
        _ => return,
    };
    let patterns = &base.panels[usize::from(entry.panel)].patterns;
    add_points(points, |hypothesis| {
        let weights = base.pattern_probabilities(entry.panel, hypothesis, false);
        let shown = |(pattern, &weight): (usize, &u32)| {
            share(weight) * share(patterns[pattern].bands[usize::from(entry.position)][told])
        };
        weights.iter().enumerate().map(shown).sum()
    });
}

fn value_index(base: &KnowledgeBase, attribute: u16, value: Value) -> Option<usize> {
    match (&base.attributes[usize::from(attribute)].values, value) {
        (AttributeValues::Sites(sites), Value::Choice(site)) => sites.iter().position(|&other| other == site),
        (AttributeValues::Named(_), Value::Choice(value)) => Some(usize::from(value)),
        _ => None,
    }
}
