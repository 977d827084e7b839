//! The published reward, reproduced to 1e-12 (ALGORITHMS 2.0, MedExAgent):
//! R = 1.0 diagnosis + 0.5 tool match - 0.1 cost - 0 format.
//!
//! Its known flaws are part of it: it imitates one reference workup, and a reference without exams pays for doing nothing.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::exam::{Catalogue, ExamCall};

/// Levels the published code takes for an exam it does not know.
const UNKNOWN_LEVELS: (u32, u32) = (2, 2);

/// Highest sum of both levels of one exam.
const MAX_LEVEL_SUM: f64 = 6.0;

/// An exam call as the published code sees it: names and values as text, nothing checked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PaperCall {
    /// Exam name.
    pub name: String,
    /// Parameter names, each once, with values.
    #[serde(default, deserialize_with = "arguments_as_text")]
    pub arguments: Vec<(String, String)>,
}

impl PaperCall {
    /// A canonical call as text.
    pub fn from_call(catalogue: &Catalogue, call: &ExamCall) -> Self {
        let arguments = catalogue.arguments(call).map(|(name, value)| (name.to_string(), value.to_string()));
        Self { name: catalogue.exam(call).name.clone(), arguments: arguments.collect() }
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.arguments.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

fn arguments_as_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, String)>, D::Error> {
    let map = Map::deserialize(deserializer)?;
    Ok(map.into_iter().map(|(name, value)| (name, as_text(value))).collect())
}

/// A JSON value as the text Python would compare, apart from case; lists and objects as compact JSON.
fn as_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null => "none".to_string(),
        other => other.to_string(),
    }
}

/// Weights of the four parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaperWeights {
    /// Of the diagnosis score.
    pub diagnosis: f64,
    /// Of the tool match.
    pub tool_match: f64,
    /// Of the cost, subtracted.
    pub cost: f64,
    /// Of the format penalty, subtracted.
    pub format: f64,
}

impl Default for PaperWeights {
    /// Those of the published training run.
    fn default() -> Self {
        Self { diagnosis: 1.0, tool_match: 0.5, cost: 0.1, format: 0.0 }
    }
}

/// How well the ordered exams imitate the reference workup, 0 to 1: multiset Jaccard of names plus, for every reference exam
/// in turn, the best unused call of its name by parameter names and values.
pub fn tool_match(ordered: &[PaperCall], reference: &[PaperCall]) -> f64 {
    if ordered.is_empty() && reference.is_empty() {
        return 1.0;
    }
    if ordered.is_empty() || reference.is_empty() {
        return 0.0;
    }
    let mut available: Vec<&PaperCall> = ordered.iter().collect();
    let mut matched = 0.0;
    let mut most = 0.0;
    for wanted in reference {
        most += 1.0 + wanted.arguments.len() as f64;
        let mut best: Option<(usize, f64)> = None;
        for (index, call) in available.iter().enumerate().filter(|(_, call)| call.name == wanted.name) {
            let score = parameter_score(wanted, call);
            if best.is_none_or(|(_, so_far)| score > so_far) {
                best = Some((index, score));
            }
        }
        if let Some((index, score)) = best {
            matched += score;
            available.remove(index);
        }
    }
    (name_jaccard(ordered, reference) + matched) / (1.0 + most)
}

/// Jaccard of parameter names plus the number of values that are equal in lower case.
fn parameter_score(wanted: &PaperCall, call: &PaperCall) -> f64 {
    let shared = wanted.arguments.iter().filter(|(name, _)| call.value(name).is_some()).count();
    let either = wanted.arguments.len() + call.arguments.len() - shared;
    let names = if either == 0 { 1.0 } else { shared as f64 / either as f64 };
    let same = |(name, value): &&(String, String)| {
        call.value(name).is_some_and(|other| other.to_lowercase() == value.to_lowercase())
    };
    names + wanted.arguments.iter().filter(same).count() as f64
}

/// Multiset Jaccard over exam names; both lists hold something.
fn name_jaccard(ordered: &[PaperCall], reference: &[PaperCall]) -> f64 {
    let mut unused: Vec<&str> = ordered.iter().map(|call| call.name.as_str()).collect();
    let mut shared = 0_usize;
    for call in reference {
        if let Some(index) = unused.iter().position(|name| *name == call.name) {
            unused.swap_remove(index);
            shared += 1;
        }
    }
    shared as f64 / (ordered.len() + reference.len() - shared) as f64
}

/// Money level plus discomfort level of an exam, by its exact name.
fn level_sum(catalogue: &Catalogue, name: &str) -> f64 {
    let levels = catalogue.exam_named(name).and_then(|exam| exam.levels);
    let (cost, discomfort) = levels.unwrap_or(UNKNOWN_LEVELS);
    f64::from(cost + discomfort)
}

/// Calls beyond what the reference allows, in order: each name in the reference grants one free call.
fn unneeded<'a>(ordered: &'a [PaperCall], reference: &[PaperCall]) -> Vec<&'a PaperCall> {
    let mut free: Vec<&str> = reference.iter().map(|call| call.name.as_str()).collect();
    let mut is_unneeded = |call: &&PaperCall| {
        let index = free.iter().position(|name| *name == call.name);
        index.map(|index| free.swap_remove(index)).is_none()
    };
    ordered.iter().filter(|call| is_unneeded(call)).collect()
}

/// Levels of the calls beyond the reference, divided by the highest sum of one exam. Not bounded above.
pub fn cost(catalogue: &Catalogue, ordered: &[PaperCall], reference: &[PaperCall]) -> f64 {
    unneeded(ordered, reference).iter().map(|call| level_sum(catalogue, &call.name)).sum::<f64>() / MAX_LEVEL_SUM
}

/// [`cost`] with every call beyond the reference counting 1.
pub fn uniform_cost(ordered: &[PaperCall], reference: &[PaperCall]) -> f64 {
    unneeded(ordered, reference).len() as f64 / MAX_LEVEL_SUM
}

/// Share of the turns with a tool call that were malformed or held several calls; 0 without such turns.
pub fn format_penalty(tool_turns: u32, malformed: u32) -> f64 {
    if tool_turns == 0 { 0.0 } else { f64::from(malformed) / f64::from(tool_turns) }
}

/// Sums of levels, as the published code logs them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelTotals {
    /// Of all ordered calls.
    pub ordered: f64,
    /// Of ordered calls whose name is not in the reference at all.
    pub outside_reference: f64,
    /// Of the reference.
    pub reference: f64,
}

/// Level sums of what was ordered and of the reference.
pub fn level_totals(catalogue: &Catalogue, ordered: &[PaperCall], reference: &[PaperCall]) -> LevelTotals {
    let sum = |calls: &mut dyn Iterator<Item = &PaperCall>| -> f64 {
        calls.map(|call| level_sum(catalogue, &call.name)).fold(0.0, |total, level| total + level)
    };
    let outside = |call: &&PaperCall| !reference.iter().any(|other| other.name == call.name);
    LevelTotals {
        ordered: sum(&mut ordered.iter()),
        outside_reference: sum(&mut ordered.iter().filter(outside)),
        reference: sum(&mut reference.iter()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(json: &str) -> Vec<PaperCall> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn worked_number_of_the_published_reward() {
        let catalogue = Catalogue::embedded().unwrap();
        let reference = calls(r#"[{"name":"ct","arguments":{"region":"chest"}},{"name":"cbc"}]"#);
        let ordered = calls(
            r#"[{"name":"ct","arguments":{"region":"Chest"}},{"name":"ct","arguments":{"region":"head"}},{"name":"ecg"}]"#,
        );
        assert!((tool_match(&ordered, &reference) - 0.5625).abs() < 1e-12);
        assert!((cost(&catalogue, &ordered, &reference) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn an_exam_without_levels_costs_two_and_two() {
        let catalogue = Catalogue::embedded().unwrap();
        for name in ["audiometry", "crystal_ball"] {
            let ordered = calls(&alloc::format!(r#"[{{"name":"{name}"}}]"#));
            assert!((cost(&catalogue, &ordered, &[]) - 4.0 / 6.0).abs() < 1e-12, "{name}");
        }
    }

    #[test]
    fn argument_values_of_other_json_types_compare_as_text() {
        let written = calls(r#"[{"name":"ct","arguments":{"contrast":true,"slices":64,"note":null}}]"#);
        let text = calls(r#"[{"name":"ct","arguments":{"contrast":"True","slices":"64","note":"None"}}]"#);
        assert!((tool_match(&written, &text) - 1.0).abs() < 1e-12);
    }
}
