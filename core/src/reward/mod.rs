//! What an episode was worth, in two modes, with every part.
//!
//! [`paper`] reproduces the published functions; [`clinic`] repairs their known flaws. Both fill the same [`RewardParts`], in
//! which `diagnosis + tool_match - exam_cost - turn_cost - penalty = total` and every number is finite.

pub mod clinic;
pub mod paper;
pub(crate) mod python;
mod vectors;

use serde::{Deserialize, Serialize};

pub use clinic::Payer;
pub use vectors::{
    MismatchReport, VectorError, VectorReport, score_diagnosis_vectors, score_parameter_vectors, score_reward_vectors,
};

use crate::exam::{Catalogue, Price};
use paper::{PaperCall, PaperWeights};

/// Which reward.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RewardMode {
    /// Outcome minus what it really cost (CLINIC 5).
    #[default]
    Clinic,
    /// The published reward.
    Paper,
}

impl RewardMode {
    /// The word in flags and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clinic => "clinic",
            Self::Paper => "paper",
        }
    }

    /// The mode of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Clinic, Self::Paper].into_iter().find(|mode| mode.name() == name)
    }
}

/// What is counted while an episode runs; reported in every mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Whose prices count.
    pub payer: Payer,
    /// Messages of the doctor.
    pub doctor_turns: u32,
    /// Executed calls, repeats and charged collections included.
    pub num_exams: u32,
    /// What the payer pays, in US cents.
    pub usd_cents: u32,
    /// What Medicare would pay, in US cents.
    pub usd_cents_medicare: u32,
    /// What it would cost in cash, in US cents.
    pub usd_cents_cash: u32,
    /// Sum of discomfort, 1 to 3 each.
    pub discomfort: u32,
    /// Sum of kappa over executed calls ([`clinic::burden`]).
    pub exam_burden: f64,
    /// Messages that were not understood as an action, and further tool calls in one message.
    pub format_errors: u32,
    /// Calls with an unknown exam, parameter or value.
    pub invalid_calls: u32,
    /// Executed calls that equal an earlier one in canonical form.
    pub repeated_calls: u32,
    /// Turns in which a tool call was tried (the published format penalty divides by it).
    pub tool_turns: u32,
    /// Tool turns that were malformed or held several calls.
    pub malformed_tool_turns: u32,
    /// Diseases of severity 1 that the diagnosis missed; reported, weight 0.
    pub missed_severe: u32,
    /// Orders that would have harmed; reported, weight 0.
    pub contraindicated: u32,
}

impl Tally {
    /// Nothing done yet.
    pub fn new(payer: Payer) -> Self {
        Self { payer, ..Self::default() }
    }

    /// Charges one executed call.
    pub fn charge(&mut self, price: &Price) {
        self.num_exams += 1;
        self.usd_cents = self.usd_cents.saturating_add(self.payer.usd_cents(price));
        self.usd_cents_medicare = self.usd_cents_medicare.saturating_add(price.usd_cents_medicare);
        self.usd_cents_cash = self.usd_cents_cash.saturating_add(price.usd_cents_cash);
        self.discomfort += price.discomfort;
        self.exam_burden += clinic::burden(price, self.payer);
    }

    /// What the payer pays, in dollars, for reports.
    pub fn dollars(&self) -> f64 {
        f64::from(self.usd_cents) / 100.0
    }
}

/// A reward with its parts, each already weighted: `total = diagnosis + tool_match - exam_cost - turn_cost - penalty`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RewardParts {
    /// Which reward this is.
    pub mode: RewardMode,
    /// What the diagnosis earned.
    pub diagnosis: f64,
    /// What imitating the reference workup earned; 0 in clinic mode.
    pub tool_match: f64,
    /// What the exams cost.
    pub exam_cost: f64,
    /// What the doctor turns cost; 0 in paper mode.
    pub turn_cost: f64,
    /// What errors and repeats cost.
    pub penalty: f64,
    /// The reward.
    pub total: f64,
    /// What was counted.
    pub tally: Tally,
}

/// The published reward of an episode: `ordered` and `reference` as text, the diagnosis score 0 to 1.
pub fn paper_reward(
    catalogue: &Catalogue,
    weights: &PaperWeights,
    diagnosis_score: f64,
    ordered: &[PaperCall],
    reference: &[PaperCall],
    tally: &Tally,
) -> RewardParts {
    let diagnosis = weights.diagnosis * diagnosis_score;
    let tool_match = weights.tool_match * paper::tool_match(ordered, reference);
    let exam_cost = weights.cost * paper::cost(catalogue, ordered, reference);
    let penalty = weights.format * paper::format_penalty(tally.tool_turns, tally.malformed_tool_turns);
    RewardParts {
        mode: RewardMode::Paper,
        diagnosis,
        tool_match,
        exam_cost,
        turn_cost: 0.0,
        penalty,
        total: diagnosis + tool_match - exam_cost - penalty,
        tally: *tally,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_total_of_the_worked_example() {
        let catalogue = Catalogue::embedded().unwrap();
        let calls = |json: &str| -> alloc::vec::Vec<PaperCall> { serde_json::from_str(json).unwrap() };
        let reference = calls(r#"[{"name":"ct","arguments":{"region":"chest"}},{"name":"cbc"}]"#);
        let ordered = calls(
            r#"[{"name":"ct","arguments":{"region":"Chest"}},{"name":"ct","arguments":{"region":"head"}},{"name":"ecg"}]"#,
        );
        let tally = Tally::new(Payer::Medicare);
        let parts = paper_reward(&catalogue, &PaperWeights::default(), 1.0, &ordered, &reference, &tally);
        assert!((parts.total - 1.181_25).abs() < 1e-12);
    }

    #[test]
    fn money_saturates_instead_of_wrapping() {
        let mut tally = Tally::new(Payer::Cash);
        let price = Price { usd_cents_medicare: u32::MAX, usd_cents_cash: u32::MAX, discomfort: 3 };
        tally.charge(&price);
        tally.charge(&price);
        assert_eq!(tally.usd_cents, u32::MAX);
        assert!(clinic::reward(0.0, &tally).total.is_finite());
    }
}
