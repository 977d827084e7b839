//! Ceilings in accuracy: they see everything and pay nothing, and never enter a reward ranking.

use alloc::vec::Vec;

use super::Candidates;
use crate::{
    belief::Belief,
    episode::{Episode, Truth},
    examination,
    knowledge::{FindingKind, KnowledgeBase},
    noise_plan::Plan,
    observation::{Reading, Source, Value},
    patient::answer::Respondent,
};

/// Which ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ceiling {
    /// All items, true.
    Clean,
    /// Every item asked once, every exam done, through the noise.
    Noisy,
}

/// The diagnosis (disease index) of a ceiling for the patient of an episode; `None` for imported words.
pub fn oracle_diagnosis(episode: &Episode, candidates: &Candidates, ceiling: Ceiling) -> Option<u16> {
    let Truth::Generated(patient) = episode.truth() else { return None };
    let mut belief = Belief::at_start(episode)?;
    let base = episode.base();
    let clean = Plan::Keyed { patient_ppm: 0, exam_ppm: 0 };
    let plan = match ceiling {
        Ceiling::Clean => &clean,
        Ceiling::Noisy => episode.plan(),
    };
    let persona = match ceiling {
        Ceiling::Clean => crate::persona::Persona::PLAIN,
        Ceiling::Noisy => episode.persona(),
    };
    let respondent = Respondent { base, patient, persona, plan, patient_turn: 0 };
    for &item in &candidates.items {
        belief.note(&respondent.answer(item, 0).reading, plan, 0, None);
    }
    let mut readings = Vec::new();
    for order in &candidates.orders {
        if !episode.can_order(&order.call) {
            continue;
        }
        readings.clear();
        examination::report(base, patient, plan, &order.call, 0, &mut readings);
        for reading in &readings {
            belief.note(reading, plan, 0, Some(order.call.exam()));
        }
    }
    if ceiling == Ceiling::Clean {
        observe_signs(&mut belief, base, patient, plan);
    }
    belief.refresh();
    Some(belief.top().0)
}

/// Signs that no view shows are items too.
fn observe_signs(belief: &mut Belief, base: &KnowledgeBase, patient: &crate::case::Patient, plan: &Plan) {
    for (index, _) in base.findings.iter().enumerate().filter(|(_, finding)| finding.kind == FindingKind::Sign) {
        let value = if patient.has(base, index as u16) { Value::Present } else { Value::Absent };
        let source = Source::Exam { occurrence: 0, repeat: false };
        let item = base.finding_item(index as u16);
        belief.note(&Reading { item, value, clean: value, noise: None, source }, plan, 0, None);
    }
}
