//! Medical traps (CLINIC 9) that can be read off the numbers.

use std::collections::BTreeMap;

use workup_core::knowledge::schema::{BandEntry, DiseaseEntry, Share};

use super::Checker;

pub(super) fn check(checker: &mut Checker<'_>) {
    fever_fits_temperature(checker);
    troponin(checker);
    normal_does_not_exclude(checker);
    pregnancy_is_positive(checker);
}

/// Share of `pattern` among the pattern weights that a disease gives for a panel; `None` when it gives none.
fn share(disease: &DiseaseEntry, panel: &str, pattern: &str) -> Option<f64> {
    let weights: &BTreeMap<String, f64> = disease.panels.get(panel)?.value();
    let total: f64 = weights.values().sum();
    (total > 0.0).then(|| weights.get(pattern).copied().unwrap_or(0.0) / total)
}

fn each(checker: &mut Checker<'_>, rule: &'static str, problem: impl Fn(&DiseaseEntry) -> Option<String>) {
    let wrong: Vec<(String, String)> = checker
        .files
        .file
        .diseases
        .iter()
        .filter_map(|disease| Some((disease.id.clone(), problem(disease)?)))
        .collect();
    for (id, problem) in wrong {
        checker.error(rule, "diseases", &id, problem);
    }
}

/// A patient who denies fever, and has none, is not printed with 39.4 degrees.
fn fever_fits_temperature(checker: &mut Checker<'_>) {
    let mut wrong = Vec::new();
    for panel in checker.files.file.panels.iter().filter(|panel| panel.parent.as_deref() == Some("fever")) {
        for pattern in panel.patterns.iter().filter(|pattern| pattern.when == Some(false)) {
            let hot = match pattern.bands.get("temperature") {
                Some(BandEntry::Named(name)) => name.contains("high"),
                Some(BandEntry::Bands(bands)) => bands[4] + bands[5] > 0.02 * bands.iter().sum::<f64>(),
                _ => false,
            };
            if hot {
                wrong.push((panel.id.clone(), pattern.id.clone()));
            }
        }
    }
    for (id, pattern) in wrong {
        let problem = format!("pattern `{pattern}` is for patients without fever and shows one: lower its temperature");
        checker.error("fever_fits_temperature", "panels", &id, problem);
    }
}

/// Raised in much more than infarction, and by definition not in unstable angina.
fn troponin(checker: &mut Checker<'_>) {
    each(checker, "troponin", |disease| {
        let normal = share(disease, "myocardial_injury", "normal").unwrap_or(1.0);
        match disease.id.as_str() {
            "unstable_angina" if normal < 1.0 => {
                Some("a raised troponin is an infarction by definition: only `normal`".to_owned())
            }
            "pulmonary_embolism" | "myocarditis" | "sepsis" | "heart_failure" if normal > 0.97 => {
                Some("troponin is raised in part of these patients: give `myocardial_injury`".to_owned())
            }
            _ => None,
        }
    });
}

/// Exams that miss what they look for.
const MISSES: &[(&str, &str, &str)] = &[
    ("appendicitis", "white_cells", "normal"),
    ("pneumonia", "chest_radiograph", "normal"),
    ("pulmonary_embolism", "chest_radiograph", "normal"),
    ("ischaemic_stroke", "head_ct", "normal"),
    ("epileptic_seizure", "electroencephalography", "normal"),
    ("myocardial_infarction", "ecg", "normal"),
    ("spontaneous_pneumothorax", "chest_radiograph", "normal"),
    ("ureteral_stone", "urinalysis", "normal"),
    ("cholecystitis", "white_cells", "normal"),
];

fn normal_does_not_exclude(checker: &mut Checker<'_>) {
    each(checker, "normal_does_not_exclude", |disease| {
        let (_, panel, pattern) = MISSES.iter().find(|(id, panel, pattern)| {
            *id == disease.id && share(disease, panel, pattern).is_some_and(|share| share < 0.01)
        })?;
        Some(format!("`{panel}` is `{pattern}` in at least some of these patients: give it a weight"))
    });
}

/// The test follows pregnancy where the panel depends on it; then the disease has to make pregnancy all but certain.
fn pregnancy_is_positive(checker: &mut Checker<'_>) {
    let panels = &checker.files.file.panels;
    let parent = panels.iter().find(|panel| panel.id == "pregnancy_hormone").and_then(|panel| panel.parent.clone());
    each(checker, "pregnancy_is_positive", |disease| {
        let positive = match &parent {
            Some(parent) => disease.findings.get(parent).map_or(0.0, |share| match share.value() {
                Share::All(share) => *share,
                Share::ByBand(shares) => shares.iter().copied().fold(0.0, f64::max),
            }),
            None => share(disease, "pregnancy_hormone", "positive").unwrap_or(0.0),
        };
        (disease.icd10.starts_with('O') && !disease.icd10.starts_with("O9") && positive < 0.9).then(|| {
            "a disease of pregnancy in somebody who may not be pregnant: raise that finding or panel".to_owned()
        })
    });
}
