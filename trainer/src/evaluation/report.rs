//! The numbers of one evaluation, and of two on the same scenarios.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use workup_core::{
    clinician::ChosenThresholds, episode::Ending, knowledge::KnowledgeBase, scenario_code::ENGINE_VERSION,
};

use super::{
    Outcome, Policy,
    statistics::{Estimate, REPLICATES, bootstrap, weighted_mean, wilson},
};
use crate::setting::{Setting, as_hex};

/// How a policy did: settings, means with 95 % intervals, and each disease.
#[derive(Clone, Debug, Serialize)]
pub struct EvaluationReport {
    /// Who played.
    pub policy: String,
    /// True for the oracles: accuracy only, never in a reward ranking.
    pub is_ceiling: bool,
    /// How it chooses tokens, for trained policies: `most likely token` or `temperature 1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<&'static str>,
    /// Digest of the knowledge base a trained policy learned in; another than `knowledge_digest` means it plays away from home.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trained_on: Option<String>,
    /// When it stops, for greedy Bayes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<ChosenThresholds>,
    /// The setting, echoed.
    #[serde(flatten)]
    pub setting: Setting,
    /// Knowledge base.
    pub knowledge: String,
    /// Its digest.
    #[serde(serialize_with = "as_hex")]
    pub knowledge_digest: u64,
    /// Engine version.
    pub engine_version: u16,
    /// Share of cases whose diagnosis was exactly right.
    pub accuracy: Estimate,
    /// The same, averaged over diseases.
    pub macro_accuracy: Estimate,
    /// Reward in the setting's mode.
    pub reward: Estimate,
    /// Its parts, already weighted.
    pub reward_parts: RewardPartsReport,
    /// Dollars per case, at the payer's prices.
    pub dollars: Estimate,
    /// Sum of discomfort (1 to 3 per exam) per case.
    pub discomfort: Estimate,
    /// Exams per case.
    pub exams: Estimate,
    /// Doctor turns per case.
    pub turns: Estimate,
    /// Share of questions that were understood; absent when none were asked.
    pub questions_understood: Option<Estimate>,
    /// Share of messages that were of a usable form and named what exists.
    pub valid_messages: Option<Estimate>,
    /// Share of cases that ended without a diagnosis.
    pub truncated: Estimate,
    /// Missed diseases of severity 1 per case; weight 0.
    pub missed_severe: Estimate,
    /// Orders that would have harmed, per case; weight 0.
    pub contraindicated: Estimate,
    /// By disease id.
    pub per_disease: BTreeMap<String, DiseaseReport>,
    /// How the intervals were made.
    pub intervals: IntervalMethods,
    /// What these numbers are not.
    pub notice: &'static str,
}

/// The parts of the reward: `diagnosis + tool_match - exam_cost - turn_cost - penalty = reward`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RewardPartsReport {
    /// What diagnoses earned.
    pub diagnosis: Estimate,
    /// What imitating the reference workup earned; paper mode only.
    pub tool_match: Estimate,
    /// What exams cost.
    pub exam_cost: Estimate,
    /// What turns cost.
    pub turn_cost: Estimate,
    /// What errors and repeats cost.
    pub penalty: Estimate,
}

/// One disease.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiseaseReport {
    /// Cases with it.
    pub cases: u64,
    /// Share of them that was recognised.
    pub accuracy: Estimate,
}

/// How the intervals were made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IntervalMethods {
    /// Of shares of cases or messages.
    pub shares: &'static str,
    /// Of everything else.
    pub means: &'static str,
    /// Resamples of the bootstrap.
    pub resamples: u32,
    /// Confidence.
    pub level: f64,
}

const METHODS: IntervalMethods = IntervalMethods {
    shares: "wilson: accuracy, per_disease, questions_understood, valid_messages, truncated",
    means: "percentile bootstrap over cases",
    resamples: REPLICATES,
    level: 0.95,
};

/// One number of an outcome.
type Quantity = fn(&Outcome) -> f64;

/// What the bootstrap resamples, after macro accuracy.
const QUANTITIES: [Quantity; 12] = [
    |outcome| outcome.reward.total,
    |outcome| outcome.reward.diagnosis,
    |outcome| outcome.reward.tool_match,
    |outcome| outcome.reward.exam_cost,
    |outcome| outcome.reward.turn_cost,
    |outcome| outcome.reward.penalty,
    |outcome| outcome.reward.tally.dollars(),
    |outcome| f64::from(outcome.reward.tally.discomfort),
    |outcome| f64::from(outcome.reward.tally.num_exams),
    |outcome| f64::from(outcome.reward.tally.doctor_turns),
    |outcome| f64::from(outcome.reward.tally.missed_severe),
    |outcome| f64::from(outcome.reward.tally.contraindicated),
];

impl EvaluationReport {
    /// Sums up the outcomes (at least one) of a policy under a setting.
    pub fn new(
        policy: &dyn Policy,
        setting: &Setting,
        base: &KnowledgeBase,
        outcomes: &[Outcome],
        threads: usize,
    ) -> Self {
        let columns: Vec<Vec<f64>> =
            QUANTITIES.iter().map(|quantity| outcomes.iter().map(quantity).collect()).collect();
        let estimates = bootstrap(outcomes.len(), threads, |counts| {
            let mut statistics = vec![macro_accuracy(outcomes, counts, base.diseases.len())];
            statistics.extend(columns.iter().map(|column| weighted_mean(column, counts)));
            statistics
        });
        let share = |holds: &dyn Fn(&Outcome) -> bool| {
            count_share(outcomes.iter().filter(|outcome| holds(outcome)).count() as u64, outcomes.len() as u64)
        };
        let sum = |number: &dyn Fn(&Outcome) -> u32| outcomes.iter().map(|outcome| u64::from(number(outcome))).sum();
        let messages: u64 = sum(&|outcome| outcome.reward.tally.doctor_turns);
        let invalid: u64 = sum(&Outcome::invalid);
        Self {
            policy: policy.name().to_owned(),
            is_ceiling: policy.is_ceiling(),
            sampling: policy.sampling(),
            trained_on: policy.trained_on().map(str::to_owned),
            thresholds: policy.thresholds(),
            setting: setting.clone(),
            knowledge: base.name.clone(),
            knowledge_digest: base.digest,
            engine_version: ENGINE_VERSION,
            accuracy: share(&Outcome::is_correct),
            macro_accuracy: estimates[0],
            reward: estimates[1],
            reward_parts: RewardPartsReport {
                diagnosis: estimates[2],
                tool_match: estimates[3],
                exam_cost: estimates[4],
                turn_cost: estimates[5],
                penalty: estimates[6],
            },
            dollars: estimates[7],
            discomfort: estimates[8],
            exams: estimates[9],
            turns: estimates[10],
            questions_understood: wilson(sum(&|outcome| outcome.understood), sum(&|outcome| outcome.questions)),
            valid_messages: wilson(messages.saturating_sub(invalid), messages),
            truncated: share(&|outcome| outcome.ending == Some(Ending::Truncated)),
            missed_severe: estimates[11],
            contraindicated: estimates[12],
            per_disease: per_disease(base, outcomes),
            intervals: METHODS,
            notice: workup_core::SAFETY,
        }
    }
}

fn count_share(successes: u64, trials: u64) -> Estimate {
    wilson(successes, trials).unwrap_or(Estimate { mean: 0.0, low: 0.0, high: 1.0 })
}

/// Mean over diseases of the share of their cases that was recognised; diseases without cases are left out.
fn macro_accuracy(outcomes: &[Outcome], counts: &[u32], num_diseases: usize) -> f64 {
    let mut tallies = vec![(0.0, 0.0); num_diseases];
    for (outcome, &count) in outcomes.iter().zip(counts) {
        let Some(disease) = outcome.disease else { continue };
        let tally: &mut (f64, f64) = &mut tallies[usize::from(disease)];
        tally.0 += f64::from(count) * f64::from(u8::from(outcome.is_correct()));
        tally.1 += f64::from(count);
    }
    let shares: Vec<f64> =
        tallies.iter().filter(|(_, cases)| *cases > 0.0).map(|(correct, cases)| correct / cases).collect();
    if shares.is_empty() { 0.0 } else { shares.iter().sum::<f64>() / shares.len() as f64 }
}

fn per_disease(base: &KnowledgeBase, outcomes: &[Outcome]) -> BTreeMap<String, DiseaseReport> {
    let of_disease = |index: usize| {
        let cases = || outcomes.iter().filter(move |outcome| outcome.disease == Some(index as u16));
        let (number, correct) = (cases().count() as u64, cases().filter(|outcome| outcome.is_correct()).count() as u64);
        Some(DiseaseReport { cases: number, accuracy: wilson(correct, number)? })
    };
    let reports = base.diseases.iter().enumerate();
    reports.filter_map(|(index, disease)| Some((disease.id.clone(), of_disease(index)?))).collect()
}

/// First minus second on the same scenarios, with paired bootstrap intervals.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// The second policy.
    pub compared_with: String,
    /// Difference in accuracy.
    pub accuracy: Estimate,
    /// Difference in reward.
    pub reward: Estimate,
    /// Difference in dollars.
    pub dollars: Estimate,
    /// Dollars of the first as a share of those of the second; absent when the second spends nothing.
    pub dollars_ratio: Option<Estimate>,
    /// Difference in exams.
    pub exams: Estimate,
    /// Difference in doctor turns.
    pub turns: Estimate,
}

/// Compares two policies case by case; the outcomes must be of the same scenarios in the same order.
pub fn paired_difference(first: &[Outcome], second: &[Outcome], compared_with: &str, threads: usize) -> Difference {
    let correct: Quantity = |outcome| f64::from(u8::from(outcome.is_correct()));
    let quantities: [Quantity; 5] = [correct, QUANTITIES[0], QUANTITIES[6], QUANTITIES[8], QUANTITIES[9]];
    let columns: Vec<Vec<f64>> = quantities
        .iter()
        .map(|quantity| first.iter().zip(second).map(|(a, b)| quantity(a) - quantity(b)).collect())
        .collect();
    let dollars = |outcomes: &[Outcome]| -> Vec<f64> { outcomes.iter().map(QUANTITIES[6]).collect() };
    let (mine, theirs) = (dollars(first), dollars(second));
    let estimates = bootstrap(first.len(), threads, |counts| {
        let mut statistics: Vec<f64> = columns.iter().map(|column| weighted_mean(column, counts)).collect();
        statistics.push(weighted_mean(&mine, counts) / weighted_mean(&theirs, counts));
        statistics
    });
    Difference {
        compared_with: compared_with.to_owned(),
        accuracy: estimates[0],
        reward: estimates[1],
        dollars: estimates[2],
        dollars_ratio: Some(estimates[5]).filter(|ratio| ratio.low.is_finite() && ratio.high.is_finite()),
        exams: estimates[3],
        turns: estimates[4],
    }
}
