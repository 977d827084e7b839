//! `AgentClinic` OSCE rows: one JSON object a line with the single key `OSCE_Examination`.
//!
//! Nothing is lost: every leaf under `Patient_Actor` becomes facts, every leaf under `Physical_Examination_Findings` and
//! `Test_Results` a recorded exam, at whatever depth, arrays in order. A leaf of several sentences becomes one fact a
//! sentence (`Patient_Actor/History#1`, `#2`, ..), so that a patient says an item at a time; joined with a space they are
//! the leaf again.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use super::{
    Fact, ImportedCase, RecordedExam,
    error::{ImportError, ImportProblem, LeftOut},
    node::{Leaf, Node, flatten},
    rows::{Reader, RowFormat},
    sentence::sentences,
};

const ROOT: &str = "OSCE_Examination";
const OBJECTIVE: &str = "Objective_for_Doctor";
const PATIENT: &str = "Patient_Actor";
const BEDSIDE: &str = "Physical_Examination_Findings";
const TESTS: &str = "Test_Results";
const DIAGNOSIS: &str = "Correct_Diagnosis";

/// The row format of `AgentClinic`'s `agentclinic_medqa.jsonl`. Case ids are `agentclinic:LINE`, lines from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgentClinic;

/// A reader of `AgentClinic` rows.
pub fn read_agentclinic<L: AsRef<[u8]>, I: IntoIterator<Item = L>>(lines: I) -> Reader<I::IntoIter, AgentClinic> {
    Reader::new(lines, AgentClinic)
}

impl RowFormat for AgentClinic {
    fn parse(&self, line: u32, text: &str, left_out: &mut Vec<LeftOut>) -> Result<ImportedCase, ImportError> {
        let row: Node = serde_json::from_str(text).map_err(|error| ImportProblem::from(error).at(""))?;
        let osce = row.field(ROOT).ok_or_else(|| ImportProblem::Missing.at(ROOT))?;
        let Node::Object(fields) = osce else {
            return Err(ImportProblem::NotAnObject { found: osce.kind() }.at(ROOT));
        };
        let diagnosis = words_of(osce, DIAGNOSIS)?.ok_or_else(|| ImportProblem::Missing.at(DIAGNOSIS))?;
        if diagnosis.is_empty() {
            return Err(ImportProblem::Empty.at(DIAGNOSIS));
        }
        let mut case = ImportedCase {
            id: alloc::format!("agentclinic:{line}"),
            objective: words_of(osce, OBJECTIVE)?.unwrap_or_default(),
            synonyms: synonyms(&diagnosis),
            diagnosis,
            ..ImportedCase::default()
        };
        for (key, node) in fields {
            let leaves = match key.as_str() {
                OBJECTIVE | DIAGNOSIS => continue,
                PATIENT | BEDSIDE | TESTS => flatten(node, key, left_out)?,
                _ => {
                    left_out.push(LeftOut { line, path: key.clone(), reason: "unknown field" });
                    continue;
                }
            };
            match key.as_str() {
                PATIENT => case.facts.extend(leaves.into_iter().flat_map(facts)),
                _ => case.exams.extend(leaves.into_iter().map(|leaf| RecordedExam {
                    path: leaf.path,
                    text: leaf.text,
                    bedside: key == BEDSIDE,
                })),
            }
        }
        note_other_roots(&row, left_out);
        if case.facts.is_empty() {
            return Err(ImportProblem::Missing.at(PATIENT));
        }
        introduce(&mut case);
        case.check()?;
        Ok(case)
    }
}

/// The words of a field; `None` when it is not there.
fn words_of(osce: &Node, name: &str) -> Result<Option<String>, ImportError> {
    match osce.field(name) {
        None => Ok(None),
        Some(node) => match node.text() {
            Some(text) => Ok(Some(text.trim().to_string())),
            None => Err(ImportProblem::NotText { found: node.kind() }.at(name)),
        },
    }
}

fn note_other_roots(row: &Node, left_out: &mut Vec<LeftOut>) {
    if let Node::Object(fields) = row {
        for (key, _) in fields.iter().filter(|(key, _)| key != ROOT) {
            left_out.push(LeftOut { line: 0, path: key.clone(), reason: "unknown field" });
        }
    }
}

/// A leaf as facts, one a sentence.
fn facts(leaf: Leaf) -> Vec<Fact> {
    let parts = sentences(&leaf.text);
    if parts.len() < 2 {
        return alloc::vec![Fact { path: leaf.path, text: leaf.text }];
    }
    let path = |index| alloc::format!("{}#{}", leaf.path, index + 1);
    parts.iter().enumerate().map(|(index, part)| Fact { path: path(index), text: (*part).to_string() }).collect()
}

/// Demographics and complaint from the facts.
fn introduce(case: &mut ImportedCase) {
    let find = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| case.facts.iter().find(|fact| fact.path.contains(name)))
            .map(|fact| fact.text.clone())
    };
    let demographics = find(&["Patient_Actor/Demographics"]);
    let complaint = find(&["/Primary_Symptom", "/Chief_Complaint", "/Presenting_Complaint", "Patient_Actor/History"])
        .or_else(|| case.facts.first().map(|fact| fact.text.clone()));
    case.demographics = demographics.unwrap_or_default();
    case.complaint = complaint.unwrap_or_default();
}

/// Other names written into the name itself: `Long name (LN)` is also `Long name` and `LN`.
fn synonyms(diagnosis: &str) -> Vec<String> {
    let Some((before, rest)) = diagnosis.split_once('(') else { return Vec::new() };
    let Some((inside, after)) = rest.split_once(')') else { return Vec::new() };
    let outside = alloc::format!("{} {}", before.trim(), after.trim());
    [outside.trim(), inside.trim()].iter().filter(|name| !name.is_empty()).map(ToString::to_string).collect()
}
