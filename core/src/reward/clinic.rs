//! The clinic's reward (CLINIC 5): outcome minus what it really cost.
//!
//! R = S - 0.20 sum of kappa(e) - 0.005 doctor turns - 0.02 (format errors + invalid calls + repeated canonical calls).
//! Every executed call costs, none earns; the total is never clipped.

use serde::{Deserialize, Serialize};

use super::{RewardMode, RewardParts, Tally};
use crate::{exam::Price, math::ln};

/// Weight of the summed burden of the exams.
pub const EXAM_WEIGHT: f64 = 0.20;
/// Price of a doctor turn.
pub const TURN_WEIGHT: f64 = 0.005;
/// Price of a format error, an invalid call or a repeated call.
pub const PENALTY_WEIGHT: f64 = 0.02;

/// Whose prices count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Payer {
    /// Medicare rates.
    #[default]
    Medicare,
    /// Median hospital cash prices.
    Cash,
}

impl Payer {
    /// The word in flags and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Medicare => "medicare",
            Self::Cash => "cash",
        }
    }

    /// The payer of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Medicare, Self::Cash].into_iter().find(|payer| payer.name() == name)
    }

    /// What this payer pays, in US cents.
    pub const fn usd_cents(self, price: &Price) -> u32 {
        match self {
            Self::Medicare => price.usd_cents_medicare,
            Self::Cash => price.usd_cents_cash,
        }
    }

    /// Dollars at which the logarithm bends, and dollars at which it reaches 1.
    const fn scale(self) -> (f64, f64) {
        match self {
            Self::Medicare => (10.0, 2_000.0),
            Self::Cash => (80.0, 16_000.0),
        }
    }
}

/// kappa(e): burden of one executed call, 0 for nothing, 1 for the most expensive and most unpleasant. May exceed 1.
pub fn burden(price: &Price, payer: Payer) -> f64 {
    let (bend, most) = payer.scale();
    let usd = f64::from(payer.usd_cents(price)) / 100.0;
    let money = ln(1.0 + usd / bend) / ln(1.0 + most / bend);
    let discomfort = (f64::from(price.discomfort) - 1.0) / 2.0;
    0.5 * money + 0.5 * discomfort
}

/// The parts of the reward of an episode; `similarity` is S, 0 when no diagnosis was issued.
pub fn reward(similarity: f64, tally: &Tally) -> RewardParts {
    let violations = f64::from(tally.format_errors) + f64::from(tally.invalid_calls) + f64::from(tally.repeated_calls);
    let exam_cost = EXAM_WEIGHT * tally.exam_burden;
    let turn_cost = TURN_WEIGHT * f64::from(tally.doctor_turns);
    let penalty = PENALTY_WEIGHT * violations;
    RewardParts {
        mode: RewardMode::Clinic,
        diagnosis: similarity,
        tool_match: 0.0,
        exam_cost,
        turn_cost,
        penalty,
        total: similarity - exam_cost - turn_cost - penalty,
        tally: *tally,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exam::Catalogue;

    /// The episode of CLINIC 5: four calls, one of them a repeat, nine turns, one malformed message.
    fn golden_tally() -> Tally {
        let catalogue = Catalogue::embedded().unwrap();
        let mut tally = Tally::new(Payer::Medicare);
        for call in ["ecg()", "cardiac_enzyme()", "ct(region=chest, contrast=yes)", "ecg(type=\"12 lead\")"] {
            tally.charge(&catalogue.price(&catalogue.parse_call_text(call).unwrap()));
        }
        tally.doctor_turns = 9;
        tally.format_errors = 1;
        tally.repeated_calls = 1;
        tally
    }

    #[test]
    fn golden_episode_is_exact() {
        let parts = reward(1.0, &golden_tally());
        assert!((parts.tally.exam_burden - 0.516_910_280_553_061_2).abs() < 1e-12);
        assert!((parts.total - 0.811_617_943_889_387_7).abs() < 1e-12);
        assert_eq!(parts.tally.usd_cents, 1_431 + 1_247 + 17_110 + 1_431);
        assert_eq!(parts.tally.num_exams, 4);
    }

    #[test]
    fn two_listed_with_one_right_halves_the_outcome_only() {
        assert!((reward(0.5, &golden_tally()).total - 0.311_617_943_889_387_7).abs() < 1e-12);
    }

    #[test]
    fn parts_add_up_to_the_total() {
        let parts = reward(0.5, &golden_tally());
        let sum = parts.diagnosis + parts.tool_match - parts.exam_cost - parts.turn_cost - parts.penalty;
        assert!((sum - parts.total).abs() < 1e-15);
    }

    #[test]
    fn burden_is_zero_for_nothing_and_one_at_the_top_for_both_payers() {
        let top = Price { usd_cents_medicare: 200_000, usd_cents_cash: 1_600_000, discomfort: 3 };
        let free = Price { usd_cents_medicare: 0, usd_cents_cash: 0, discomfort: 1 };
        for payer in [Payer::Medicare, Payer::Cash] {
            assert!((burden(&top, payer) - 1.0).abs() < 1e-12);
            assert!(burden(&free, payer).abs() < 1e-12);
        }
    }
}
