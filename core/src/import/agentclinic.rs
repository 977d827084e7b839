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

#[cfg(test)]
mod tests {
    use super::{
        super::{ImportReport, read_all},
        *,
    };

    const ROW: &str = r#"{"OSCE_Examination": {"Objective_for_Doctor": "Find the cause.", "Patient_Actor": {
        "Demographics": "61-year-old male", "History": "Woke with a hot knee. It hurts.",
        "Symptoms": {"Primary_Symptom": "Knee pain", "Secondary_Symptoms": ["Swelling", "Redness"]}, "Notes": null},
        "Physical_Examination_Findings": {"Vital_Signs": {"Within_Normal_Limits": true}, "Knee": "Warm."},
        "Test_Results": {"Joint": {"Fluid": {"Crystals": "Needles", "Count": 12}}, "Imaging": {}},
        "Correct_Diagnosis": "Gout (podagra)", "Management_and_Follow_Up": {"Plan": "Rest"}}}"#;

    fn import(text: &str) -> (Vec<ImportedCase>, ImportReport) {
        read_all(text, AgentClinic)
    }

    fn row() -> String {
        ROW.replace('\n', " ")
    }

    #[test]
    fn every_nesting_becomes_facts_and_exams_in_order() {
        let (cases, _) = import(&row());
        let case = &cases[0];
        let facts: Vec<(&str, &str)> = case.facts.iter().map(|fact| (fact.path.as_str(), fact.text.as_str())).collect();
        assert_eq!(
            facts,
            [
                ("Patient_Actor/Demographics", "61-year-old male"),
                ("Patient_Actor/History#1", "Woke with a hot knee."),
                ("Patient_Actor/History#2", "It hurts."),
                ("Patient_Actor/Symptoms/Primary_Symptom", "Knee pain"),
                ("Patient_Actor/Symptoms/Secondary_Symptoms/0", "Swelling"),
                ("Patient_Actor/Symptoms/Secondary_Symptoms/1", "Redness"),
            ]
        );
        let exams: Vec<(&str, &str, bool)> =
            case.exams.iter().map(|exam| (exam.path.as_str(), exam.text.as_str(), exam.bedside)).collect();
        assert_eq!(
            exams,
            [
                ("Physical_Examination_Findings/Vital_Signs/Within_Normal_Limits", "true", true),
                ("Physical_Examination_Findings/Knee", "Warm.", true),
                ("Test_Results/Joint/Fluid/Crystals", "Needles", false),
                ("Test_Results/Joint/Fluid/Count", "12", false),
            ]
        );
        assert_eq!((case.id.as_str(), case.complaint.as_str()), ("agentclinic:1", "Knee pain"));
        assert_eq!(
            (case.diagnosis.as_str(), &case.synonyms[..]),
            ("Gout (podagra)", &["Gout".into(), "podagra".into()][..])
        );
    }

    #[test]
    fn the_report_says_what_a_case_does_not_carry() {
        let (_, report) = import(&row());
        let left: Vec<(&str, &str)> = report.left_out.iter().map(|piece| (piece.path.as_str(), piece.reason)).collect();
        assert_eq!(
            left,
            [
                ("Patient_Actor/Notes", "null"),
                ("Test_Results/Imaging", "empty"),
                ("Management_and_Follow_Up", "unknown field"),
            ]
        );
        assert!(report.left_out.iter().all(|piece| piece.line == 1));
    }

    #[test]
    fn a_bad_row_is_named_and_never_stops_the_rest() {
        let deep = alloc::format!(
            r#"{{"OSCE_Examination": {{"Correct_Diagnosis": "x", "Patient_Actor": {}1{}}}}}"#,
            "[".repeat(40),
            "]".repeat(40)
        );
        let rows = [
            row(),
            "{\"OSCE_Examination\": ".into(),
            "[]".into(),
            r#"{"OSCE_Examination": 7}"#.into(),
            r#"{"OSCE_Examination": {"Patient_Actor": "Cough"}}"#.into(),
            r#"{"OSCE_Examination": {"Patient_Actor": "Cough", "Correct_Diagnosis": {}}}"#.into(),
            r#"{"OSCE_Examination": {"Patient_Actor": {}, "Correct_Diagnosis": "Cold"}}"#.into(),
            deep,
            "[".repeat(100_000),
            String::new(),
            row(),
            "  ".into(),
        ];
        let (cases, report) = import(&rows.join("\n"));
        assert_eq!((cases.len(), report.num_read, report.num_rows()), (2, 2, 10));
        assert_eq!(cases[1].id, "agentclinic:11");
        let errors: Vec<(u32, &str)> = report.dropped.iter().map(|error| (error.line, error.path.as_str())).collect();
        assert_eq!(
            errors[..7],
            [
                (2, ""),
                (3, "OSCE_Examination"),
                (4, "OSCE_Examination"),
                (5, "Correct_Diagnosis"),
                (6, "Correct_Diagnosis"),
                (7, "Patient_Actor"),
                (8, &*alloc::format!("Patient_Actor{}", "/0".repeat(17))),
            ]
        );
        assert_eq!(errors[7], (9, ""));
        assert_eq!(alloc::format!("{}", report.dropped[3]), "line `5`, `Correct_Diagnosis`: missing: add it");
    }

    #[test]
    fn bytes_that_are_no_text_and_rows_too_long_are_dropped() {
        let rows: [Vec<u8>; 3] = [alloc::vec![b'{', 0xff], alloc::vec![b' '; (1 << 20) + 1], row().into_bytes()];
        let mut reader = read_agentclinic(rows);
        assert_eq!(reader.by_ref().count(), 1);
        let problems: Vec<&ImportProblem> = reader.report().dropped.iter().map(|error| &error.problem).collect();
        assert!(matches!(problems[..], [ImportProblem::NotUtf8 { valid_up_to: 1 }, ImportProblem::TooLong { .. }]));
    }

    #[test]
    fn a_patient_told_in_one_string_can_be_played() {
        let (cases, _) =
            import(r#"{"OSCE_Examination": {"Patient_Actor": "I cough. I sweat.", "Correct_Diagnosis": "Flu"}}"#);
        assert_eq!((cases[0].facts.len(), cases[0].complaint.as_str()), (2, "I cough."));
    }
}
