//! Whether words name the diagnosis of an imported case: by normalised name and synonyms, as for generated cases.

use super::ImportedCase;
use crate::diagnosis::{Condition, DiagnosisIndex, similarity};

/// True when `text` is the diagnosis or one of its synonyms and nothing else.
pub fn matches_diagnosis(case: &ImportedCase, text: &str) -> bool {
    listed(case, text) == [Condition::Disease(0)]
}

/// The share of `text` that is right, as for generated cases: 1 for the diagnosis, 1/k among k listed, 0 without a match.
pub fn score_diagnosis(case: &ImportedCase, text: &str) -> f64 {
    similarity(&listed(case, text), &[Condition::Disease(0)])
}

fn listed(case: &ImportedCase, text: &str) -> alloc::vec::Vec<Condition> {
    let names = core::iter::once(&case.diagnosis).chain(&case.synonyms).map(|name| (0, name.as_str()));
    DiagnosisIndex::new(names, core::iter::empty()).map(|index| index.read(text).conditions).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case() -> ImportedCase {
        ImportedCase {
            diagnosis: "Graves’ disease (GD)".into(),
            synonyms: alloc::vec!["Graves’ disease".into(), "GD".into()],
            ..ImportedCase::default()
        }
    }

    #[test]
    fn names_match_in_any_spelling_and_by_synonym() {
        for text in ["Graves' disease (GD)", "graves disease", "GD", " GRAVES’ DISEASE. "] {
            assert!(matches_diagnosis(&case(), text), "{text}");
        }
        for text in ["", "Hashimoto thyroiditis", "not sure", "disease"] {
            assert!(!matches_diagnosis(&case(), text), "{text}");
        }
    }

    #[test]
    fn one_right_of_two_scores_half() {
        assert!((score_diagnosis(&case(), "Graves disease, thyroid storm") - 0.5).abs() < 1e-15);
        assert!(!matches_diagnosis(&case(), "Graves disease, thyroid storm"));
        assert!(score_diagnosis(&case(), "thyroid storm").abs() < 1e-15);
    }
}
