//! Imported cases lose nothing and can be played to the end: catches a leaf that no question or order reaches.
//!
//! The cases are `../shared/data/agentclinic/agentclinic_medqa.jsonl`; without that file these tests skip and say so.

use std::{collections::BTreeMap, fs, io::Write as _, path::Path};

use serde_json::Value;
use workup_core::import::{
    AgentClinic, ImportedCase, Jsonl, matches_diagnosis, read_all, read_jsonl, speak_exams, speak_facts, to_line,
};

/// What a doctor asks in a full history, most pointed first.
const QUESTIONS: &[&str] = &[
    "How old are you?",
    "What brings you in today?",
    "When did this start?",
    "Can you describe your symptoms?",
    "Have you had any other symptoms?",
    "Tell me about your past medical history.",
    "What medications do you take?",
    "Do you have any allergies?",
    "Does anything run in your family?",
    "Tell me about your social history.",
    "Do you smoke?",
    "Do you drink alcohol or use recreational drugs?",
    "Let us go through a review of systems.",
    "Is there anything else you want to tell me?",
];

fn shared(path: &str) -> Option<String> {
    let full = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data").join(path);
    match fs::read_to_string(&full) {
        Ok(text) => Some(text),
        Err(error) => {
            skip(&format!("{}: {error}", full.display()));
            None
        }
    }
}

fn skip(reason: &str) {
    // Through the handle: the test runner swallows `eprintln!`.
    let _ = writeln!(std::io::stderr(), "skipped: {reason}");
}

fn osce() -> Option<(String, Vec<ImportedCase>)> {
    let text = shared("agentclinic/agentclinic_medqa.jsonl")?;
    let (cases, report) = read_all(&text, AgentClinic);
    assert_eq!(report.dropped, []);
    Some((text, cases))
}

/// Leaves of plain JSON as (path, words), by a walk of its own.
fn leaves(value: &Value, path: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, child)| leaves(child, &format!("{path}/{key}"), found)),
        Value::Array(elements) => {
            elements.iter().enumerate().for_each(|(index, child)| leaves(child, &format!("{path}/{index}"), found));
        }
        Value::String(text) => found.push((path.into(), text.trim().into())),
        Value::Null => {}
        other => found.push((path.into(), other.to_string())),
    }
}

/// The words of each path of a case: sentences of one leaf joined again.
fn carried(case: &ImportedCase) -> BTreeMap<String, String> {
    let facts = case.facts.iter().map(|fact| (&fact.path, &fact.text));
    let exams = case.exams.iter().map(|exam| (&exam.path, &exam.text));
    let mut carried: BTreeMap<String, String> = BTreeMap::new();
    for (path, text) in facts.chain(exams) {
        let leaf = path.split('#').next().unwrap_or(path);
        let words = carried.entry(leaf.into()).or_default();
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(text);
    }
    carried
}

#[test]
fn every_row_is_imported_and_no_leaf_is_lost_or_added() {
    let Some((text, cases)) = osce() else { return };
    assert_eq!(cases.len(), 107);
    for (row, case) in text.lines().zip(&cases) {
        let row: Value = serde_json::from_str(row).expect("a row of the file");
        let mut expected = Vec::new();
        for section in ["Patient_Actor", "Physical_Examination_Findings", "Test_Results"] {
            leaves(&row["OSCE_Examination"][section], section, &mut expected);
        }
        expected.sort();
        let found: Vec<(String, String)> = carried(case).into_iter().collect();
        assert_eq!(found, expected, "{}", case.id);
        assert_eq!(row["OSCE_Examination"]["Correct_Diagnosis"].as_str(), Some(case.diagnosis.as_str()));
        assert!(matches_diagnosis(case, &case.diagnosis.to_uppercase()), "{}", case.id);
    }
}

#[test]
fn every_fact_of_every_case_is_told_by_some_question() {
    let Some((_, cases)) = osce() else { return };
    for case in &cases {
        let mut told = Vec::new();
        for question in QUESTIONS {
            loop {
                let before = told.len();
                let answer = case.ask(question, &mut told);
                assert!(answer.len() <= 2, "{}: {question}", case.id);
                if told.len() == before {
                    break;
                }
            }
        }
        for (index, fact) in case.facts.iter().enumerate() {
            assert!(told.contains(&(index as u16)), "{}: `{}` {}", case.id, fact.path, fact.text);
        }
    }
}

#[test]
fn every_fact_is_the_answer_to_its_own_words() {
    let Some((_, cases)) = osce() else { return };
    for case in &cases {
        for (index, fact) in case.facts.iter().enumerate() {
            let mut told = Vec::new();
            let question = format!("{}: {}?", fact.path.replace(['/', '_', '#'], " "), fact.text);
            for _ in 0..3 {
                case.ask(&question, &mut told);
            }
            assert!(told.contains(&(index as u16)), "{}: `{}` {}", case.id, fact.path, fact.text);
        }
    }
}

/// Every call of the published catalogue: tools with each value of their listed parameters.
fn calls(catalogue: &Value) -> Vec<(String, Vec<(String, String)>)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let mut calls = Vec::new();
    for tool in catalogue.as_array().into_iter().flatten().filter(|tool| tool["name"] != "other") {
        let name = text(&tool["name"]);
        let parameter =
            tool["parameters"].as_array().into_iter().flatten().find(|parameter| parameter["values"].is_array());
        match parameter {
            None => calls.push((name, Vec::new())),
            Some(parameter) => {
                for value in parameter["values"].as_array().into_iter().flatten() {
                    calls.push((name.clone(), vec![(text(&parameter["name"]), text(value))]));
                }
            }
        }
    }
    calls
}

#[test]
fn every_recorded_exam_is_returned_by_some_order() {
    let Some((_, cases)) = osce() else { return };
    for case in &cases {
        for (index, exam) in case.exams.iter().enumerate() {
            let description = exam.path.split('/').skip(1).collect::<Vec<_>>().join(" ").replace('_', " ");
            let found = case.exam("other", &[("description".into(), description.clone())]);
            assert!(found.contains(&(index as u16)), "{}: `{}` by `{description}`", case.id, exam.path);
        }
    }
}

#[test]
fn most_recorded_exams_are_returned_by_a_tool_of_the_catalogue() {
    let (Some((_, cases)), Some(catalogue)) = (osce(), shared("medexagent/exam_catalog.json")) else { return };
    let calls = calls(&serde_json::from_str(&catalogue).expect("the catalogue is JSON"));
    assert!(calls.len() > 300, "{}", calls.len());
    let (mut num_exams, mut num_found) = (0, 0);
    for case in &cases {
        let mut found = vec![false; case.exams.len()];
        for (tool, args) in &calls {
            case.exam(tool, args).iter().for_each(|&index| found[usize::from(index)] = true);
        }
        for (exam, found) in case.exams.iter().zip(&found) {
            assert!(*found || !exam.bedside, "{}: bedside `{}` by no type of physical examination", case.id, exam.path);
            num_exams += 1;
            num_found += u32::from(*found);
        }
    }
    assert!(20 * num_found >= 19 * num_exams, "{num_found} of {num_exams}");
}

#[test]
fn our_own_lines_read_back_equal() {
    let Some((_, cases)) = osce() else { return };
    let lines: Vec<String> = cases.iter().map(|case| to_line(case).expect("a case is JSON")).collect();
    assert_eq!(read_jsonl(&lines).collect::<Vec<_>>(), cases);
    let (again, report) = read_all(&lines.join("\n"), Jsonl);
    assert_eq!((again.len(), report.num_read, report.dropped.len()), (107, 107, 0));
}

#[test]
fn patients_never_name_the_disease() {
    let Some((_, cases)) = osce() else { return };
    for case in &cases {
        let facts: Vec<u16> = (0..case.facts.len() as u16).collect();
        let said = speak_facts(case, &facts).to_lowercase();
        for name in core::iter::once(&case.diagnosis).chain(&case.synonyms) {
            let (name, said) = (name.to_lowercase(), said.as_str());
            let mut words = said.split(|letter: char| !letter.is_alphanumeric());
            let is_named = if name.contains(' ') { said.contains(&name) } else { words.any(|word| word == name) };
            assert!(!is_named, "{}: {name}", case.id);
        }
        let exams: Vec<u16> = (0..case.exams.len() as u16).collect();
        assert_eq!(speak_exams(case, &exams).is_empty(), case.exams.is_empty());
    }
}
