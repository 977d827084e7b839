//! Our reward, value normaliser and tag extraction against vectors computed with the published functions.
//!
//! Catches a drift from the published reward that no hand-made example shows. The vectors are not part of the repository: the
//! tests look for them in `../shared/data/medexagent` beside it and say so when they are absent.

use std::{fs, io::Write as _, path::PathBuf};

use workup_core::{
    exam::Catalogue,
    reward::{score_diagnosis_vectors, score_parameter_vectors, score_reward_vectors},
};

/// The text of a vectors file; `None`, with the reason printed, where the data are absent.
fn vectors(name: &str) -> Option<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/medexagent").join(name);
    let text = fs::read_to_string(&path);
    text.inspect_err(|error| {
        drop(writeln!(std::io::stderr(), "skipped: `{}` is not readable: {error}", path.display()));
    })
    .ok()
}

fn catalogue() -> Catalogue {
    Catalogue::embedded().unwrap()
}

#[test]
fn reward_equals_the_published_one_on_all_vectors() {
    let Some(json) = vectors("reward_vectors.json") else { return };
    let report = score_reward_vectors(&catalogue(), &json).unwrap();
    assert_eq!(report.count, 500);
    assert!(report.max_abs_error <= 1e-12, "{report:?}");
}

#[test]
fn published_normaliser_agrees_on_all_vectors() {
    let Some(json) = vectors("param_vectors.json") else { return };
    let report = score_parameter_vectors(&catalogue(), &json).unwrap();
    assert_eq!((report.count, report.mismatches), (674, 0), "{report:?}");
}

#[test]
fn tag_extraction_agrees_on_all_vectors() {
    let Some(json) = vectors("diag_vectors.json") else { return };
    let report = score_diagnosis_vectors(&json).unwrap();
    assert_eq!((report.count, report.mismatches), (8, 0), "{report:?}");
}

/// The clinic is stricter than the published code elsewhere, but not on what that code documents.
#[test]
fn calls_read_the_published_vectors_the_same_way() {
    let Some(json) = vectors("param_vectors.json") else { return };
    let catalogue = catalogue();
    let vectors: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    for vector in &vectors {
        let text = |field: &str| vector[field].as_str().unwrap_or_default();
        let call = format!("{}({}=\"{}\")", text("tool"), text("parameter"), text("input"));
        let pattern = catalogue.parse_pattern(&call).ok();
        let exam = catalogue.exam_named(text("tool")).unwrap();
        let position = exam.parameters.iter().position(|parameter| parameter.name == text("parameter")).unwrap();
        let value = pattern.and_then(|pattern| pattern.value(position));
        let value = value.map(|index| exam.parameters[position].values[index].as_str());
        assert_eq!(value, vector["normalized"].as_str(), "{call}");
    }
}

/// The catalogue has every name, parameter, value and level of the published interface, in its order.
#[test]
fn catalogue_equals_the_published_interface() {
    let Some(json) = vectors("exam_catalog.json") else { return };
    let published: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    let catalogue = catalogue();
    assert_eq!(published.len(), catalogue.exams().len());
    for (wanted, exam) in published.iter().zip(catalogue.exams()) {
        assert_eq!(wanted["name"], exam.name);
        let levels = wanted["cost_level"].as_u64().zip(wanted["discomfort_level"].as_u64());
        assert_eq!(levels, exam.levels.map(|(cost, discomfort)| (cost.into(), discomfort.into())), "{}", exam.name);
        let parameters = wanted["parameters"].as_array().unwrap();
        assert_eq!(parameters.len(), exam.parameters.len(), "{}", exam.name);
        for (wanted, parameter) in parameters.iter().zip(&exam.parameters) {
            assert_eq!(wanted["name"], parameter.name);
            assert_eq!(wanted["required"], parameter.required);
            let values = wanted["values"].as_array().cloned().unwrap_or_default();
            assert_eq!(values, parameter.values, "{}.{}", exam.name, parameter.name);
        }
    }
}
