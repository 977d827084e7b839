//! Training a tiny decoder for real: finds gradients on tokens that were not chosen, dependence on how a batch is
//! cut, samplers that disagree with the trainer, resumes that are not exact, and training that does not learn.
#![allow(clippy::float_cmp, reason = "values that must be exact")]
#![cfg(feature = "flex")]

mod toy;

use std::sync::Mutex;

use burn::optim::GradientsParams;
use burn::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use toy::{NumberClinic, VOCAB_SIZE, conversations, limits, stream};
use workup_learn::{
    Clip, DapoConfig, DapoState, DecoderPolicy, Learner, LearningRate, MatrixUpdate, Metrics, MicroBatch,
    OptimizerConfig, RolloutConfig, Sequence, SftConfig, SftState, Trajectory, collect, dapo_loss, micro_batches,
    rollout_groups, sft_loss_of, sft_step, update,
};
use workup_model::{Decoder, DecoderConfig};

/// Held-out scenarios begin here.
const TEST_SCENARIOS: u64 = 1 << 32;

/// The backend's generator is shared by all tests of this process.
static DRAWING: Mutex<()> = Mutex::new(());

fn tiny(seed: u64) -> Learner {
    let _alone = DRAWING.lock();
    let device = Device::flex().autodiff();
    device.seed(seed);
    let config = DecoderConfig {
        hidden_size: 32,
        num_layers: 2,
        num_heads: 4,
        num_kv_heads: 2,
        intermediate_size: 64,
        max_seq_len: 64,
        ..DecoderConfig::nano(VOCAB_SIZE)
    };
    let decoder = config.init(&device);
    // Parameters are drawn at first use: draw them all now.
    let _ = decoder.clone().into_record();
    Learner::new(decoder, &OptimizerConfig::default(), &device)
}

fn sft_config() -> SftConfig {
    SftConfig {
        batch_size: 32,
        micro_batch_tokens: 256,
        learning_rate: LearningRate { warmup_steps: 5, ..LearningRate::constant(1e-2) },
        optimizer: OptimizerConfig::default(),
    }
}

fn dapo_config() -> DapoConfig {
    DapoConfig {
        groups_per_step: 8,
        max_passes: 3,
        micro_batch_tokens: 1024,
        ..DapoConfig::new(limits(), LearningRate::constant(1e-3))
    }
}

fn fine_tune(learner: &mut Learner, steps: u64) -> Vec<Metrics> {
    let (examples, config, mut state) = (conversations(400), sft_config(), SftState::default());
    (0..steps)
        .map(|_| sft_step(&config, &mut state, learner, &examples, &mut ChaCha8Rng::seed_from_u64).unwrap())
        .collect()
}

fn dapo_step(config: &DapoConfig, state: &mut DapoState, learner: &mut Learner) -> Metrics {
    let policy = DecoderPolicy::new(&learner.decoder, 48);
    let collected = collect(config, state, &policy, &NumberClinic::default(), &stream).unwrap();
    let mut metrics = collected.metrics.clone();
    metrics.extend(update(config, state, learner, &collected).unwrap());
    metrics
}

fn sampled_trajectories(decoder: &Decoder, count: u64) -> Vec<Trajectory> {
    let scenarios: Vec<u64> = (0..count).map(|index| TEST_SCENARIOS + index).collect();
    let policy = DecoderPolicy::new(decoder, 48);
    let groups = rollout_groups(&policy, &NumberClinic::default(), &scenarios, 1, 0, &limits(), &stream).unwrap();
    groups.into_iter().flat_map(|group| group.trajectories).collect()
}

fn mean_reward(decoder: &Decoder) -> f64 {
    let trajectories = sampled_trajectories(decoder, 200);
    trajectories.iter().map(|trajectory| trajectory.ending.reward).sum::<f64>() / 200.0
}

#[test]
fn fine_tuning_learns_the_conversations_and_dapo_then_raises_the_reward() {
    let mut learner = tiny(1);
    let untrained = mean_reward(&learner.decoder);
    let held_out = conversations(500)[400..].to_vec();
    let loss_before = sft_loss_of(&learner.decoder, &held_out, 512);
    fine_tune(&mut learner, 400);
    let loss_after = sft_loss_of(&learner.decoder, &held_out, 512);
    assert!(loss_after < 0.5 * loss_before, "loss went from {loss_before} to {loss_after}");
    let fine_tuned = mean_reward(&learner.decoder);
    assert!(fine_tuned > untrained + 0.3, "reward went from {untrained} to {fine_tuned}");

    let (config, mut state) = (dapo_config(), DapoState::default());
    let history: Vec<Metrics> = (0..40).map(|_| dapo_step(&config, &mut state, &mut learner)).collect();
    let trained = mean_reward(&learner.decoder);
    assert!(trained > fine_tuned + 0.1, "reward went from {fine_tuned} to {trained}");
    assert!(trained > 0.85, "asking once and naming the answer earns 0.9, got {trained}");
    let clipped: f64 = history.iter().filter_map(|metrics| metrics.get("actor/pg_clipfrac")).sum();
    assert!(clipped > 0.0, "with two updates per step clipping should bind somewhere");
    for metrics in &history {
        assert!(metrics.0.values().all(|value| value.is_finite()), "{metrics:?}");
        if let Some(gap) = metrics.get("sampling/sampling_logp_difference/max") {
            assert!(gap <= 1e-5, "sampler and trainer differ by {gap}");
        }
    }
}

#[test]
fn a_resumed_run_continues_bit_for_bit() {
    let mut learner = tiny(2);
    fine_tune(&mut learner, 40);
    let (config, mut state) = (dapo_config(), DapoState::default());
    dapo_step(&config, &mut state, &mut learner);
    dapo_step(&config, &mut state, &mut learner);

    let dir = std::env::temp_dir().join(format!("workup-learn-resume-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    learner.decoder.clone().into_record().save(dir.join("model.bpk")).unwrap();
    learner.optimizer.save(dir.join("optimizer.bpk")).unwrap();
    let json = serde_json::to_string(&state).unwrap();

    let uninterrupted: Vec<Metrics> = (0..2).map(|_| dapo_step(&config, &mut state, &mut learner)).collect();

    let mut resumed = tiny(99);
    let record = burn::store::ModuleRecord::load(dir.join("model.bpk")).unwrap();
    resumed.decoder = resumed.decoder.load_record(record);
    resumed.optimizer = OptimizerConfig::default().init().load(dir.join("optimizer.bpk")).unwrap();
    let mut resumed_state: DapoState = serde_json::from_str(&json).unwrap();
    let again: Vec<Metrics> = (0..2).map(|_| dapo_step(&config, &mut resumed_state, &mut resumed)).collect();
    std::fs::remove_dir_all(&dir).unwrap();
    assert_eq!(uninterrupted, again);
    assert_eq!(state, resumed_state);
}

/// Sequences with made-up advantages.
fn sequences(trajectories: &[Trajectory]) -> Vec<Sequence<'_>> {
    let total: usize = trajectories.iter().map(Trajectory::num_chosen).sum();
    trajectories
        .iter()
        .enumerate()
        .map(|(index, trajectory)| {
            let advantage = if index % 2 == 0 { 0.7 } else { -0.9 };
            Sequence::from_trajectory(trajectory, advantage, 1.0 / total as f32)
        })
        .collect()
}

fn floats(values: &[f32], device: &Device) -> Tensor<1> {
    Tensor::from_floats(values, device)
}

/// Loss of one micro-batch.
fn loss_of(learner: &Learner, decoder: &Decoder, batch: &MicroBatch) -> Tensor<1> {
    let device = &learner.device;
    let log_probs = decoder.score(batch.chosen_hidden(decoder, device), batch.targets_tensor(device)).log_probs;
    let [old, advantages, weights] =
        [&batch.old_log_probs, &batch.advantages, &batch.weights].map(|values| floats(values, device));
    dapo_loss(log_probs, old, advantages, weights, &Clip::default()).loss
}

/// Total loss and all gradients, in the order of the parameters.
fn loss_and_gradient(learner: &Learner, batches: &[MicroBatch]) -> (f32, Vec<f32>) {
    let (grads, losses) = learner.gradients(batches, |decoder, batch| {
        let loss = loss_of(learner, decoder, batch);
        let number = loss.clone().into_scalar::<f32>();
        (loss, number)
    });
    (losses.iter().sum(), flatten(&learner.decoder, &grads))
}

fn flatten(decoder: &Decoder, grads: &GradientsParams) -> Vec<f32> {
    struct Flatten<'a>(&'a GradientsParams, Vec<f32>);
    impl burn::module::ModuleVisitor for Flatten<'_> {
        fn visit_float<const D: usize>(&mut self, param: &burn::module::Param<Tensor<D>>) {
            if let Some(grad) = self.0.get::<D>(param.id) {
                self.1.extend(grad.into_data().iter::<f32>());
            }
        }
    }
    let mut flat = Flatten(grads, Vec::new());
    decoder.visit(&mut flat);
    flat.1
}

fn assert_close(left: &[f32], right: &[f32], tolerance: f32) {
    assert_eq!(left.len(), right.len());
    for (a, b) in left.iter().zip(right) {
        assert!((a - b).abs() <= tolerance, "{a} is not {b}");
    }
}

#[test]
fn loss_and_gradient_do_not_depend_on_how_the_batch_is_cut_or_ordered() {
    let mut learner = tiny(3);
    fine_tune(&mut learner, 20);
    let mut trajectories = sampled_trajectories(&learner.decoder, 24);
    // Move away from the sampling policy so that ratios and clips are in play.
    fine_tune(&mut learner, 3);
    let whole = micro_batches(&sequences(&trajectories), usize::MAX);
    assert_eq!(whole.len(), 1);
    let (loss, gradient) = loss_and_gradient(&learner, &whole);
    assert!(gradient.iter().any(|value| value.abs() > 1e-4));
    for budget in [1, 40, 150] {
        let cut = micro_batches(&sequences(&trajectories), budget);
        assert!(cut.len() > 1);
        let (cut_loss, cut_gradient) = loss_and_gradient(&learner, &cut);
        assert!((loss - cut_loss).abs() < 1e-5);
        assert_close(&gradient, &cut_gradient, 1e-5);
        learner.threads = 3;
        assert_eq!(loss_and_gradient(&learner, &cut), (cut_loss, cut_gradient), "threads decide nothing");
        learner.threads = 1;
    }
    // Signs of the advantages follow the position, so an even rotation keeps them.
    trajectories.rotate_left(4);
    let (moved_loss, moved_gradient) = loss_and_gradient(&learner, &micro_batches(&sequences(&trajectories), 60));
    assert!((loss - moved_loss).abs() < 1e-5);
    assert_close(&gradient, &moved_gradient, 1e-5);
}

#[test]
fn gradient_is_exactly_zero_on_tokens_that_were_not_chosen() {
    let learner = tiny(4);
    let device = &learner.device;
    let trajectories = sampled_trajectories(&learner.decoder, 6);
    let batch = micro_batches(&sequences(&trajectories), usize::MAX).remove(0);
    // Logits of every fed token as a leaf, then the selection that training makes.
    let all = learner.decoder.forward(&batch.rows).detach().require_grad();
    let positions = Tensor::<1, Int>::from_ints(batch.positions.as_slice(), device);
    let log_probs = workup_learn::token_log_probs(all.clone().select(0, positions), batch.targets_tensor(device));
    let [old, advantages, weights] =
        [&batch.old_log_probs, &batch.advantages, &batch.weights].map(|values| floats(values, device));
    let grads = dapo_loss(log_probs, old, advantages, weights, &Clip::default()).loss.backward();
    let gradient = all.grad(&grads).unwrap().into_data().try_to_vec::<f32>().unwrap();
    let predicts = (0i32..).take(batch.rows.num_tokens()).map(|at| batch.positions.contains(&at));
    let predicts: Vec<bool> = predicts.collect();
    assert!(predicts.iter().any(|&predicts| !predicts));
    for (row, predicts) in gradient.chunks(VOCAB_SIZE).zip(predicts) {
        assert_eq!(row.iter().any(|&value| value != 0.0), predicts);
    }
}

#[test]
fn a_weight_of_zero_gives_exactly_the_gradient_of_a_batch_without_that_trajectory() {
    let learner = tiny(5);
    let trajectories = sampled_trajectories(&learner.decoder, 4);
    let mut all = sequences(&trajectories);
    for sequence in &mut all {
        sequence.weight = 0.0;
    }
    let (_, gradient) = loss_and_gradient(&learner, &micro_batches(&all, usize::MAX));
    assert!(gradient.iter().all(|&value| value == 0.0));
}

#[test]
fn sampler_and_trainer_agree_before_the_first_update() {
    let mut learner = tiny(6);
    fine_tune(&mut learner, 60);
    let trajectories = sampled_trajectories(&learner.decoder, 40);
    for batch in micro_batches(&sequences(&trajectories), 200) {
        let hidden = batch.chosen_hidden(&learner.decoder, &learner.device);
        let scores = learner.decoder.score(hidden, batch.targets_tensor(&learner.device));
        let new = scores.log_probs.into_data().try_to_vec::<f32>().unwrap();
        assert_close(&new, &batch.old_log_probs, 1e-5);
    }
}

#[test]
fn foreign_log_probs_are_refused_before_anything_is_updated() {
    let mut learner = tiny(7);
    let (config, mut state) = (dapo_config(), DapoState::default());
    let policy = DecoderPolicy::new(&learner.decoder, 48);
    let mut collected = collect(&config, &mut state, &policy, &NumberClinic::default(), &stream).unwrap();
    assert!(!collected.groups.is_empty());
    for trajectory in collected.groups.iter_mut().flat_map(|group| &mut group.trajectories) {
        for log_prob in &mut trajectory.old_log_probs {
            *log_prob -= 0.1;
        }
    }
    let before = mean_reward(&learner.decoder);
    assert!(matches!(
        update(&config, &mut state, &mut learner, &collected),
        Err(workup_learn::LearnError::Disagreement { .. })
    ));
    assert_eq!((state.step, state.num_updates), (0, 0));
    assert_eq!(mean_reward(&learner.decoder), before);
}

#[test]
fn greedy_play_is_reproducible() {
    let mut learner = tiny(8);
    fine_tune(&mut learner, 30);
    let config = RolloutConfig { greedy: true, ..limits() };
    let play = || {
        let policy = DecoderPolicy::new(&learner.decoder, 48);
        rollout_groups(&policy, &NumberClinic::default(), &[3, 4], 2, 0, &config, &stream).unwrap()
    };
    let groups = play();
    assert_eq!(groups, play());
    assert_eq!(groups[0].trajectories[0].tokens, groups[0].trajectories[1].tokens);
}

/// Rank and values of every parameter, in the order of the decoder: the embedding table comes first.
fn parameters(decoder: &Decoder) -> Vec<(usize, Vec<f32>)> {
    struct Values(Vec<(usize, Vec<f32>)>);
    impl burn::module::ModuleVisitor for Values {
        fn visit_float<const D: usize>(&mut self, param: &burn::module::Param<Tensor<D>>) {
            self.0.push((D, param.val().into_data().iter::<f32>().collect()));
        }
    }
    let mut values = Values(Vec::new());
    decoder.visit(&mut values);
    values.0
}

#[test]
fn muon_moves_the_matrices_of_the_blocks_and_adamw_everything_else() {
    let after_a_step = |matrices| {
        let mut learner = tiny(9);
        learner.optimizer = OptimizerConfig { matrices, ..OptimizerConfig::default() }.init();
        fine_tune(&mut learner, 1);
        parameters(&learner.decoder)
    };
    let (adam, muon) = (after_a_step(MatrixUpdate::AdamW), after_a_step(MatrixUpdate::Muon));
    let mut num_matrices = 0;
    for (index, ((rank, by_adam), (_, by_muon))) in adam.iter().zip(&muon).enumerate() {
        let in_a_block = *rank == 2 && index > 0;
        num_matrices += usize::from(in_a_block);
        assert_eq!(by_adam == by_muon, !in_a_block, "parameter {index} of rank {rank}");
    }
    assert_eq!(num_matrices, 2 * 4, "four matrices in each of two blocks");
}

#[test]
fn rollouts_do_not_depend_on_the_number_of_threads() {
    let learner = tiny(10);
    let policy = DecoderPolicy::new(&learner.decoder, 48);
    let play = |threads| {
        let config = RolloutConfig { max_rows: 6, threads, ..limits() };
        let scenarios: Vec<u64> = (0..9).collect();
        rollout_groups(&policy, &NumberClinic::default(), &scenarios, 3, 0, &config, &stream).unwrap()
    };
    assert_eq!(play(1), play(3));
}
