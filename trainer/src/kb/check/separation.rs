//! Diseases that full information cannot tell apart, and exams that never help: found by playing.

use std::collections::BTreeSet;

use serde::Serialize;
use workup_core::{
    clinician::{Candidates, Ceiling, oracle_diagnosis},
    episode::{Episode, Truth},
    knowledge::KnowledgeBase,
    reward::Payer,
};

use crate::{evaluation::parallel, progress::Progress, setting::Setting};

/// Two diseases that are mistaken for each other although everything is known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Confusion {
    /// The disease that the patient had.
    pub disease: String,
    /// The one that was named.
    pub taken_for: String,
    /// Share of its patients for whom that happened.
    pub share: f64,
    /// The panel whose patterns differ most between the two, and by how much (total variation, 0 to 1).
    pub best_panel: Option<(String, f64)>,
}

/// What full information achieves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Separation {
    /// Cases played, uniform prevalence, no noise.
    pub cases: u64,
    /// Share recognised, averaged over diseases.
    pub macro_accuracy: f64,
    /// Share recognised by disease, lowest first.
    pub per_disease: Vec<(String, f64)>,
    /// Pairs that are confused in at least one case in twenty, worst first.
    pub confusions: Vec<Confusion>,
    /// Panels that look the same whatever the disease.
    pub useless_panels: Vec<String>,
}

/// Least share of a disease's patients that makes a pair worth naming.
const WORTH_NAMING: f64 = 0.05;

/// Plays `cases` validation cases with everything known.
pub fn separation(
    base: &std::sync::Arc<KnowledgeBase>,
    cases: u64,
    threads: usize,
    progress: &dyn Progress,
) -> Separation {
    let setting = Setting {
        cases,
        split: workup_core::random::Split::Validation,
        patient_noise: 0.0,
        exam_noise: 0.0,
        ..Setting::default()
    };
    let candidates = Candidates::new(base, Payer::Medicare);
    progress.start("full information", cases);
    let judged = parallel::map(
        cases as usize,
        threads,
        progress,
        || (),
        |(), index| {
            let episode = Episode::new(base.clone(), setting.case(index as u64)).ok()?;
            let Truth::Generated(patient) = episode.truth() else { return None };
            Some((patient.disease(base), oracle_diagnosis(&episode, &candidates, Ceiling::Clean)?))
        },
    );
    progress.finish();
    let num = base.diseases.len();
    let mut counts = vec![vec![0_u32; num]; num];
    for (truth, named) in judged.into_iter().flatten() {
        counts[usize::from(truth)][usize::from(named)] += 1;
    }
    summary(base, cases, &counts)
}

fn summary(base: &KnowledgeBase, cases: u64, counts: &[Vec<u32>]) -> Separation {
    let share = |truth: usize, named: usize| {
        let total: u32 = counts[truth].iter().sum();
        if total == 0 { 0.0 } else { f64::from(counts[truth][named]) / f64::from(total) }
    };
    let id = |index: usize| base.diseases[index].id.clone();
    let mut per_disease: Vec<(String, f64)> = (0..counts.len())
        .filter(|&index| counts[index].iter().any(|&n| n > 0))
        .map(|index| (id(index), share(index, index)))
        .collect();
    per_disease.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let mut confusions = Vec::new();
    for truth in 0..counts.len() {
        for named in (0..counts.len()).filter(|&named| named != truth && share(truth, named) >= WORTH_NAMING) {
            let best_panel = best_panel(base, truth, named);
            confusions.push(Confusion {
                disease: id(truth),
                taken_for: id(named),
                share: share(truth, named),
                best_panel,
            });
        }
    }
    confusions.sort_by(|a, b| b.share.total_cmp(&a.share));
    let macro_accuracy = per_disease.iter().map(|(_, share)| share).sum::<f64>() / per_disease.len().max(1) as f64;
    Separation { cases, macro_accuracy, per_disease, confusions, useless_panels: useless_panels(base) }
}

/// Pattern shares of a panel averaged over a disease's hypotheses.
fn pattern_shares(base: &KnowledgeBase, panel: u16, disease: usize) -> Vec<f64> {
    let hypotheses = base.diseases[disease].hypotheses.clone();
    let num = base.panels[usize::from(panel)].patterns.len();
    let mut shares = vec![0.0; num];
    let len = hypotheses.len() as f64;
    for hypothesis in hypotheses {
        for (share, &ppm) in shares.iter_mut().zip(base.pattern_probabilities(panel, hypothesis, false)) {
            *share += f64::from(ppm) / 1e6 / len;
        }
    }
    shares
}

fn best_panel(base: &KnowledgeBase, one: usize, other: usize) -> Option<(String, f64)> {
    let distance = |panel: usize| {
        let [a, b] = [one, other].map(|disease| pattern_shares(base, panel as u16, disease));
        0.5 * a.iter().zip(&b).map(|(a, b)| (a - b).abs()).sum::<f64>()
    };
    let mut ranked: Vec<(usize, f64)> = (0..base.panels.len()).map(|panel| (panel, distance(panel))).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked
        .first()
        .filter(|(_, distance)| *distance > 0.0)
        .map(|&(panel, distance)| (base.panels[panel].id.clone(), distance))
}

fn useless_panels(base: &KnowledgeBase) -> Vec<String> {
    let mut names = BTreeSet::new();
    for (index, panel) in base.panels.iter().enumerate() {
        let first = pattern_shares(base, index as u16, 0);
        let same = (1..base.diseases.len()).all(|disease| pattern_shares(base, index as u16, disease) == first);
        if same {
            names.insert(panel.id.clone());
        }
    }
    names.into_iter().collect()
}
