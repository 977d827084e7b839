//! What a clinician can choose from: one executable call for every view, every item a patient can be asked about.

use alloc::vec::Vec;

use crate::{
    case::Patient,
    episode::{Episode, Truth},
    exam::{CallPattern, ExamCall},
    knowledge::{FindingKind, ItemId, KnowledgeBase, Topic},
    reward::{
        Payer,
        clinic::{EXAM_WEIGHT, TURN_WEIGHT, burden},
    },
};

/// An exam that can be ordered: the cheapest call of a view.
#[derive(Clone, Copy, Debug)]
pub struct OrderCandidate {
    /// The view shown (index).
    pub view: u16,
    /// The call.
    pub call: ExamCall,
    /// Price of the call itself in reward: doctor turn plus burden.
    pub price: f64,
    /// True when it costs nothing but the turn: done at the bedside.
    pub bedside: bool,
}

/// All choices of a knowledge base under one payer. Built once.
#[derive(Clone, Debug)]
pub struct Candidates {
    /// Items a patient can be asked about, findings before attributes.
    pub items: Vec<ItemId>,
    /// Open questions.
    pub topics: Vec<Topic>,
    /// Orders.
    pub orders: Vec<OrderCandidate>,
}

impl Candidates {
    /// Lists the choices.
    pub fn new(base: &KnowledgeBase, payer: Payer) -> Self {
        let asked = |index: &u16| base.findings[usize::from(*index)].kind != FindingKind::Sign;
        let findings = (0..base.findings.len() as u16).filter(asked).map(|index| base.finding_item(index));
        let attributes = (0..base.attributes.len() as u16)
            .filter(|&index| asked(&base.attributes[usize::from(index)].finding))
            .map(|index| base.attribute_item(index));
        let topics = Topic::ALL
            .into_iter()
            .filter(|topic| *topic == Topic::Complaint || !base.topics[*topic as usize].is_empty());
        let orders = (0..base.views.len() as u16).filter_map(|view| cheapest(base, view, payer)).collect();
        Self { items: findings.chain(attributes).collect(), topics: topics.collect(), orders }
    }

    /// Price of an order in reward, with the collection of its specimen where that is still due.
    pub fn price_now(episode: &Episode, order: &OrderCandidate) -> f64 {
        let catalogue = &episode.base().catalogue;
        let due = catalogue.collection_due(&order.call, episode.collected());
        due.map_or(order.price, |due| {
            order.price + EXAM_WEIGHT * burden(&catalogue.price(&due), episode.scenario().payer)
        })
    }
}

/// Price of a question in reward.
pub(super) const QUESTION_PRICE: f64 = TURN_WEIGHT;

fn cheapest(base: &KnowledgeBase, view: u16, payer: Payer) -> Option<OrderCandidate> {
    let mut best: Option<OrderCandidate> = None;
    for pattern in &base.views[usize::from(view)].calls {
        let Some(call) = executable(base, pattern) else { continue };
        if base.view_of(&call) != Some(view) {
            continue;
        }
        let cost = burden(&base.catalogue.price(&call), payer);
        let price = TURN_WEIGHT + EXAM_WEIGHT * cost;
        if best.is_none_or(|best| price < best.price) {
            best = Some(OrderCandidate { view, call, price, bedside: cost <= 0.0 });
        }
    }
    best
}

/// A call that a pattern covers; `None` when a required parameter is left open.
fn executable(base: &KnowledgeBase, pattern: &CallPattern) -> Option<ExamCall> {
    let exam = base.catalogue.exams().get(pattern.exam())?;
    let mut arguments = Vec::new();
    for (position, parameter) in exam.parameters.iter().enumerate() {
        if let Some(value) = pattern.value(position) {
            arguments.push((parameter.name.as_str(), parameter.values.get(value)?.as_str()));
        }
    }
    base.catalogue.parse_call(&exam.name, &arguments).ok()
}

/// Whether a patient like this one can be asked about an item at all; public.
pub(super) fn is_applicable(episode: &Episode, item: ItemId) -> bool {
    let Truth::Generated(patient) = episode.truth() else { return false };
    let finding = finding_of(episode.base(), item);
    finding.is_some_and(|finding| covers(patient, episode.base(), finding))
}

fn covers(patient: &Patient, base: &KnowledgeBase, finding: u16) -> bool {
    patient.covered_by(&base.findings[usize::from(finding)].applies)
}

/// The finding an item is or belongs to.
pub(super) fn finding_of(base: &KnowledgeBase, item: ItemId) -> Option<u16> {
    use crate::knowledge::ItemKind;
    match base.item_kind(item)? {
        ItemKind::Finding(finding) => Some(finding),
        ItemKind::Attribute(attribute) => Some(base.attributes[usize::from(attribute)].finding),
        ItemKind::Analyte(_) => None,
    }
}
