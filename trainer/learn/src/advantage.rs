//! Group-relative advantages, the rule that keeps or drops a group, and the penalty for overlong trajectories.
//!
//! Pinned conventions: population standard deviation for DAPO, sample standard deviation for GRPO; a lone member gets
//! 0; the overlong penalty joins the reward before any group statistic; flat groups are recognised by tolerance.

use serde::{Deserialize, Serialize};

/// Floor of the standard deviation in DAPO's advantage, so that 0.01 of cost does not grow to the size of right
/// against wrong.
pub const STD_FLOOR: f64 = 0.1;

/// How rewards of a group become advantages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdvantageMethod {
    /// (R - mean) / max(population standard deviation, 0.1).
    #[default]
    Dapo,
    /// (R - mean) / (sample standard deviation + 1e-6).
    Grpo,
    /// R - mean.
    DrGrpo,
    /// R - mean of the other members.
    Rloo,
}

/// The advantage of every member of one group from their rewards, in order; all 0 for a lone member.
pub fn group_advantages(method: AdvantageMethod, rewards: &[f64]) -> Vec<f64> {
    if rewards.len() < 2 {
        return vec![0.0; rewards.len()];
    }
    let count = rewards.len() as f64;
    let mean = mean(rewards);
    let scale = match method {
        AdvantageMethod::Dapo => 1.0 / population_std(rewards).max(STD_FLOOR),
        AdvantageMethod::Grpo => 1.0 / (population_std(rewards) * (count / (count - 1.0)).sqrt() + 1e-6),
        AdvantageMethod::DrGrpo => 1.0,
        // R - (n mean - R) / (n - 1)
        AdvantageMethod::Rloo => count / (count - 1.0),
    };
    rewards.iter().map(|reward| (reward - mean) * scale).collect()
}

/// Which groups carry enough signal to train on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupFilter {
    /// A group whose scores agree is kept from this population standard deviation of R on.
    pub min_std: f64,
    /// Where the group's mean R has to lie, when set.
    pub band: Option<(f64, f64)>,
}

impl Default for GroupFilter {
    fn default() -> Self {
        Self { min_std: 0.02, band: None }
    }
}

impl GroupFilter {
    /// Keeps everything, as GRPO without dynamic sampling does.
    pub const OFF: Self = Self { min_std: 0.0, band: None };

    /// What to do with a group of these rewards (overlong penalty included) and diagnosis scores.
    pub fn judge(&self, rewards: &[f64], scores: &[f64]) -> GroupVerdict {
        let varies = scores.iter().any(|score| (score - scores[0]).abs() > 1e-9);
        if !varies && population_std(rewards) < self.min_std {
            return GroupVerdict::Flat;
        }
        match self.band {
            Some((low, high)) if !(low..=high).contains(&mean(rewards)) => GroupVerdict::OutsideBand,
            _ => GroupVerdict::Keep,
        }
    }
}

/// The outcome of [`GroupFilter::judge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupVerdict {
    /// Train on it.
    Keep,
    /// All members did the same: no gradient.
    Flat,
    /// Too hard or too easy for the band that was asked for.
    OutsideBand,
}

/// Soft punishment of length: 0 up to `max_tokens - buffer`, falling linearly to -1 at `max_tokens`, -1 beyond.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overlong {
    /// Chosen tokens of a whole trajectory from which the full penalty applies.
    pub max_tokens: u32,
    /// Over how many tokens the penalty grows.
    pub buffer: u32,
}

impl Overlong {
    /// The penalty in -1..=0 for a trajectory of `num_chosen` chosen tokens.
    pub fn penalty(&self, num_chosen: usize) -> f64 {
        let start = f64::from(self.max_tokens) - f64::from(self.buffer);
        let excess = num_chosen as f64 - start;
        if excess <= 0.0 { 0.0 } else { -(excess / f64::from(self.buffer.max(1))).min(1.0) }
    }
}

/// Arithmetic mean, 0 of nothing.
pub(crate) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// Population standard deviation, 0 of nothing.
pub(crate) fn population_std(values: &[f64]) -> f64 {
    let center = mean(values);
    let squares: Vec<f64> = values.iter().map(|value| (value - center) * (value - center)).collect();
    mean(&squares).sqrt()
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "values that must be exact")]
mod tests {
    use super::*;

    const REWARDS: [f64; 4] = [1.18125, 0.5, -0.2, 0.5];

    fn assert_advantages(method: AdvantageMethod, expected: [f64; 4]) {
        for (advantage, expected) in group_advantages(method, &REWARDS).iter().zip(expected) {
            assert!((advantage - expected).abs() < 1e-6, "{method:?}: {advantage} is not {expected}");
        }
    }

    #[test]
    fn published_worked_numbers_are_reproduced() {
        assert!((mean(&REWARDS) - 0.495_312_5).abs() < 1e-12);
        assert!((population_std(&REWARDS) - 0.488_368_2).abs() < 1e-7);
        assert_advantages(AdvantageMethod::Dapo, [1.404_550, 0.009_598, -1.423_747, 0.009_598]);
        assert_advantages(AdvantageMethod::Grpo, [1.216_374, 0.008_312, -1.232_999, 0.008_312]);
        assert_advantages(AdvantageMethod::DrGrpo, [0.685_937_5, 0.004_687_5, -0.695_312_5, 0.004_687_5]);
        assert_advantages(AdvantageMethod::Rloo, [0.914_583_3, 0.006_25, -0.927_083_3, 0.006_25]);
    }

    #[test]
    fn small_differences_are_not_blown_up() {
        let advantages = group_advantages(AdvantageMethod::Dapo, &[0.90, 0.91]);
        assert!((advantages[1] - 0.05).abs() < 1e-9, "{advantages:?}");
    }

    #[test]
    fn a_lone_member_learns_nothing() {
        for method in [AdvantageMethod::Dapo, AdvantageMethod::Grpo, AdvantageMethod::DrGrpo, AdvantageMethod::Rloo] {
            assert_eq!(group_advantages(method, &[0.7]), [0.0]);
            assert!(group_advantages(method, &[]).is_empty());
        }
    }

    #[test]
    fn equal_rewards_give_zero_in_every_method() {
        for method in [AdvantageMethod::Dapo, AdvantageMethod::Grpo, AdvantageMethod::DrGrpo, AdvantageMethod::Rloo] {
            assert_eq!(group_advantages(method, &[0.5; 4]), [0.0; 4]);
        }
    }

    #[test]
    fn groups_are_kept_by_score_or_by_spread() {
        let filter = GroupFilter::default();
        assert_eq!(filter.judge(&[0.50, 0.51], &[1.0, 0.0]), GroupVerdict::Keep);
        assert_eq!(filter.judge(&[0.50, 0.53], &[1.0, 1.0]), GroupVerdict::Flat);
        assert_eq!(filter.judge(&[0.50, 0.55], &[1.0, 1.0]), GroupVerdict::Keep);
        assert_eq!(filter.judge(&[0.5, 0.5], &[0.0, 0.0]), GroupVerdict::Flat);
        assert_eq!(GroupFilter::OFF.judge(&[0.5, 0.5], &[0.0, 0.0]), GroupVerdict::Keep);
    }

    #[test]
    fn the_soft_band_drops_groups_that_are_too_easy_or_too_hard() {
        let filter = GroupFilter { band: Some((0.1, 0.9)), ..GroupFilter::default() };
        assert_eq!(filter.judge(&[1.0, 0.9], &[1.0, 1.0]), GroupVerdict::OutsideBand);
        assert_eq!(filter.judge(&[0.0, 0.1], &[0.0, 1.0]), GroupVerdict::OutsideBand);
        assert_eq!(filter.judge(&[0.0, 1.0], &[0.0, 1.0]), GroupVerdict::Keep);
    }

    #[test]
    fn overlong_penalty_follows_the_worked_numbers() {
        let overlong = Overlong { max_tokens: 512, buffer: 128 };
        let penalties = [300, 384, 416, 512, 513].map(|len| overlong.penalty(len));
        assert_eq!(penalties, [0.0, 0.0, -0.25, -1.0, -1.0]);
        assert_eq!(Overlong { max_tokens: 10, buffer: 0 }.penalty(11), -1.0);
        assert_eq!(Overlong { max_tokens: 10, buffer: 0 }.penalty(10), 0.0);
    }
}
