//! Expected information gain of exam reports.

use alloc::{vec, vec::Vec};

use super::Outcomes;
use crate::{
    belief::{
        Belief,
        evidence::{PanelEvidence, prior_of},
    },
    knowledge::KnowledgeBase,
    random::{KeyedRng, PPM, Purpose},
};

const MILLION: f64 = PPM as f64;
/// Reports drawn per pattern to learn which patterns are mistaken for each other.
const SAMPLES: u32 = 200;
/// Most outcomes of one report that are told apart; larger reports are judged by their most informative part.
const MAX_OUTCOMES: usize = 160;

/// How the patterns of one panel show through the analytes that a view has of it.
#[derive(Clone, Debug)]
struct PanelChannel {
    panel: u16,
    /// Analytes shown (indexes).
    analytes: Vec<u16>,
    /// P(looks like pattern y | pattern z): `[z][y]`.
    confusion: Vec<Vec<f64>>,
}

/// For every view of a knowledge base how its panels show. Built once, from keyed draws.
#[derive(Clone, Debug)]
pub struct ReportChannels {
    views: Vec<Vec<PanelChannel>>,
}

impl ReportChannels {
    /// Draws [`SAMPLES`] reports per pattern of every view and counts which pattern each looks most like.
    pub fn new(base: &KnowledgeBase) -> Self {
        let of_view = |view: &crate::knowledge::View| {
            let mut panels: Vec<u16> = Vec::new();
            for &analyte in &view.analytes {
                let panel = base.analytes[usize::from(analyte)].panel;
                if !panels.contains(&panel) {
                    panels.push(panel);
                }
            }
            panels.into_iter().map(|panel| channel(base, panel, &view.analytes)).collect()
        };
        Self { views: base.views.iter().map(of_view).collect() }
    }
}

fn channel(base: &KnowledgeBase, panel: u16, shown: &[u16]) -> PanelChannel {
    let is_part = |index: &u16| {
        let analyte = &base.analytes[usize::from(*index)];
        analyte.panel == panel && analyte.derived.is_none()
    };
    let analytes: Vec<u16> = shown.iter().copied().filter(is_part).collect();
    let entry = &base.panels[usize::from(panel)];
    let num = entry.patterns.len();
    let mut confusion = vec![vec![0.0; num]; num];
    for (pattern, row) in confusion.iter_mut().enumerate() {
        for sample in 0..SAMPLES {
            row[looks_like(base, panel, &analytes, pattern, sample)] += 1.0 / f64::from(SAMPLES);
        }
    }
    PanelChannel { panel, analytes, confusion }
}

/// Draws one report of a pattern and returns the most likely pattern behind it, all patterns being equally likely before.
fn looks_like(base: &KnowledgeBase, panel: u16, analytes: &[u16], pattern: usize, sample: u32) -> usize {
    let entry = &base.panels[usize::from(panel)];
    let mut likelihoods = vec![1.0; entry.patterns.len()];
    for &index in analytes {
        let analyte = &base.analytes[usize::from(index)];
        let position = usize::from(analyte.position);
        let key = analyte.key ^ (pattern as u64) << 32 ^ u64::from(sample);
        let weights = &entry.patterns[pattern].bands[position];
        let band = KeyedRng::new(0, Purpose::Auxiliary, key, 0).weighted(weights);
        for (likelihood, other) in likelihoods.iter_mut().zip(&entry.patterns) {
            *likelihood *= f64::from(other.bands[position][band]) / MILLION;
        }
    }
    let mut best = 0;
    for (index, likelihood) in likelihoods.iter().enumerate() {
        if *likelihood > likelihoods[best] {
            best = index;
        }
    }
    best
}

impl Belief {
    /// Expected information gain, in bits, of the report of a view (index) executed for the first time: signs exactly, panels as
    /// a lower bound; what is already known adds nothing. Exam noise, which only withholds or flags, is left out.
    pub fn report_gain(&self, channels: &ReportChannels, view: u16) -> f64 {
        let num = self.base.hypotheses.len();
        let mut parts: Vec<Vec<Vec<f64>>> = Vec::new();
        for &sign in &self.base.views[usize::from(view)].signs {
            if self.evidence(sign).is_some_and(|root| root.likelihood.contains(&0.0)) {
                continue;
            }
            let present = self.finding_posterior(sign);
            parts.push(vec![present.iter().map(|p| 1.0 - p).collect(), present]);
        }
        for channel in &channels.views[usize::from(view)] {
            parts.extend(self.panel_part(channel));
        }
        if parts.is_empty() {
            return 0.0;
        }
        let outcomes: usize = parts.iter().map(Vec::len).try_fold(1usize, usize::checked_mul).unwrap_or(usize::MAX);
        if outcomes <= MAX_OUTCOMES {
            return self.mutual_information(&product(&parts, num));
        }
        self.best_parts(parts, num)
    }

    /// The gain of the most informative parts that can be told apart together.
    fn best_parts(&self, parts: Vec<Vec<Vec<f64>>>, num: usize) -> f64 {
        let mut ranked: Vec<(f64, Vec<Vec<f64>>)> = parts
            .into_iter()
            .map(|part| (self.mutual_information(&product(core::slice::from_ref(&part), num)), part))
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut chosen: Vec<Vec<Vec<f64>>> = Vec::new();
        let mut outcomes = 1;
        for (_, part) in ranked {
            if outcomes * part.len() > MAX_OUTCOMES {
                break;
            }
            outcomes *= part.len();
            chosen.push(part);
        }
        self.mutual_information(&product(&chosen, num))
    }

    /// P(looks like pattern y | hypothesis, everything observed), rows by y; `None` when all of it is known already.
    fn panel_part(&self, channel: &PanelChannel) -> Option<Vec<Vec<f64>>> {
        let panel = &self.base.panels[usize::from(channel.panel)];
        let evidence = match panel.parent {
            Some(parent) => self.evidence(parent).and_then(|root| root.panels.get(&channel.panel)),
            None => self.panels.get(&channel.panel),
        };
        let seen = |analyte: &u16| evidence.is_some_and(|evidence| evidence.analytes.contains_key(analyte));
        if channel.analytes.iter().all(seen) {
            return None;
        }
        let num = self.base.hypotheses.len();
        let mut rows = vec![vec![0.0; num]; panel.patterns.len()];
        for hypothesis in 0..num {
            let patterns = self.pattern_posterior(channel.panel, evidence, hypothesis);
            for (pattern, share) in patterns.iter().enumerate() {
                for (row, confusion) in rows.iter_mut().zip(&channel.confusion[pattern]) {
                    row[hypothesis] += share * confusion;
                }
            }
        }
        Some(rows)
    }

    /// P(pattern | hypothesis, everything observed).
    fn pattern_posterior(&self, panel: u16, evidence: Option<&PanelEvidence>, hypothesis: usize) -> Vec<f64> {
        let entry = &self.base.panels[usize::from(panel)];
        let parent = entry.parent.map_or([1.0, 0.0], |finding| match self.evidence(finding) {
            Some(root) => root.joint(&self.base, &self.presentation, finding, hypothesis),
            None => {
                let present = prior_of(&self.base, &self.presentation, finding, hypothesis);
                [1.0 - present, present]
            }
        });
        let mut shares = vec![0.0; entry.patterns.len()];
        for (value, weight) in [(false, parent[0]), (true, parent[1])] {
            let ppm = self.base.pattern_probabilities(panel, hypothesis, value);
            // `joint` already holds the panel's own evidence; dividing it out leaves the parent's.
            let own = evidence.map_or(1.0, |evidence| evidence.factor(&self.base, panel, hypothesis, value));
            let weight = if entry.parent.is_some() && own > 0.0 { weight / own } else { weight };
            for (pattern, (share, &ppm)) in shares.iter_mut().zip(ppm).enumerate() {
                let likelihood = evidence.map_or(1.0, |evidence| evidence.of_pattern(&self.base, panel, pattern));
                *share += weight * f64::from(ppm) / MILLION * likelihood;
            }
        }
        crate::math::normalize(&mut shares);
        shares
    }
}

/// All combinations of parts that are independent given the hypothesis.
fn product(parts: &[Vec<Vec<f64>>], num: usize) -> Outcomes {
    let mut rows = vec![vec![1.0; num]];
    for part in parts {
        let combine = |row: &Vec<f64>| {
            let row = row.clone();
            part.iter().map(move |other| row.iter().zip(other).map(|(a, b)| a * b).collect::<Vec<f64>>())
        };
        rows = rows.iter().flat_map(combine).collect();
    }
    Outcomes { rows }
}
