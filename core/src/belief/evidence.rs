//! Likelihoods gathered per item, and the sum over what is hidden below a finding or a panel.

use alloc::{collections::BTreeMap, vec, vec::Vec};

use super::Presentation;
use crate::{knowledge::KnowledgeBase, random::PPM};

const MILLION: f64 = PPM as f64;

/// Evidence about one finding, its attributes and the panels that depend on it.
#[derive(Clone, Debug)]
pub(super) struct RootEvidence {
    /// Likelihood of absent and present.
    pub(super) likelihood: [f64; 2],
    /// Per attribute (index): likelihood of each value, and of "not applicable".
    pub(super) attributes: BTreeMap<u16, (Vec<f64>, f64)>,
    /// Per dependent panel (index).
    pub(super) panels: BTreeMap<u16, PanelEvidence>,
    /// Per finding that requires this one (index): likelihood of absent and present.
    pub(super) implied_by: BTreeMap<u16, [f64; 2]>,
}

impl Default for RootEvidence {
    fn default() -> Self {
        Self {
            likelihood: [1.0, 1.0],
            attributes: BTreeMap::new(),
            panels: BTreeMap::new(),
            implied_by: BTreeMap::new(),
        }
    }
}

impl RootEvidence {
    pub(super) fn observe_attribute(&mut self, attribute: u16, values: &[f64], absent: f64) {
        let entry = self.attributes.entry(attribute).or_insert_with(|| (vec![1.0; values.len()], 1.0));
        for (slot, likelihood) in entry.0.iter_mut().zip(values) {
            *slot *= likelihood;
        }
        entry.1 *= absent;
    }

    /// P(x | h) l(x) times everything below, for x absent and present.
    pub(super) fn joint(
        &self,
        base: &KnowledgeBase,
        presentation: &Presentation,
        finding: u16,
        hypothesis: usize,
    ) -> [f64; 2] {
        let present = prior_of(base, presentation, finding, hypothesis);
        let mut joint = [(1.0 - present) * self.likelihood[0], present * self.likelihood[1]];
        for (&attribute, (values, absent)) in &self.attributes {
            let weights = base.attribute_probabilities(attribute, hypothesis);
            let sum: f64 = weights.iter().zip(values).map(|(&weight, value)| f64::from(weight) / MILLION * value).sum();
            joint[0] *= absent;
            joint[1] *= sum;
        }
        for (&panel, evidence) in &self.panels {
            joint[0] *= evidence.factor(base, panel, hypothesis, false);
            joint[1] *= evidence.factor(base, panel, hypothesis, true);
        }
        for (&child, likelihood) in &self.implied_by {
            let present = prior_of(base, presentation, child, hypothesis);
            joint[0] *= likelihood[0];
            joint[1] *= (1.0 - present) * likelihood[0] + present * likelihood[1];
        }
        joint
    }

    /// P(child present | h, this evidence), for a finding that requires this one.
    pub(super) fn child_present(
        &self,
        base: &KnowledgeBase,
        presentation: &Presentation,
        [finding, child]: [u16; 2],
        hypothesis: usize,
    ) -> f64 {
        let [absent, present] = self.joint(base, presentation, finding, hypothesis);
        let prior = prior_of(base, presentation, child, hypothesis);
        let [no, yes] = self.implied_by.get(&child).copied().unwrap_or([1.0, 1.0]);
        let (without, with) = ((1.0 - prior) * no, prior * yes);
        if absent + present > 0.0 && without + with > 0.0 {
            present / (absent + present) * with / (without + with)
        } else {
            0.0
        }
    }
}

/// P(finding present | h, age, sex), given what it requires: 1 for the complaint and what that requires, 0 where it cannot be.
pub(super) fn prior_of(base: &KnowledgeBase, presentation: &Presentation, finding: u16, hypothesis: usize) -> f64 {
    if base.is_complained_of(finding, presentation.complaint) {
        return 1.0;
    }
    if !base.findings[usize::from(finding)].applies.covers(presentation.sex, presentation.age) {
        return 0.0;
    }
    f64::from(base.finding_probabilities(finding, presentation.band)[hypothesis]) / MILLION
}

/// Evidence about one panel: per analyte (index) the likelihood of each band or value.
#[derive(Clone, Debug, Default)]
pub(super) struct PanelEvidence {
    pub(super) analytes: BTreeMap<u16, Vec<f64>>,
}

impl PanelEvidence {
    pub(super) fn observe(&mut self, analyte: u16, values: &[f64]) {
        let entry = self.analytes.entry(analyte).or_insert_with(|| vec![1.0; values.len()]);
        for (slot, likelihood) in entry.iter_mut().zip(values) {
            *slot *= likelihood;
        }
    }

    /// The likelihood of a pattern: product over analytes of sum over bands.
    pub(super) fn of_pattern(&self, base: &KnowledgeBase, panel: u16, pattern: usize) -> f64 {
        let bands = &base.panels[usize::from(panel)].patterns[pattern].bands;
        let of_analyte = |(&analyte, values): (&u16, &Vec<f64>)| -> f64 {
            let weights = &bands[usize::from(base.analytes[usize::from(analyte)].position)];
            weights.iter().zip(values).map(|(&weight, value)| f64::from(weight) / MILLION * value).sum()
        };
        self.analytes.iter().map(of_analyte).product()
    }

    /// Sum over patterns z of P(z | h, parent) L(z).
    pub(super) fn factor(&self, base: &KnowledgeBase, panel: u16, hypothesis: usize, parent: bool) -> f64 {
        let weights = base.pattern_probabilities(panel, hypothesis, parent);
        let of_pattern = |(pattern, &weight): (usize, &u32)| {
            if weight == 0 { 0.0 } else { f64::from(weight) / MILLION * self.of_pattern(base, panel, pattern) }
        };
        weights.iter().enumerate().map(of_pattern).sum()
    }
}
