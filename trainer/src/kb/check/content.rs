//! Completeness: what every disease and complaint has to bring.

use std::collections::{BTreeMap, BTreeSet};

use workup_core::knowledge::schema::{DiseaseEntry, Share, SourceKind};

use super::{Checker, Level};

/// Fewest findings of a disease.
const MIN_FINDINGS: usize = 8;

pub(super) fn check(checker: &mut Checker<'_>) {
    disease_is_complete(checker);
    certainty(checker);
    unused_finding(checker);
    unreachable_disease(checker);
    complaint_has_rivals(checker);
    source_is_complete(checker);
}

fn disease_is_complete(checker: &mut Checker<'_>) {
    let mut wrong = Vec::new();
    for disease in &checker.files.file.diseases {
        let mut missing = |problem: String| wrong.push((disease.id.clone(), problem));
        if disease.findings.len() < MIN_FINDINGS {
            missing(format!("`{}` findings: give at least {MIN_FINDINGS}", disease.findings.len()));
        }
        if disease.reference_workup.is_empty() {
            missing("no `reference_workup`: list what a sensible clinician would order".to_owned());
        }
        if disease.panels.is_empty() && !disease.clinical {
            missing("no exam differs from healthy: give `panels`, or mark it `clinical`".to_owned());
        }
        if !is_icd10(&disease.icd10) {
            missing(format!("`{}` is no ICD-10 code", disease.icd10));
        }
    }
    for (id, problem) in wrong {
        checker.error("disease_is_complete", "diseases", &id, problem);
    }
}

/// A letter, two characters, and perhaps a dot with one to four more.
fn is_icd10(code: &str) -> bool {
    let (stem, rest) = code.split_once('.').unwrap_or((code, "0"));
    let alphanumeric = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    stem.len() == 3
        && stem.as_bytes()[0].is_ascii_uppercase()
        && stem.as_bytes()[1].is_ascii_digit()
        && alphanumeric(stem)
        && (1..=4).contains(&rest.len())
        && alphanumeric(rest)
}

fn finding_shares(disease: &DiseaseEntry) -> impl Iterator<Item = (&String, Share)> {
    let variants = disease.variants.iter().flat_map(|variant| &variant.findings);
    disease.findings.iter().chain(variants).map(|(id, share)| (id, *share.value()))
}

/// Nothing is certain except by definition (CLINIC 9).
fn certainty(checker: &mut Checker<'_>) {
    let mut wrong = Vec::new();
    for disease in &checker.files.file.diseases {
        for (id, share) in finding_shares(disease) {
            let numbers = match share {
                Share::All(number) => vec![number],
                Share::ByBand(numbers) => numbers.to_vec(),
            };
            if numbers.contains(&1.0) || numbers.iter().all(|number| *number == 0.0) {
                wrong.push((disease.id.clone(), format!("P({id}) is exactly 0 or 1: nothing is that certain")));
            }
        }
    }
    for (id, problem) in wrong {
        checker.error("certainty", "diseases", &id, problem);
    }
}

fn unused_finding(checker: &mut Checker<'_>) {
    let file = &checker.files.file;
    let mut used: BTreeSet<&str> = file.diseases.iter().flat_map(finding_shares).map(|(id, _)| id.as_str()).collect();
    used.extend(file.panels.iter().filter_map(|panel| panel.parent.as_deref()));
    let unused: Vec<String> =
        file.findings.iter().map(|finding| &finding.id).filter(|id| !used.contains(id.as_str())).cloned().collect();
    for id in unused {
        let problem = "no disease uses it: take it out, or give it to the diseases it speaks for".to_owned();
        checker.error("unused_finding", "findings", &id, problem);
    }
}

/// Some sex, age band and complaint must lead to every way a disease presents.
fn unreachable_disease(checker: &mut Checker<'_>) {
    let mut wrong = Vec::new();
    for hypothesis in &checker.base.hypotheses {
        let disease = &checker.base.diseases[usize::from(hypothesis.disease)];
        let in_some_cell =
            (0..2).any(|sex| (0..4).any(|band| disease.incidence[sex][band] > 0 && hypothesis.weight[band] > 0));
        if !in_some_cell || hypothesis.complaints.iter().all(|&weight| weight == 0) {
            wrong.push((disease.id.clone(), hypothesis.variant.clone()));
        }
    }
    for (id, variant) in wrong {
        let problem = format!("variant `{variant}` is reached by no seed: its age bands have no incidence");
        checker.error("unreachable_disease", "diseases", &id, problem);
    }
}

/// Every complaint has something dangerous and something harmless behind it.
fn complaint_has_rivals(checker: &mut Checker<'_>) {
    let mut severities: BTreeMap<&str, Vec<u32>> =
        checker.files.file.complaints.iter().map(|complaint| (complaint.finding.as_str(), Vec::new())).collect();
    for disease in &checker.files.file.diseases {
        let variants = disease.variants.iter().flat_map(|variant| variant.complaints.keys());
        for complaint in disease.complaints.keys().chain(variants) {
            severities.entry(complaint).or_default().push(disease.severity);
        }
    }
    let lacks = |list: &[u32]| {
        let (dangerous, harmless) =
            (list.iter().any(|&severity| severity <= 2), list.iter().any(|&severity| severity >= 4));
        if !dangerous {
            Some("nothing dangerous (severity 1 or 2)")
        } else if !harmless {
            Some("nothing harmless (severity 4 or 5)")
        } else {
            None
        }
    };
    let wrong: Vec<(String, &str)> =
        severities.iter().filter_map(|(id, list)| Some(((*id).to_owned(), lacks(list)?))).collect();
    for (id, lack) in wrong {
        let problem = format!("{lack} presents with it: every complaint needs both");
        checker.breach(Level::Error, "complaint_has_rivals", "complaints", &id, problem);
    }
}

fn source_is_complete(checker: &mut Checker<'_>) {
    let mut wrong = Vec::new();
    for source in &checker.files.file.sources {
        if source.citation.trim().is_empty() || (source.kind != SourceKind::Derived && source.url.trim().is_empty()) {
            wrong.push(source.id.clone());
        }
    }
    for id in wrong {
        let problem = "a source needs a citation and, unless derived, a `url` where it can be read".to_owned();
        checker.error("source_is_complete", "sources", &id, problem);
    }
}

#[cfg(test)]
mod tests {
    use super::is_icd10;

    #[test]
    fn icd_10_codes_are_told_from_other_texts() {
        assert!(["I21.4", "J45", "G44.009", "C34", "M54.5"].into_iter().all(is_icd10));
        assert!(["", "I", "21.4", "i21", "J45.", "J45.12345", "J 5"].into_iter().all(|code| !is_icd10(code)));
    }
}
