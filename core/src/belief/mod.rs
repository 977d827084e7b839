//! The exact posterior over diseases given everything observed, noise marginalised (CLINIC 3, "Filter").
//!
//! `b(h) ~ pi(h | age, sex) P(complaint | h) prod_i sum_v P_i(v | h) l_i(v)`: every item keeps the product of the likelihoods
//! of its readings, so the order of questions does not matter, not even in the last bit: factors are multiplied in index order.
//! Exact under the plans `keyed` and `forced`, an approximation under `paper`, absent for imported words.

mod channel;
mod evidence;
pub mod gain;

use alloc::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    vec,
    vec::Vec,
};

use crate::{
    case::{Patient, Prevalence},
    episode::{Episode, Step, Truth},
    knowledge::{ItemKind, KnowledgeBase, Sex},
    math::{entropy_bits, normalize},
    noise_plan::Plan,
    observation::{Reading, Source, Value},
    random::PPM,
};
pub use channel::duration_shift;
use evidence::{PanelEvidence, RootEvidence};

/// The plan of someone who believes every word.
static NO_NOISE: Plan = Plan::Keyed { patient_ppm: 0, exam_ppm: 0 };

/// What everybody knows about the patient from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presentation {
    /// Sex.
    pub sex: Sex,
    /// Age in years.
    pub age: u32,
    /// Age band.
    pub band: usize,
    /// Complaint (index).
    pub complaint: u16,
}

impl From<&Patient> for Presentation {
    fn from(patient: &Patient) -> Self {
        Self { sex: patient.sex, age: patient.age, band: patient.band, complaint: patient.complaint }
    }
}

/// The posterior over hypotheses and diseases.
#[derive(Clone, Debug)]
pub struct Belief {
    base: Arc<KnowledgeBase>,
    presentation: Presentation,
    exact: bool,
    /// See [`Self::believing_every_word`].
    naive: bool,
    prior: Vec<f64>,
    /// Evidence by finding (index), with its attributes and dependent panels.
    roots: BTreeMap<u16, RootEvidence>,
    /// Evidence by panel (index) without a parent finding.
    panels: BTreeMap<u16, PanelEvidence>,
    /// Factor of each touched root or panel: one number per hypothesis. Panels come after findings.
    factors: BTreeMap<(bool, u16), Vec<f64>>,
    /// Roots and panels with readings that the posterior does not know yet.
    stale: BTreeSet<(bool, u16)>,
    posterior: Vec<f64>,
}

/// Sampling prior of hypotheses given age band, sex and complaint: what the generator draws from, conditioned.
fn prior(base: &KnowledgeBase, presentation: &Presentation, prevalence: Prevalence) -> Vec<f64> {
    let share = |ppm: u32| f64::from(ppm) / f64::from(PPM);
    let total: f64 = base.diseases.iter().map(|disease| f64::from(disease.prevalence)).sum();
    let weight = |hypothesis: &crate::knowledge::Hypothesis| {
        let disease = &base.diseases[usize::from(hypothesis.disease)];
        let frequency = match prevalence {
            Prevalence::Uniform => 1.0,
            Prevalence::Incidence => f64::from(disease.prevalence) / total,
        };
        let cell = disease.incidence[presentation.sex as usize][presentation.band];
        frequency
            * share(cell)
            * share(hypothesis.weight[presentation.band])
            * share(hypothesis.complaints[usize::from(presentation.complaint)])
    };
    let mut prior: Vec<f64> = base.hypotheses.iter().map(weight).collect();
    normalize(&mut prior);
    prior
}

impl Belief {
    /// The belief before anything was asked.
    pub fn new(base: Arc<KnowledgeBase>, presentation: Presentation, prevalence: Prevalence) -> Self {
        let prior = prior(&base, &presentation, prevalence);
        let posterior = prior.clone();
        Self {
            base,
            presentation,
            exact: true,
            naive: false,
            prior,
            roots: BTreeMap::new(),
            panels: BTreeMap::new(),
            factors: BTreeMap::new(),
            stale: BTreeSet::new(),
            posterior,
        }
    }

    /// The belief of a doctor who saw every step of an episode; `None` for imported words.
    pub fn of_episode(episode: &Episode) -> Option<Self> {
        let mut belief = Self::at_start(episode)?;
        for step in episode.history() {
            belief.observe_step(episode, step);
        }
        Some(belief)
    }

    /// The belief at the start of an episode; `None` for imported words.
    pub fn at_start(episode: &Episode) -> Option<Self> {
        let Truth::Generated(patient) = episode.truth() else { return None };
        let mut belief = Self::new(episode.base().clone(), patient.into(), episode.scenario().prevalence);
        belief.exact = episode.plan().is_exact();
        Some(belief)
    }

    /// The same, of someone who believes every word: reads answers and plans questions as if there were no noise. An
    /// observation that leaves no hypothesis possible is disregarded.
    #[must_use]
    pub fn believing_every_word(self) -> Self {
        Self { naive: true, ..self }
    }

    /// Takes in one step of an episode.
    pub fn observe_step(&mut self, episode: &Episode, step: &Step) {
        let plan = self.plan(episode);
        let exam = match &step.action {
            crate::action::Action::Order(call) => Some(call.exam()),
            _ => None,
        };
        for reading in episode.readings_of(step) {
            self.note(reading, plan, step.patient_turn, exam);
        }
        self.refresh();
    }

    /// Takes in one reading without working out the posterior, which [`Self::refresh`] does once for many; `exam` is the exam's
    /// index when it stood on a report.
    pub(crate) fn note(&mut self, reading: &Reading, plan: &Plan, patient_turn: u32, exam: Option<usize>) {
        let repeat = match reading.source {
            Source::Direct { repeat, .. } | Source::Exam { repeat, .. } => repeat,
            Source::Volunteered | Source::PassedOver => false,
        };
        let silent = reading.value.is_no_answer() && reading.source != Source::PassedOver;
        if repeat || silent {
            return;
        }
        let base = self.base.clone();
        match base.item_kind(reading.item) {
            Some(ItemKind::Finding(finding)) => {
                let likelihood = channel::finding(&base, reading, plan, patient_turn);
                let root = base.root_of(finding);
                let evidence = self.roots.entry(root).or_default();
                let own = if root == finding {
                    &mut evidence.likelihood
                } else {
                    evidence.implied_by.entry(finding).or_insert([1.0, 1.0])
                };
                own[0] *= likelihood[0];
                own[1] *= likelihood[1];
                self.stale.insert((false, root));
            }
            Some(ItemKind::Attribute(attribute)) => {
                let entry = &base.attributes[usize::from(attribute)];
                let (values, absent) = channel::attribute(&base, attribute, reading, plan, patient_turn);
                self.roots.entry(entry.finding).or_default().observe_attribute(attribute, &values, absent);
                self.stale.insert((false, entry.finding));
            }
            Some(ItemKind::Analyte(analyte)) => self.note_analyte(analyte, reading, plan, exam),
            None => {}
        }
    }

    fn note_analyte(&mut self, analyte: u16, reading: &Reading, plan: &Plan, exam: Option<usize>) {
        let base = self.base.clone();
        let entry = &base.analytes[usize::from(analyte)];
        if entry.derived.is_some() || reading.value == Value::Missing {
            return;
        }
        let values = channel::analyte(entry, reading, plan, exam);
        let panel = &base.panels[usize::from(entry.panel)];
        let panels = match panel.parent {
            Some(parent) => &mut self.roots.entry(parent).or_default().panels,
            None => &mut self.panels,
        };
        panels.entry(entry.panel).or_default().observe(analyte, &values);
        self.stale.insert(panel.parent.map_or((true, entry.panel), |parent| (false, parent)));
    }

    /// Works out the posterior after readings were noted.
    pub(crate) fn refresh(&mut self) {
        if self.stale.is_empty() {
            return;
        }
        for (is_panel, index) in core::mem::take(&mut self.stale) {
            let factor = if is_panel { self.panel_factor(index) } else { self.root_factor(index) };
            if let Some(factor) = factor {
                self.factors.insert((is_panel, index), factor);
            }
        }
        self.recompute();
    }

    fn root_factor(&self, finding: u16) -> Option<Vec<f64>> {
        let root = self.roots.get(&finding)?;
        let of_hypothesis = |hypothesis| {
            let [absent, present] = root.joint(&self.base, &self.presentation, finding, hypothesis);
            absent + present
        };
        Some((0..self.base.hypotheses.len()).map(of_hypothesis).collect())
    }

    fn panel_factor(&self, panel: u16) -> Option<Vec<f64>> {
        let evidence = self.panels.get(&panel)?;
        let of_hypothesis = |hypothesis| evidence.factor(&self.base, panel, hypothesis, false);
        Some((0..self.base.hypotheses.len()).map(of_hypothesis).collect())
    }

    fn recompute(&mut self) {
        self.posterior.copy_from_slice(&self.prior);
        for factor in self.factors.values() {
            let possible = self.posterior.iter().zip(factor).any(|(weight, factor)| weight * factor > 0.0);
            if !possible {
                // Only someone who believes contradictory words gets here; the contradiction tells nothing.
                continue;
            }
            for (weight, factor) in self.posterior.iter_mut().zip(factor) {
                *weight *= factor;
            }
            normalize(&mut self.posterior);
        }
    }

    /// The noise plan this belief reckons with.
    fn plan<'e>(&self, episode: &'e Episode) -> &'e Plan {
        if self.naive { &NO_NOISE } else { episode.plan() }
    }

    /// False when the noise plan makes this an approximation (`paper`).
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// The knowledge base.
    pub fn base(&self) -> &Arc<KnowledgeBase> {
        &self.base
    }

    /// What was known from the start.
    pub fn presentation(&self) -> &Presentation {
        &self.presentation
    }

    /// Posterior over hypotheses, summing to 1.
    pub fn hypotheses(&self) -> &[f64] {
        &self.posterior
    }

    /// Posterior over diseases, summing to 1, by disease index.
    pub fn diseases(&self) -> Vec<f64> {
        let mut result = vec![0.0; self.base.diseases.len()];
        self.add_diseases(&mut result);
        result
    }

    fn add_diseases(&self, result: &mut [f64]) {
        for (hypothesis, weight) in self.base.hypotheses.iter().zip(&self.posterior) {
            result[usize::from(hypothesis.disease)] += weight;
        }
    }

    /// The most probable disease (the first of equals) and its probability.
    pub fn top(&self) -> (u16, f64) {
        let diseases = self.diseases();
        let mut best = (0, diseases.first().copied().unwrap_or(0.0));
        for (index, &weight) in diseases.iter().enumerate().skip(1) {
            if weight > best.1 {
                best = (index as u16, weight);
            }
        }
        best
    }

    /// Entropy over diseases in bits.
    pub fn entropy(&self) -> f64 {
        entropy_bits(&self.diseases())
    }

    /// P(finding present | hypothesis, everything observed), one number per hypothesis.
    pub fn finding_posterior(&self, finding: u16) -> Vec<f64> {
        self.present_given(finding, 0..self.base.hypotheses.len())
    }

    /// The same for some hypotheses.
    fn present_given(&self, finding: u16, hypotheses: impl Iterator<Item = usize>) -> Vec<f64> {
        let untouched = RootEvidence::default();
        let root = self.base.root_of(finding);
        let evidence = self.roots.get(&root).unwrap_or(&untouched);
        let of_hypothesis = |hypothesis| {
            if root != finding {
                return evidence.child_present(&self.base, &self.presentation, [root, finding], hypothesis);
            }
            let [absent, present] = evidence.joint(&self.base, &self.presentation, finding, hypothesis);
            if absent + present > 0.0 { present / (absent + present) } else { 0.0 }
        };
        hypotheses.map(of_hypothesis).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::{Action, Question},
        knowledge::Topic,
        scenario::Scenario,
    };

    // Catches a clinician that reads without noise but plans with it: neither the price of ignoring noise nor of knowing it.
    #[test]
    fn who_believes_every_word_plans_so_from_the_start() {
        let base = Arc::new(KnowledgeBase::core24().unwrap());
        let mut episode = Episode::new(base, Scenario::headline(3)).unwrap();
        let mut knowing = Belief::at_start(&episode).unwrap();
        let mut naive = knowing.clone().believing_every_word();
        let is_noiseless = |plan: &Plan| matches!(plan, Plan::Keyed { patient_ppm: 0, exam_ppm: 0 });
        assert!(is_noiseless(naive.plan(&episode)) && !is_noiseless(knowing.plan(&episode)));
        episode.step(Action::Ask(Question::Open(Topic::Complaint))).unwrap();
        for belief in [&mut knowing, &mut naive] {
            belief.observe_step(&episode, &episode.history()[0]);
        }
        assert!(is_noiseless(naive.plan(&episode)) && !is_noiseless(knowing.plan(&episode)));
        assert_ne!(naive.hypotheses(), knowing.hypotheses(), "they read the same answer differently");
    }
}
