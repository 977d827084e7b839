//! Dynamic sampling: rollout passes until enough groups carry signal, and what is reported about them.

use rand_core::Rng;

use super::{DapoConfig, DapoState};
use crate::advantage::{GroupVerdict, population_std};
use crate::clinic::Clinic;
use crate::metrics::Metrics;
use crate::policy::Policy;
use crate::rollout::{RolloutError, StreamKey, rollout_groups};
use crate::trajectory::{Group, Trajectory};

/// The groups of one step and how they came about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collected {
    /// Groups to train on; those carried over from the step before come first.
    pub groups: Vec<Group>,
    /// How many of them were carried over.
    pub num_carried: usize,
    /// Metrics of the rollouts; means over trajectories are over all that were sampled in this step, dropped groups
    /// included.
    pub metrics: Metrics,
}

/// What happened to the groups sampled in one step.
#[derive(Default)]
struct Tally {
    fresh: Vec<Group>,
    verdicts: Vec<GroupVerdict>,
    passes: u32,
    surplus: usize,
}

/// Samples groups until `groups_per_step` of them carry signal or the passes are used up.
///
/// Metrics: `critic/rewards/{mean,min,max}` (R as the clinic gave it), `critic/score/{..}` (S),
/// `critic/overlong_penalty/mean`, `response_length/{..}` (chosen tokens), `response_length/clip_ratio` (share
/// truncated), `total_length/{..}`, `num_turns/{..}`, `actor/entropy`, `frac_reward_zero_std`,
/// `train/num_gen_batches`, `train/generation_cap_hit` (0 or 1, the warning), `train/num_sampled_tokens`, `groups/*`
/// (shares of the sampled groups, but `groups/trained`, `groups/carried_in`, `groups/carried_out`, which are counts)
/// and means of everything in `Ending::metrics`.
///
/// # Errors
/// As [`rollout_groups`]; the state is then unchanged but for the scenarios and passes used.
pub fn collect<C, P, R>(
    config: &DapoConfig,
    state: &mut DapoState,
    policy: &P,
    clinic: &C,
    generator: &(dyn Fn(StreamKey) -> R + Sync),
) -> Result<Collected, RolloutError<P::Error>>
where
    C: Clinic + Sync,
    P: Policy + Sync,
    P::Error: Send,
    R: Rng,
{
    let wanted = config.groups_per_step as usize;
    let mut groups = core::mem::take(&mut state.carried);
    groups.truncate(wanted);
    let num_carried = groups.len();
    let mut tally = Tally::default();
    while groups.len() < wanted && tally.passes < config.max_passes.max(1) {
        let num_scenarios = ((wanted - groups.len()) as f64 * config.oversample.max(1.0)).ceil() as u64;
        let scenarios: Vec<u64> = (state.next_scenario..state.next_scenario + num_scenarios).collect();
        state.next_scenario += num_scenarios;
        let attempt = state.num_passes;
        state.num_passes += 1;
        tally.passes += 1;
        let sampled =
            rollout_groups(policy, clinic, &scenarios, config.group_size, attempt, &config.rollout, generator)?;
        for group in sampled {
            let verdict = config.filter.judge(&config.shaped_rewards(&group), &group.scores());
            tally.verdicts.push(verdict);
            if verdict == GroupVerdict::Keep {
                // At least half of every batch is fresh.
                if groups.len() < wanted {
                    groups.push(group.clone());
                } else if state.carried.len() < wanted / 2 {
                    state.carried.push(group.clone());
                } else {
                    tally.surplus += 1;
                }
            }
            tally.fresh.push(group);
        }
    }
    state.num_sampled_tokens += trajectories(&tally.fresh).map(|trajectory| trajectory.len() as u64).sum::<u64>();
    let mut metrics = sampling_metrics(config, &tally);
    metrics.set("groups/trained", groups.len() as f64);
    metrics.set("groups/carried_in", num_carried as f64);
    metrics.set("groups/carried_out", state.carried.len() as f64);
    metrics.set("train/generation_cap_hit", f64::from(u8::from(groups.len() < wanted)));
    metrics.set("train/num_sampled_tokens", state.num_sampled_tokens as f64);
    Ok(Collected { groups, num_carried, metrics })
}

fn trajectories(groups: &[Group]) -> impl Iterator<Item = &Trajectory> {
    groups.iter().flat_map(|group| &group.trajectories)
}

fn sampling_metrics(config: &DapoConfig, tally: &Tally) -> Metrics {
    let mut metrics = Metrics::default();
    let fresh = &tally.fresh;
    let values = |value: fn(&Trajectory) -> f64| trajectories(fresh).map(value).collect::<Vec<f64>>();
    metrics.summarise("critic/rewards", &values(|trajectory| trajectory.ending.reward));
    metrics.summarise("critic/score", &values(|trajectory| trajectory.ending.score));
    metrics.summarise("response_length", &values(|trajectory| trajectory.num_chosen() as f64));
    metrics.summarise("total_length", &values(|trajectory| trajectory.len() as f64));
    metrics.summarise("num_turns", &values(|trajectory| f64::from(trajectory.num_turns)));
    metrics.set("train/num_gen_batches", f64::from(tally.passes));
    if fresh.is_empty() {
        return metrics;
    }
    let count = trajectories(fresh).count().max(1) as f64;
    let chosen: usize = trajectories(fresh).map(Trajectory::num_chosen).sum();
    let entropy: f64 = trajectories(fresh).map(|trajectory| trajectory.entropy_sum).sum();
    metrics.set("actor/entropy", entropy / chosen.max(1) as f64);
    let penalties: f64 = trajectories(fresh).map(|trajectory| config.penalty(trajectory)).sum();
    metrics.set("critic/overlong_penalty/mean", penalties / count);
    let truncated = trajectories(fresh).filter(|trajectory| trajectory.ending.truncated).count();
    metrics.set("response_length/clip_ratio", truncated as f64 / count);
    let mut sums = Metrics::default();
    for (name, value) in trajectories(fresh).flat_map(|trajectory| &trajectory.ending.metrics) {
        *sums.0.entry(name.clone()).or_default() += value / count;
    }
    metrics.extend(sums);
    group_metrics(&mut metrics, tally);
    metrics
}

/// Shares of the sampled groups.
fn group_metrics(metrics: &mut Metrics, tally: &Tally) {
    let total = tally.fresh.len() as f64;
    let mut share = |name: &str, count: usize| metrics.set(name, count as f64 / total);
    let verdicts = |wanted: GroupVerdict| tally.verdicts.iter().filter(|&&verdict| verdict == wanted).count();
    share("groups/dropped", tally.verdicts.len() - verdicts(GroupVerdict::Keep));
    share("groups/flat", verdicts(GroupVerdict::Flat));
    share("groups/outside_band", verdicts(GroupVerdict::OutsideBand));
    share("groups/surplus", tally.surplus);
    let all = |test: fn(f64) -> bool| tally.fresh.iter().filter(|group| group.scores().into_iter().all(test)).count();
    share("groups/all_correct", all(|score| score >= 1.0 - 1e-9));
    share("groups/all_wrong", all(|score| score <= 1e-9));
    let zero_std = |group: &&Group| {
        let rewards: Vec<f64> = group.trajectories.iter().map(|trajectory| trajectory.ending.reward).collect();
        population_std(&rewards) < 1e-8
    };
    share("frac_reward_zero_std", tally.fresh.iter().filter(zero_std).count());
}
