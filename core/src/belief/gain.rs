//! What a question or an exam is expected to tell: mutual information with the disease, in bits.
//!
//! For questions the value is exact under the noise plan. For reports of panels it is a lower bound: the report is first
//! reduced to the pattern it looks most like ([`ReportChannels`]), and reducing an observation never adds information.
//! Either way it is a mutual information, hence never negative but for rounding.

mod question;
mod report;

use alloc::{vec, vec::Vec};

pub use report::ReportChannels;

use super::Belief;
use crate::math::entropy_bits;

/// P(outcome | hypothesis): rows by outcome, one number per hypothesis.
pub(super) struct Outcomes {
    rows: Vec<Vec<f64>>,
}

impl Outcomes {
    fn new() -> Self {
        Self { rows: Vec::new() }
    }

    fn push(&mut self, row: Vec<f64>) {
        self.rows.push(row);
    }
}

impl Belief {
    /// H(disease) minus the expected H(disease | outcome), in bits.
    pub(super) fn mutual_information(&self, outcomes: &Outcomes) -> f64 {
        let mut expected = 0.0;
        let mut diseases = vec![0.0; self.base.diseases.len()];
        for row in &outcomes.rows {
            diseases.fill(0.0);
            let mut total = 0.0;
            for ((hypothesis, weight), likelihood) in self.base.hypotheses.iter().zip(&self.posterior).zip(row) {
                let joint = weight * likelihood;
                diseases[usize::from(hypothesis.disease)] += joint;
                total += joint;
            }
            if total > 0.0 {
                expected += total * entropy_bits(&diseases);
            }
        }
        self.entropy() - expected
    }
}
