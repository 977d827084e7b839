//! Collecting groups without a model: finds wrong carry-over, endless sampling, shares that do not add up.
#![allow(clippy::float_cmp, reason = "values that must be exact")]

mod toy;

use std::convert::Infallible;

use toy::{MockPolicy, NumberClinic, chaotic, limits, sensible, stream};
use workup_learn::{
    Collected, DapoConfig, DapoState, Group, GroupFilter, LearningRate, Overlong, RolloutError, collect,
};

fn config() -> DapoConfig {
    let config = DapoConfig::new(limits(), LearningRate::constant(1e-3));
    DapoConfig { group_size: 4, groups_per_step: 6, ..config }
}

fn sample<F: Fn(&[u32]) -> Vec<f32> + Sync>(
    config: &DapoConfig,
    state: &mut DapoState,
    logits: F,
) -> Result<Collected, RolloutError<Infallible>> {
    collect(config, state, &MockPolicy(logits), &NumberClinic::default(), &stream)
}

fn scenarios(groups: &[Group]) -> Vec<u64> {
    groups.iter().map(|group| group.scenario).collect()
}

#[test]
fn flat_groups_are_dropped_and_the_cap_is_reported() {
    let mut state = DapoState::default();
    let collected = sample(&config(), &mut state, sensible).unwrap();
    assert!(collected.groups.is_empty());
    let metric = |name| collected.metrics.get(name).unwrap();
    assert_eq!(metric("groups/flat"), 1.0);
    assert_eq!(metric("groups/dropped"), 1.0);
    assert_eq!(metric("groups/all_correct"), 1.0);
    assert_eq!(metric("groups/all_wrong"), 0.0);
    assert_eq!(metric("frac_reward_zero_std"), 1.0);
    assert_eq!(metric("train/generation_cap_hit"), 1.0);
    assert_eq!(metric("train/num_gen_batches"), 4.0);
    assert!((metric("critic/rewards/mean") - 0.9).abs() < 1e-12);
    assert_eq!(metric("num_turns/mean"), 2.0);
    assert_eq!(metric("response_length/mean"), 4.0);
    assert_eq!(metric("episode/mistakes"), 0.0);
    assert_eq!(state.num_passes, 4);
    assert_eq!(state.next_scenario, 4 * 8);
}

#[test]
fn surplus_groups_carry_over_for_one_step_with_their_log_probs() {
    let config = DapoConfig { filter: GroupFilter::OFF, oversample: 1.5, ..config() };
    let mut state = DapoState::default();
    let first = sample(&config, &mut state, chaotic).unwrap();
    assert_eq!(scenarios(&first.groups), [0, 1, 2, 3, 4, 5]);
    assert_eq!(first.num_carried, 0);
    assert_eq!(scenarios(&state.carried), [6, 7, 8]);
    let carried = state.carried.clone();
    assert!(carried[0].trajectories[0].old_log_probs.iter().any(|&log_prob| log_prob < 0.0));

    let second = sample(&config, &mut state, sensible).unwrap();
    assert_eq!(second.num_carried, 3);
    assert_eq!(second.groups[..3], carried);
    assert_eq!(scenarios(&second.groups), [6, 7, 8, 9, 10, 11]);
    assert_eq!(second.metrics.get("groups/carried_in"), Some(3.0));
    assert!(scenarios(&state.carried).iter().all(|&scenario| scenario > 11), "nothing is carried twice");
}

#[test]
fn at_least_half_of_a_batch_is_fresh() {
    let config = DapoConfig { filter: GroupFilter::OFF, oversample: 3.0, ..config() };
    let mut state = DapoState::default();
    let collected = sample(&config, &mut state, chaotic).unwrap();
    assert_eq!(state.carried.len(), 3);
    assert_eq!(collected.metrics.get("groups/surplus"), Some(9.0 / 18.0));
}

#[test]
fn a_mixed_policy_needs_more_than_one_pass_when_groups_are_flat() {
    // Only groups whose mean reward lies in a narrow band count.
    let filter = GroupFilter { band: Some((-0.6, -0.45)), ..GroupFilter::default() };
    let config = DapoConfig { filter, max_passes: 8, ..config() };
    let mut state = DapoState::default();
    let collected = sample(&config, &mut state, chaotic).unwrap();
    assert!(collected.metrics.get("train/num_gen_batches").unwrap() > 1.0);
    assert!(collected.metrics.get("groups/outside_band").unwrap() > 0.0);
}

#[test]
fn overlong_penalty_is_part_of_group_statistics_but_not_of_the_reported_reward() {
    let overlong = Some(Overlong { max_tokens: 4, buffer: 2 });
    let mut state = DapoState::default();
    let plain = sample(&config(), &mut DapoState::default(), sensible).unwrap();
    let punished = sample(&DapoConfig { overlong, ..config() }, &mut state, sensible).unwrap();
    assert_eq!(punished.metrics.get("critic/overlong_penalty/mean"), Some(-1.0));
    assert_eq!(punished.metrics.get("critic/rewards/mean"), plain.metrics.get("critic/rewards/mean"));
}

#[test]
fn state_survives_json_bit_for_bit() {
    let config = DapoConfig { filter: GroupFilter::OFF, oversample: 1.5, ..config() };
    let mut state = DapoState::default();
    sample(&config, &mut state, chaotic).unwrap();
    let json = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<DapoState>(&json).unwrap(), state);
    let json = serde_json::to_string(&config).unwrap();
    assert_eq!(serde_json::from_str::<DapoConfig>(&json).unwrap(), config);
}
