//! One generated patient's truth, drawn lazily: every item's value is a keyed draw of its own, so asking costs only what is asked.

use crate::{
    knowledge::{Applies, AttributeValues, KnowledgeBase, Sex},
    observation::Value,
    random::{KeyedRng, Purpose, first_words, happens},
};
use serde::{Deserialize, Serialize};

/// How often each disease occurs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prevalence {
    /// Every disease equally often: training, evaluation, belief.
    #[default]
    Uniform,
    /// By incidence.
    Incidence,
}

/// A generated patient: everything hidden that is not an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patient {
    /// Seed of all draws.
    pub seed: u64,
    /// Hypothesis (index).
    pub hypothesis: u16,
    /// Sex.
    pub sex: Sex,
    /// Age in years.
    pub age: u32,
    /// Age band.
    pub band: usize,
    /// Complaint (index).
    pub complaint: u16,
}

impl Patient {
    /// Draws disease, then sex and age band by its incidence, then variant, age and chief complaint.
    ///
    /// A knowledge base has at least one disease and one complaint (checked when it is compiled).
    pub fn draw(base: &KnowledgeBase, seed: u64, prevalence: Prevalence) -> Self {
        let mut rng = KeyedRng::new(seed, Purpose::Case, 0, 0);
        let disease = match prevalence {
            Prevalence::Uniform => rng.below(base.diseases.len() as u32) as usize,
            Prevalence::Incidence => draw_by(&mut rng, base.diseases.iter().map(|disease| disease.prevalence)),
        };
        let disease = &base.diseases[disease];
        let cell = draw_by(&mut rng, disease.incidence.iter().flatten().copied());
        let (sex, band) = (if cell < 4 { Sex::Female } else { Sex::Male }, cell % 4);
        let variants = &base.hypotheses[disease.hypotheses.clone()];
        let variant = draw_by(&mut rng, variants.iter().map(|variant| variant.weight[band]));
        let hypothesis = disease.hypotheses.start + variant;
        let (youngest, oldest) = crate::knowledge::AGE_BANDS[band];
        let age = youngest + rng.below(oldest - youngest + 1);
        let complaint = rng.weighted(&base.hypotheses[hypothesis].complaints);
        Self { seed, hypothesis: hypothesis as u16, sex, age, band, complaint: complaint as u16 }
    }

    /// The disease (index).
    pub fn disease(&self, base: &KnowledgeBase) -> u16 {
        base.hypotheses[usize::from(self.hypothesis)].disease
    }

    /// Whether someone like this patient is inside limits.
    #[inline]
    pub fn covered_by(&self, applies: &Applies) -> bool {
        applies.covers(self.sex, self.age)
    }

    /// Whether the finding is present.
    #[inline]
    pub fn has(&self, base: &KnowledgeBase, finding: u16) -> bool {
        let [present] = self.has_each(base, [finding]);
        present
    }

    /// Whether each of several findings is present, worked out side by side.
    #[inline]
    pub fn has_each<const N: usize>(&self, base: &KnowledgeBase, findings: [u16; N]) -> [bool; N] {
        let words = first_words(
            self.seed,
            Purpose::Finding,
            findings.map(|finding| base.findings[usize::from(finding)].key),
            0,
        );
        core::array::from_fn(|index| {
            let finding = findings[index];
            let entry = &base.findings[usize::from(finding)];
            let ppm = base.finding_probabilities(finding, self.band)[usize::from(self.hypothesis)];
            base.is_complained_of(finding, self.complaint)
                || (happens(words[index], ppm)
                    && self.covered_by(&entry.applies)
                    && entry.requires.is_none_or(|required| self.has(base, required)))
        })
    }

    /// The value of an attribute, given that its finding is present (index of the value).
    #[inline]
    pub fn attribute(&self, base: &KnowledgeBase, attribute: u16) -> usize {
        let weights = base.attribute_probabilities(attribute, usize::from(self.hypothesis));
        KeyedRng::new(self.seed, Purpose::Attribute, base.attributes[usize::from(attribute)].key, 0).weighted(weights)
    }

    /// The attribute as a reported value.
    pub fn attribute_value(&self, base: &KnowledgeBase, attribute: u16) -> Value {
        let entry = &base.attributes[usize::from(attribute)];
        if !self.has(base, entry.finding) {
            return Value::NotApplicable;
        }
        let index = self.attribute(base, attribute);
        match &entry.values {
            AttributeValues::Severity => Value::Severity(index as u8 + 1),
            AttributeValues::Duration(values) => Value::Duration(values[index].0, values[index].1),
            AttributeValues::Sites(sites) => Value::Choice(sites[index]),
            AttributeValues::Named(_) => Value::Choice(index as u16),
        }
    }

    /// The latent pattern of a panel (index).
    pub fn pattern(&self, base: &KnowledgeBase, panel: u16) -> usize {
        let entry = &base.panels[usize::from(panel)];
        let parent = entry.parent.is_some_and(|finding| self.has(base, finding));
        let weights = base.pattern_probabilities(panel, usize::from(self.hypothesis), parent);
        KeyedRng::new(self.seed, Purpose::Pattern, entry.key, 0).weighted(weights)
    }

    /// The band or field value of an analyte, given its panel's pattern (index).
    pub fn band_of(&self, base: &KnowledgeBase, analyte: u16, pattern: usize) -> usize {
        let entry = &base.analytes[usize::from(analyte)];
        let panel = &base.panels[usize::from(entry.panel)];
        let weights = &panel.patterns[pattern].bands[usize::from(entry.position)];
        KeyedRng::new(self.seed, Purpose::Band, entry.key, 0).weighted(weights)
    }

    /// Which of an analyte's three scales applies: 0 men, 1 women, 2 children.
    pub fn scale_index(&self) -> usize {
        match (self.band, self.sex) {
            (0, _) => 2,
            (_, Sex::Female) => 1,
            (_, Sex::Male) => 0,
        }
    }

    /// The printed number of an analyte in its band, in ticks; uniform over the band.
    #[expect(clippy::cast_possible_wrap, reason = "a band is narrower than its edges, which are 32 bits with a sign")]
    pub fn ticks_of(&self, base: &KnowledgeBase, analyte: u16, band: usize) -> i32 {
        let entry = &base.analytes[usize::from(analyte)];
        let Some(numeric) = &entry.numeric else { return 0 };
        let edges = &numeric.scales[self.scale_index()].edges;
        let width = (edges[band + 1] - edges[band]) as u32 + u32::from(band == 5);
        edges[band] + KeyedRng::new(self.seed, Purpose::Number, entry.key, 0).below(width) as i32
    }
}

/// An index with probability proportional to weights that need not lie in a slice.
fn draw_by(rng: &mut KeyedRng, weights: impl Iterator<Item = u32> + Clone) -> usize {
    let total: u64 = weights.clone().map(u64::from).sum();
    let mut rest = ((u128::from(rng.draw()) * u128::from(total)) >> 32) as u64;
    for (index, weight) in weights.map(u64::from).enumerate() {
        if rest < weight {
            return index;
        }
        rest -= weight;
    }
    0
}
