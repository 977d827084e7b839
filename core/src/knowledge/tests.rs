//! The embedded pack compiles and its tables are distributions.

use super::{KnowledgeBase, schema::KnowledgeFile};
use crate::{
    case::{Patient, Prevalence},
    random::PPM,
};

#[test]
fn core24_compiles() {
    let base = KnowledgeBase::core24().unwrap_or_else(|error| panic!("{error}"));
    assert!(!base.diseases.is_empty());
}

// Catches a patient who coughs up blood without coughing, whichever way presence is looked up.
#[test]
fn nobody_has_a_finding_without_what_it_requires() {
    let base = KnowledgeBase::full().unwrap_or_else(|error| panic!("{error}"));
    let mut num_implied = 0;
    for seed in 0..300 {
        let patient = Patient::draw(&base, seed, Prevalence::Uniform);
        for child in 0..base.findings.len() as u16 {
            let Some(required) = base.findings[usize::from(child)].requires else { continue };
            let [present, parent] = patient.has_each(&base, [child, required]);
            assert!(parent || !present, "seed {seed}: `{}`", base.findings[usize::from(child)].id);
            num_implied += u32::from(present);
        }
    }
    assert!(num_implied > 20, "{num_implied}");
}

#[test]
fn every_table_row_sums_to_one_million() {
    let base = KnowledgeBase::core24().unwrap();
    for hypothesis in 0..base.hypotheses.len() {
        for attribute in 0..base.attributes.len() as u16 {
            assert_eq!(base.attribute_probabilities(attribute, hypothesis).iter().sum::<u32>(), PPM);
        }
        for panel in 0..base.panels.len() as u16 {
            for parent in [false, true] {
                assert_eq!(base.pattern_probabilities(panel, hypothesis, parent).iter().sum::<u32>(), PPM);
            }
        }
    }
}

#[test]
fn errors_name_section_entry_and_field() {
    let wrong = r#"{"pack":{"name":"x"},"sites":[],"findings":[{"id":"cough","kind":"symptom","term":"cough","noun":"my cough",
        "present":["I cough"],"absent":["I do not cough"],"ask":["cough"],"background":1.5}],"complaints":[],"panels":[],
        "views":[],"diseases":[]}"#;
    let error = KnowledgeBase::from_json(wrong).unwrap_err();
    assert_eq!((error.section, error.entry.as_str(), error.field.as_str()), ("findings", "cough", "background"));
}

#[test]
fn an_empty_base_is_an_error_not_a_panic() {
    assert!(KnowledgeBase::from_file(&KnowledgeFile::default()).is_err());
    assert!(KnowledgeBase::from_json("{").is_err());
    assert!(KnowledgeBase::from_json("").is_err());
}
