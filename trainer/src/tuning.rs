//! When should greedy Bayes stop? A grid over both thresholds, each scenario played once.
//!
//! What it does next does not depend on the thresholds, only whether it stops does. So every scenario is played to the end with
//! the thresholds off, and at every turn it is noted how sure it was, what the best action was worth, and what stopping there
//! would have earned. The whole grid is then a matter of reading.

use workup_core::{
    action::Action,
    clinician::{FrozenThresholds, Greedy, ThresholdSetting, Thresholds},
    episode::Episode,
    scenario::Scenario,
};

use crate::{
    evaluation::{EvaluationError, Practice, parallel},
    progress::Progress,
    setting::{Setting, hex},
};

/// Probabilities at which it may stop, ascending.
pub const CONFIDENCES: [f64; 14] =
    [0.7, 0.8, 0.85, 0.9, 0.925, 0.95, 0.96, 0.97, 0.975, 0.98, 0.985, 0.99, 0.995, 0.999];
/// Bits per unit of reward below which it may stop, ascending.
pub const RATIOS: [f64; 13] = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0];

/// A moment at which a clinician could have stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppingPoint {
    /// Probability of its most probable disease.
    pub confidence: f64,
    /// Bits per unit of reward of its best action; minus infinity when nothing was left to do.
    pub ratio: f64,
    /// Reward of stopping here.
    pub reward: f64,
}

/// Plays one scenario with the thresholds off; the last point is where everybody stops.
///
/// # Errors
/// A scenario out of range.
pub fn trace(
    practice: &Practice,
    greedy: &mut Greedy,
    scenario: Scenario,
) -> Result<Vec<StoppingPoint>, EvaluationError> {
    use workup_core::clinician::Clinician;
    let mut episode = Episode::new(practice.base().clone(), scenario)?;
    greedy.start(&episode);
    let mut points = Vec::new();
    while episode.ending().is_none() {
        let Some(judgement) = greedy.judge(&episode) else { break };
        let mut stopped = episode.fork();
        let is_stopped = stopped.step(Action::DiagnoseDiseases(vec![judgement.disease])).is_ok();
        debug_assert!(is_stopped, "a running episode takes a diagnosis");
        let ratio = judgement.best.as_ref().map_or(f64::NEG_INFINITY, workup_core::clinician::Choice::ratio);
        let point = StoppingPoint { confidence: judgement.confidence, ratio, reward: stopped.reward().total };
        points.push(point);
        let everybody_stops = point.confidence >= CONFIDENCES[CONFIDENCES.len() - 1] || point.ratio < RATIOS[0];
        let is_last = episode.doctor_turns() + 1 >= episode.scenario().max_doctor_turns;
        match judgement.best {
            Some(best) if !everybody_stops && !is_last => {
                if episode.step(best.action).is_err() {
                    break;
                }
            }
            _ => break,
        }
    }
    Ok(points)
}

/// What a clinician with these thresholds earns on a trace.
pub fn reward_at(points: &[StoppingPoint], thresholds: Thresholds) -> f64 {
    let stops = |point: &&StoppingPoint| point.confidence >= thresholds.confidence || point.ratio < thresholds.ratio;
    points.iter().find(stops).or(points.last()).map_or(0.0, |point| point.reward)
}

/// The thresholds of the grid with the highest mean reward (the most cautious of equals), and that reward.
pub fn best_on_grid(traces: &[Vec<StoppingPoint>]) -> (Thresholds, f64) {
    let mut best = (Thresholds { confidence: CONFIDENCES[0], ratio: RATIOS[0] }, f64::NEG_INFINITY);
    for confidence in CONFIDENCES {
        for ratio in RATIOS {
            let thresholds = Thresholds { confidence, ratio };
            let total: f64 = traces.iter().map(|points| reward_at(points, thresholds)).sum();
            let mean = total / traces.len().max(1) as f64;
            if mean >= best.1 {
                best = (thresholds, mean);
            }
        }
    }
    best
}

/// Tunes one clinician under one setting (validation split, reward mode clinic) and describes the row of the frozen table.
///
/// # Errors
/// A setting out of range.
pub fn tune(
    practice: &Practice,
    setting: &Setting,
    naive: bool,
    threads: usize,
    progress: &dyn Progress,
) -> Result<FrozenThresholds, EvaluationError> {
    let clinician = if naive { "ideal_naive" } else { "ideal" };
    let off = Thresholds { confidence: f64::INFINITY, ratio: f64::NEG_INFINITY };
    let make = || {
        let (candidates, channels) = (practice.candidates().clone(), practice.channels().clone());
        if naive { Greedy::naive(candidates, channels, off) } else { Greedy::new(candidates, channels, off) }
    };
    progress.start(clinician, setting.cases);
    let work = |greedy: &mut Greedy, index: usize| trace(practice, greedy, setting.case(index as u64));
    let traces = parallel::map(setting.cases as usize, threads, progress, make, work);
    progress.finish();
    let traces: Vec<Vec<StoppingPoint>> = traces.into_iter().collect::<Result<_, _>>()?;
    let (thresholds, reward) = best_on_grid(&traces);
    let of_scenario = ThresholdSetting::of_scenario(&setting.scenario(0));
    let base = practice.base();
    Ok(FrozenThresholds {
        clinician: clinician.to_owned(),
        setting: of_scenario,
        knowledge: format!("{} {}", base.name, hex(base.digest)),
        digest: hex(of_scenario.digest(base.digest)),
        cases: setting.cases as u32,
        reward,
        thresholds,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use workup_core::{clinician::play, knowledge::KnowledgeBase, random::Split, reward::Payer};

    use super::*;
    use crate::evaluation::Outcome;

    fn point(confidence: f64, ratio: f64, reward: f64) -> StoppingPoint {
        StoppingPoint { confidence, ratio, reward }
    }

    #[test]
    fn the_grid_finds_the_better_moment_to_stop() {
        let traces = vec![vec![point(0.5, 30.0, 0.1), point(0.94, 7.0, 0.9), point(0.999, 0.1, 0.4)]; 3];
        let (thresholds, reward) = best_on_grid(&traces);
        assert!((reward - 0.9).abs() < 1e-12);
        assert!(thresholds.confidence <= 0.94 || thresholds.ratio > 7.0, "{thresholds:?}");
    }

    #[test]
    fn a_trace_earns_what_playing_with_the_thresholds_earns() {
        let base = Arc::new(KnowledgeBase::core24().unwrap());
        let practice = Practice::new(base.clone(), Payer::Medicare);
        let setting = Setting { split: Split::Validation, ..Setting::default() };
        let thresholds = Thresholds { confidence: 0.9, ratio: 2.0 };
        let make = |thresholds| Greedy::new(practice.candidates().clone(), practice.channels().clone(), thresholds);
        let off = Thresholds { confidence: f64::INFINITY, ratio: f64::NEG_INFINITY };
        for index in 0..4 {
            let points = trace(&practice, &mut make(off), setting.case(index)).unwrap();
            let mut episode = Episode::new(base.clone(), setting.case(index)).unwrap();
            play(&mut make(thresholds), &mut episode);
            let played = Outcome::of_episode(&episode).reward.total;
            assert!((reward_at(&points, thresholds) - played).abs() < 1e-12, "case {index}");
        }
    }
}
