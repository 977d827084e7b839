//! What a question or an exam is expected to tell: mutual information with the disease, in bits.
//!
//! For questions the value is exact under the noise plan. For reports of panels it is a lower bound: the report is first
//! reduced to the pattern it looks most like ([`ReportChannels`]), and reducing an observation never adds information.
//! Either way it is a mutual information, hence never negative but for rounding.
//!
//! Many gains under one belief share a [`Frame`]: only hypotheses that are still possible are summed over (the others would add
//! exact zeros), and what several gains need is computed once.

mod bound;
mod question;
mod report;

use alloc::{rc::Rc, vec, vec::Vec};
use core::cell::RefCell;

pub use report::ReportChannels;

use super::{Belief, evidence::RootEvidence};
use crate::{action::Question, episode::Episode, math::entropy_bits};

/// P(outcome | hypothesis) of the hypotheses of a frame.
type Row = Vec<f64>;

/// A belief prepared for many gains.
#[derive(Debug)]
pub struct Frame<'a> {
    belief: &'a Belief,
    /// Hypotheses that are still possible (indexes), ascending.
    hypotheses: Vec<usize>,
    /// Their posterior.
    weights: Vec<f64>,
    /// Position of their disease among those that are still possible.
    slots: Vec<usize>,
    /// Diseases that are still possible.
    num_diseases: usize,
    /// Entropy over diseases.
    entropy: f64,
    /// P(finding present | hypothesis, everything observed), by finding, as far as needed.
    present: RefCell<Vec<Option<Rc<Row>>>>,
}

impl<'a> Frame<'a> {
    /// Prepares a belief.
    pub fn new(belief: &'a Belief) -> Self {
        let hypotheses: Vec<usize> =
            belief.posterior.iter().enumerate().filter(|(_, weight)| **weight > 0.0).map(|(index, _)| index).collect();
        let mut diseases: Vec<u16> = Vec::new();
        let mut slots = Vec::with_capacity(hypotheses.len());
        for &hypothesis in &hypotheses {
            let disease = belief.base.hypotheses[hypothesis].disease;
            let known = diseases.iter().position(|&other| other == disease);
            slots.push(known.unwrap_or(diseases.len()));
            if known.is_none() {
                diseases.push(disease);
            }
        }
        Self {
            weights: hypotheses.iter().map(|&hypothesis| belief.posterior[hypothesis]).collect(),
            entropy: belief.entropy(),
            num_diseases: diseases.len(),
            present: RefCell::new(vec![None; belief.base.findings.len()]),
            belief,
            hypotheses,
            slots,
        }
    }

    /// Entropy over diseases in bits: no gain is larger.
    pub fn entropy(&self) -> f64 {
        self.entropy
    }

    /// P(finding present | hypothesis, everything observed).
    fn present(&self, finding: u16) -> Rc<Row> {
        if let Some(row) = &self.present.borrow()[usize::from(finding)] {
            return row.clone();
        }
        let row: Rc<Row> = Rc::new(self.belief.present_given(finding, self.hypotheses.iter().copied()));
        self.present.borrow_mut()[usize::from(finding)] = Some(row.clone());
        row
    }

    /// P(finding present | everything observed).
    pub fn mean_presence(&self, finding: u16) -> f64 {
        self.present(finding).iter().zip(&self.weights).map(|(present, weight)| present * weight).sum()
    }

    /// Starts summing over outcomes.
    fn gauge(&self) -> Gauge<'_> {
        Gauge { frame: self, diseases: vec![0.0; self.num_diseases], expected: 0.0 }
    }
}

/// Sums the expected entropy over diseases, outcome by outcome.
struct Gauge<'f> {
    frame: &'f Frame<'f>,
    diseases: Vec<f64>,
    expected: f64,
}

impl Gauge<'_> {
    /// Takes in an outcome: its probability given each hypothesis of the frame.
    fn outcome(&mut self, row: impl Iterator<Item = f64>) {
        self.diseases.fill(0.0);
        let mut total = 0.0;
        for ((&slot, weight), likelihood) in self.frame.slots.iter().zip(&self.frame.weights).zip(row) {
            let joint = weight * likelihood;
            self.diseases[slot] += joint;
            total += joint;
        }
        if total > 0.0 {
            self.expected += total * entropy_bits(&self.diseases);
        }
    }

    /// Takes in an outcome that is as probable under every hypothesis: it tells nothing.
    fn silence(&mut self, probability: f64) {
        self.expected += probability * self.frame.entropy;
    }

    /// H(disease) minus the expected H(disease | outcome), in bits.
    fn gain(self) -> f64 {
        self.frame.entropy - self.expected
    }
}

impl Belief {
    /// Expected information gain, in bits, of asking `question` now in `episode`. A question about two items counts the first.
    pub fn question_gain(&self, episode: &Episode, question: &Question) -> f64 {
        Frame::new(self).question_gain(episode, question)
    }

    /// Expected information gain, in bits, of the report of a view (index) executed for the first time: signs exactly, panels as
    /// a lower bound; what is already known adds nothing. Exam noise, which only withholds or flags, is left out.
    pub fn report_gain(&self, channels: &ReportChannels, view: u16) -> f64 {
        Frame::new(self).report_gain(channels, view)
    }

    /// Whether what was observed leaves no doubt about a finding.
    fn is_settled(&self, finding: u16) -> bool {
        let root = self.base.root_of(finding);
        self.roots.get(&root).is_some_and(|evidence| {
            let own = if root == finding { Some(&evidence.likelihood) } else { evidence.implied_by.get(&finding) };
            own.is_some_and(|likelihood| likelihood.contains(&0.0))
        })
    }

    /// The evidence about a finding so far, when there is any.
    fn evidence(&self, finding: u16) -> Option<&RootEvidence> {
        self.roots.get(&finding)
    }
}
