//! Expected information gain of exam reports.

use alloc::{vec, vec::Vec};

use super::{Frame, Row};
use crate::{
    belief::evidence::PanelEvidence,
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
    /// P(looks like pattern y | parent value, hypothesis) before anything was observed: `[parent value][y][hypothesis]`.
    /// Without a parent only the first is there.
    prior: Vec<Vec<Vec<f64>>>,
}

/// For every view of a knowledge base how its panels show. Built once, from keyed draws.
#[derive(Clone, Debug)]
pub struct ReportChannels {
    views: Vec<Vec<PanelChannel>>,
}

impl ReportChannels {
    /// Draws `SAMPLES` reports per pattern of every view and counts which pattern each looks most like.
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
    let parents: &[bool] = if entry.parent.is_some() { &[false, true] } else { &[false] };
    let of_parent = |&parent: &bool| {
        let mut rows = vec![vec![0.0; base.hypotheses.len()]; num];
        for (hypothesis, _) in base.hypotheses.iter().enumerate() {
            let weights = base.pattern_probabilities(panel, hypothesis, parent);
            let mut shares: Vec<f64> = weights.iter().map(|&ppm| f64::from(ppm) / MILLION).collect();
            crate::math::normalize(&mut shares);
            show_through(&shares, &confusion, |looks_like, share| rows[looks_like][hypothesis] += share);
        }
        rows
    };
    let prior = parents.iter().map(of_parent).collect();
    PanelChannel { panel, analytes, confusion, prior }
}

/// Spreads the shares of patterns over the patterns they look like.
fn show_through(shares: &[f64], confusion: &[Vec<f64>], mut add: impl FnMut(usize, f64)) {
    for (share, row) in shares.iter().zip(confusion) {
        for (looks_like, confused) in row.iter().enumerate() {
            add(looks_like, share * confused);
        }
    }
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

/// One part of a report: P(outcome | hypothesis), rows by outcome.
type Part = Vec<Row>;

impl Frame<'_> {
    /// Expected information gain, in bits, of the report of a view (index) executed for the first time.
    pub fn report_gain(&self, channels: &ReportChannels, view: u16) -> f64 {
        let mut parts: Vec<Part> = Vec::new();
        let mut outcomes = 1usize;
        for &sign in &self.belief.base.views[usize::from(view)].signs {
            if self.belief.is_settled(sign) {
                continue;
            }
            outcomes = outcomes.saturating_mul(2);
            let present = self.present(sign);
            if !is_constant(&present) {
                parts.push(vec![present.iter().map(|p| 1.0 - p).collect(), present.to_vec()]);
            }
        }
        for channel in &channels.views[usize::from(view)] {
            let Some(part) = self.panel_part(channel) else { continue };
            outcomes = outcomes.saturating_mul(part.len());
            if !part.iter().all(|row| is_constant(row)) {
                parts.push(part);
            }
        }
        if parts.is_empty() {
            return 0.0;
        }
        if outcomes <= MAX_OUTCOMES { self.product_gain(&parts) } else { self.gain_of_best(parts) }
    }

    /// The gain of the most informative parts that can be told apart together.
    fn gain_of_best(&self, parts: Vec<Part>) -> f64 {
        let mut ranked: Vec<(f64, Part)> =
            parts.into_iter().map(|part| (self.product_gain(core::slice::from_ref(&part)), part)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut chosen: Vec<Part> = Vec::new();
        let mut outcomes = 1;
        for (_, part) in ranked {
            if outcomes * part.len() > MAX_OUTCOMES {
                break;
            }
            outcomes *= part.len();
            chosen.push(part);
        }
        self.product_gain(&chosen)
    }

    /// The gain of all combinations of parts, which are independent given the hypothesis.
    fn product_gain(&self, parts: &[Part]) -> f64 {
        let mut gauge = self.gauge();
        let Some((last, before)) = parts.split_last() else { return 0.0 };
        let mut rows = vec![vec![1.0; self.hypotheses.len()]];
        for part in before {
            let combine = |row: &Row| -> Vec<Row> {
                part.iter().map(|other| row.iter().zip(other).map(|(a, b)| a * b).collect()).collect()
            };
            rows = rows.iter().flat_map(combine).collect();
        }
        for row in &rows {
            for other in last {
                gauge.outcome(row.iter().zip(other).map(|(a, b)| a * b));
            }
        }
        gauge.gain()
    }

    /// P(looks like pattern y | hypothesis, everything observed), rows by y; `None` when all of it is known already.
    fn panel_part(&self, channel: &PanelChannel) -> Option<Part> {
        let panel = &self.belief.base.panels[usize::from(channel.panel)];
        let evidence = match panel.parent {
            Some(parent) => self.belief.evidence(parent).and_then(|root| root.panels.get(&channel.panel)),
            None => self.belief.panels.get(&channel.panel),
        };
        let Some(evidence) = evidence else {
            return (!channel.analytes.is_empty()).then(|| self.untouched_part(channel, panel.parent));
        };
        if channel.analytes.iter().all(|analyte| evidence.analytes.contains_key(analyte)) {
            return None;
        }
        let mut rows = vec![vec![0.0; self.hypotheses.len()]; panel.patterns.len()];
        for (position, &hypothesis) in self.hypotheses.iter().enumerate() {
            let shares = self.pattern_posterior(channel.panel, evidence, hypothesis);
            show_through(&shares, &channel.confusion, |looks_like, share| rows[looks_like][position] += share);
        }
        Some(rows)
    }

    /// [`Self::panel_part`] of a panel of which nothing was seen yet: read off the table.
    fn untouched_part(&self, channel: &PanelChannel, parent: Option<u16>) -> Part {
        let of = |row: &Vec<f64>| -> Row { self.hypotheses.iter().map(|&hypothesis| row[hypothesis]).collect() };
        match (parent, channel.prior.as_slice()) {
            (Some(parent), [absent, present]) => {
                let shares = self.present(parent);
                let mix = |(absent, present): (&Vec<f64>, &Vec<f64>)| -> Row {
                    let rows = of(absent).into_iter().zip(of(present));
                    rows.zip(shares.iter()).map(|((absent, present), p)| (1.0 - p) * absent + p * present).collect()
                };
                absent.iter().zip(present).map(mix).collect()
            }
            (_, prior) => prior.first().map_or_else(Vec::new, |rows| rows.iter().map(of).collect()),
        }
    }

    /// P(pattern | hypothesis, everything observed) of a panel of which something was seen.
    fn pattern_posterior(&self, panel: u16, evidence: &PanelEvidence, hypothesis: usize) -> Vec<f64> {
        let base = &self.belief.base;
        let entry = &base.panels[usize::from(panel)];
        // Evidence about a panel with a parent is part of the evidence about the parent.
        let parent = entry.parent.and_then(|finding| {
            let root = self.belief.evidence(finding)?;
            Some(root.joint(base, &self.belief.presentation, finding, hypothesis))
        });
        let parent = parent.unwrap_or([1.0, 0.0]);
        let mut shares = vec![0.0; entry.patterns.len()];
        for (value, weight) in [(false, parent[0]), (true, parent[1])] {
            let ppm = base.pattern_probabilities(panel, hypothesis, value);
            // `joint` already holds the panel's own evidence; dividing it out leaves the parent's.
            let own = evidence.factor(base, panel, hypothesis, value);
            let weight = if entry.parent.is_some() && own > 0.0 { weight / own } else { weight };
            for (pattern, (share, &ppm)) in shares.iter_mut().zip(ppm).enumerate() {
                *share += weight * f64::from(ppm) / MILLION * evidence.of_pattern(base, panel, pattern);
            }
        }
        crate::math::normalize(&mut shares);
        shares
    }
}

/// Whether an outcome is as probable under every hypothesis: then it tells nothing.
fn is_constant(row: &[f64]) -> bool {
    row.windows(2).all(|pair| pair[0].to_bits() == pair[1].to_bits())
}
