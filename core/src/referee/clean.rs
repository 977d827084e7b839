//! The words of a step as they would have been without noise, made by the same functions that made the noisy ones.

use alloc::{string::String, vec::Vec};

use crate::{
    action::{Action, MAX_ITEMS_PER_TURN, Question},
    case::Patient,
    episode::{Episode, Step, Truth},
    examination::print::{Detail, Report, print_report},
    import::{ImportedCase, speak_exams, speak_text},
    knowledge::{KnowledgeBase, Topic},
    observation::{Reading, Source, Value},
    patient::speak::{Speaking, speak},
};

/// The clean reply of a step; `before` is the episode just before it.
pub(super) fn reply(base: &KnowledgeBase, before: &Episode, after: &Episode, step: &Step) -> String {
    let mut out = String::new();
    match (after.truth(), &step.action) {
        (Truth::Imported(case), Action::Order(_)) => out.push_str(&speak_exams(case, &step.facts)),
        (Truth::Imported(case), _) => tell_facts(case, &step.facts, &mut out),
        (Truth::Generated(patient), Action::Ask(question)) => {
            let readings = match question {
                Question::Open(topic) => open_readings(base, before, patient, *topic),
                _ => after.readings_of(step).iter().map(clean).collect(),
            };
            let speaking = Speaking {
                seed: after.scenario().seed,
                persona: after.persona(),
                turn: step.patient_turn,
                question,
                kind: step.reply,
                readings: &readings,
                guess: None,
            };
            speak(base, &speaking, &mut out);
        }
        (Truth::Generated(patient), Action::Order(call)) => {
            let readings: Vec<Reading> = after.readings_of(step).iter().map(clean).collect();
            let report = Report {
                label: &base.catalogue.label(call),
                view: base.view_of(call).map(|view| &base.views[usize::from(view)]),
                readings: &readings,
                scale: patient.scale_index(),
                ambiguous: false,
                detail: Detail::Compact,
            };
            print_report(base, &report, &mut out);
        }
        _ => {}
    }
    out
}

/// A reading without its noise: about what was asked, with the value it would have had.
fn clean(reading: &Reading) -> Reading {
    let item = match reading.source {
        Source::Direct { asked, .. } => asked,
        _ => reading.item,
    };
    Reading { item, value: reading.clean, noise: None, ..*reading }
}

/// What would have been volunteered: the first untold findings that are there, none forgotten.
fn open_readings(base: &KnowledgeBase, before: &Episode, patient: &Patient, topic: Topic) -> Vec<Reading> {
    let present = before.untold(topic).into_iter().filter(|&finding| patient.has(base, finding));
    let volunteered = |finding| Reading {
        item: base.finding_item(finding),
        value: Value::Present,
        clean: Value::Present,
        noise: None,
        source: Source::Volunteered,
    };
    present.take(MAX_ITEMS_PER_TURN).map(volunteered).collect()
}

fn tell_facts(case: &ImportedCase, facts: &[u16], out: &mut String) {
    for fact in facts.iter().filter_map(|&fact| case.facts.get(usize::from(fact))) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&speak_text(case, &fact.text));
    }
}
