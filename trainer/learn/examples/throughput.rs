//! How fast rollouts and updates run: 16 groups of 8 conversations of about 250 tokens with the nano decoder, then
//! one DAPO step and one SFT step on them.
//!
//! `cargo run --release -p workup-learn --example throughput --features flex,native`
#![allow(clippy::print_stdout, reason = "a measurement to read")]

use std::time::Instant;

use burn::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use workup_learn::{
    Clinic, ClinicStep, DapoConfig, DapoState, DecoderPolicy, Ending, Episode, Example, Group, GroupFilter, Learner,
    LearningRate, OptimizerConfig, RolloutConfig, SftConfig, SftState, StreamKey, Trajectory, collect, sft_step,
    update,
};
use workup_model::DecoderConfig;

const VOCAB_SIZE: usize = 1024;
const MESSAGE_LEN: u32 = 8;
const REPLY_LEN: u32 = 14;

/// Answers every message with as many tokens as a patient would, and ends after ten or so turns.
struct TalkativeClinic;

#[derive(Clone)]
struct Talk {
    scenario: u64,
    turns: u32,
}

impl Clinic for TalkativeClinic {
    type Episode = Talk;

    fn start(&self, scenario: u64) -> (Talk, Vec<u32>) {
        (Talk { scenario, turns: 0 }, (0..24).map(|index| (scenario as u32 * 31 + index) % 1000).collect())
    }
}

impl Episode for Talk {
    fn step(&mut self, message: &[u32]) -> ClinicStep {
        self.turns += 1;
        let spread = (self.scenario + u64::from(message[0])) % 7;
        if u64::from(self.turns) >= 7 + spread {
            let reward = f64::from(message[0] % 10) / 10.0;
            return ClinicStep { ended: Some(Ending { reward, ..Ending::default() }), ..ClinicStep::default() };
        }
        ClinicStep { observation: (0..REPLY_LEN).map(|index| (message[0] + index) % 1000).collect(), ended: None }
    }

    fn truncate(&mut self) -> Ending {
        Ending::default()
    }
}

fn stream(key: StreamKey) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(
        key.scenario * 1_000_003 + u64::from(key.member) * 1009 + u64::from(key.turn) + key.attempt * 77_777,
    )
}

fn report(what: &str, seconds: f64, tokens: f64) {
    println!("{what:<28} {seconds:>7.2} s {:>9.0} tokens/s", tokens / seconds);
}

fn main() {
    let device = Device::flex().autodiff();
    device.seed(1);
    let model = DecoderConfig::nano(VOCAB_SIZE);
    println!("parameters: {}", model.num_parameters());
    let mut learner = Learner::new(model.init(&device), &OptimizerConfig::default(), &device);
    let rollout = RolloutConfig { max_tokens_per_turn: MESSAGE_LEN, ..RolloutConfig::new(1023) };
    let budget = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(4096);
    let config = DapoConfig {
        filter: GroupFilter::OFF,
        oversample: 1.0,
        micro_batch_tokens: budget,
        ..DapoConfig::new(rollout, LearningRate::constant(1e-5))
    };
    let mut state = DapoState::default();
    for _ in 0..3 {
        dapo_step(&config, &mut state, &mut learner);
    }
}

fn dapo_step(config: &DapoConfig, state: &mut DapoState, learner: &mut Learner) {
    let start = Instant::now();
    let policy = DecoderPolicy::new(&learner.decoder, 300);
    let collected = collect(config, state, &policy, &TalkativeClinic, &stream).expect("rollout");
    let seconds = start.elapsed().as_secs_f64();
    let count = |group: &Group| group.trajectories.iter().map(Trajectory::len).sum::<usize>();
    let tokens = collected.groups.iter().map(count).sum::<usize>() as f64;
    println!("{tokens} tokens, {:?} chosen per trajectory", collected.metrics.get("response_length/mean"));
    report("rollout", seconds, tokens);

    let start = Instant::now();
    let metrics = update(config, state, learner, &collected).expect("update");
    report("update (2 mini-batches)", start.elapsed().as_secs_f64(), tokens);
    println!("largest log-probability gap: {:?}", metrics.get("sampling/sampling_logp_difference/max"));

    let examples: Vec<Example> = collected
        .groups
        .iter()
        .flat_map(|group| &group.trajectories)
        .map(|trajectory| Example {
            tokens: trajectory.tokens.clone(),
            action_mask: trajectory.action_mask.clone(),
            ..Example::default()
        })
        .collect();
    let config = SftConfig {
        batch_size: 32,
        micro_batch_tokens: config.micro_batch_tokens,
        learning_rate: LearningRate::constant(1e-5),
        optimizer: OptimizerConfig::default(),
    };
    let mut sft = SftState::default();
    let start = Instant::now();
    for _ in 0..2 {
        sft_step(&config, &mut sft, learner, &examples, &mut ChaCha8Rng::seed_from_u64).expect("sft");
    }
    report("sft", start.elapsed().as_secs_f64(), sft.num_tokens as f64);
}
