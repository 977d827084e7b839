//! Sampling without a model: finds mixed-up rows, wrong masks, limits that do not hold, draws that depend on company.

mod toy;

use std::convert::Infallible;
use std::sync::Mutex;

use rand_chacha::ChaCha8Rng;
use toy::{
    ANSWER, ASK, DIAGNOSE, DOCTOR, END, MockPolicy, NumberClinic, START, VOCAB_SIZE, chaotic, hidden_number, limits,
    sensible, stream, uniform,
};
use workup_learn::{Group, RolloutConfig, RolloutError, StreamKey, Trajectory, rollout_groups};

fn play<F: Fn(&[u32]) -> Vec<f32> + Sync>(
    logits: F,
    clinic: &NumberClinic,
    scenarios: &[u64],
    group_size: u32,
    config: &RolloutConfig,
) -> Result<Vec<Group>, RolloutError<Infallible>> {
    rollout_groups(&MockPolicy(logits), clinic, scenarios, group_size, 0, config, &stream)
}

#[test]
fn a_sensible_policy_is_recorded_token_by_token() {
    let groups = play(sensible, &NumberClinic::default(), &[0], 1, &limits()).unwrap();
    let trajectory = &groups[0].trajectories[0];
    let hidden = hidden_number(0);
    assert_eq!(trajectory.tokens, [START, DOCTOR, ASK, END, ANSWER + hidden, DOCTOR, DIAGNOSE + hidden, END]);
    assert_eq!(trajectory.action_mask.map_bits(), "00110011");
    assert_eq!(trajectory.turn_ids, [0, 0, 0, 0, 0, 0, 1, 1]);
    assert_eq!(trajectory.num_turns, 2);
    assert_eq!(trajectory.num_chosen(), 4);
    assert!((trajectory.ending.reward - 0.9).abs() < 1e-12);
    assert!(!trajectory.ending.truncated);
}

trait MapBits {
    fn map_bits(&self) -> String;
}
impl MapBits for Vec<bool> {
    fn map_bits(&self) -> String {
        self.iter().map(|&bit| if bit { '1' } else { '0' }).collect()
    }
}

#[test]
fn company_changes_nothing() {
    let clinic = NumberClinic::default();
    let scenarios: Vec<u64> = (0..12).collect();
    let together = play(chaotic, &clinic, &scenarios, 3, &limits()).unwrap();
    let in_small_parts = play(chaotic, &clinic, &scenarios, 3, &RolloutConfig { max_rows: 7, ..limits() }).unwrap();
    assert_eq!(together, in_small_parts);
    for group in &together {
        let alone = play(chaotic, &clinic, &[group.scenario], 3, &limits()).unwrap();
        assert_eq!(alone[0], *group);
    }
    let lens: Vec<usize> = together.iter().flat_map(|group| &group.trajectories).map(Trajectory::len).collect();
    assert!(lens.iter().any(|len| *len != lens[0]), "rows of different lengths were meant to be mixed: {lens:?}");
}

#[test]
fn members_differ_and_attempts_differ() {
    let clinic = NumberClinic::default();
    let policy = MockPolicy(uniform);
    let sample = |attempt| rollout_groups(&policy, &clinic, &[5], 4, attempt, &limits(), &stream).unwrap();
    let (first, again, other) = (sample(0), sample(0), sample(1));
    assert_eq!(first, again);
    assert_ne!(first, other);
    assert_ne!(first[0].trajectories[0].tokens, first[0].trajectories[1].tokens);
}

#[test]
fn log_probs_and_entropy_of_a_uniform_policy_are_log_vocabulary() {
    let groups = play(uniform, &NumberClinic::default(), &[0, 1, 2], 4, &limits()).unwrap();
    let expected = (VOCAB_SIZE as f32).ln();
    for trajectory in groups.iter().flat_map(|group| &group.trajectories) {
        for (log_prob, &chosen) in trajectory.old_log_probs.iter().zip(&trajectory.action_mask) {
            let wanted = if chosen { -expected } else { 0.0 };
            assert!((log_prob - wanted).abs() < 1e-6);
        }
        let mean = trajectory.entropy_sum / trajectory.num_chosen() as f64;
        assert!((mean - f64::from(expected)).abs() < 1e-6);
    }
}

#[test]
fn a_message_without_end_is_cut_and_handed_over() {
    let config = RolloutConfig { max_tokens_per_turn: 3, ..limits() };
    let groups = play(|_| toy::certain(ASK), &NumberClinic::default(), &[0], 1, &config).unwrap();
    let trajectory = &groups[0].trajectories[0];
    assert_eq!(trajectory.tokens[2..9], [ASK, ASK, ASK, END, toy::NOT_UNDERSTOOD, DOCTOR, ASK]);
    assert_eq!(trajectory.action_mask[2..9].to_vec().map_bits(), "1110001");
    assert_eq!(trajectory.num_turns, 6, "the turn cap of the clinic ends it");
    assert!(trajectory.ending.truncated);
}

#[test]
fn no_trajectory_outgrows_the_token_limit() {
    let clinic = NumberClinic { max_turns: 1000, answer_len: 5 };
    for max_tokens in 3..40 {
        let config = RolloutConfig { max_tokens, ..limits() };
        for group in play(uniform, &clinic, &[0, 3], 4, &config).unwrap() {
            for trajectory in group.trajectories {
                assert!(trajectory.len() <= max_tokens as usize);
                assert!(trajectory.ending.reward.is_finite());
                assert!(trajectory.num_chosen() > 0);
            }
        }
    }
}

#[test]
fn greedy_never_asks_for_a_generator() {
    let config = RolloutConfig { greedy: true, ..limits() };
    let generator = |key: StreamKey| -> ChaCha8Rng { unreachable!("{key:?}") };
    let policy = MockPolicy(chaotic);
    let clinic = NumberClinic::default();
    let groups = rollout_groups(&policy, &clinic, &[0, 1], 2, 0, &config, &generator).unwrap();
    assert_eq!(groups[0].trajectories[0].tokens, groups[0].trajectories[1].tokens);
}

#[test]
fn every_message_gets_a_generator_of_its_own() {
    let keys = Mutex::new(Vec::new());
    let generator = |key: StreamKey| {
        keys.lock().unwrap().push(key);
        stream(key)
    };
    let policy = MockPolicy(uniform);
    let groups = rollout_groups(&policy, &NumberClinic::default(), &[4, 9], 3, 7, &limits(), &generator).unwrap();
    let mut keys = keys.into_inner().unwrap();
    let count = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), count, "a key was used twice");
    assert!(keys.iter().all(|key| key.attempt == 7));
    let messages: u32 = groups.iter().flat_map(|group| &group.trajectories).map(|t| t.turn_ids[t.len() - 1] + 1).sum();
    assert_eq!(messages as usize, count);
}

#[test]
fn prompts_that_leave_no_room_are_refused() {
    let config = RolloutConfig { max_tokens: 2, ..limits() };
    let error = play(uniform, &NumberClinic::default(), &[0], 1, &config).unwrap_err();
    assert_eq!(error, RolloutError::Prompt { scenario: 0, len: 2, max: 1 });
}

#[test]
fn logits_that_are_not_finite_stop_the_rollout() {
    let broken = |history: &[u32]| if history.len() > 4 { vec![f32::NAN; VOCAB_SIZE] } else { sensible(history) };
    let error = play(broken, &NumberClinic::default(), &[6], 1, &limits()).unwrap_err();
    assert_eq!(error, RolloutError::NotFinite { scenario: 6 });
}

#[test]
fn nothing_to_play_is_fine() {
    assert!(play(uniform, &NumberClinic::default(), &[], 4, &limits()).unwrap().is_empty());
    assert!(play(uniform, &NumberClinic::default(), &[1], 0, &limits()).unwrap()[0].trajectories.is_empty());
}
