//! Many episodes stepped together without any text: an agent that takes any legal action, on 64 environments.
//!
//! `cargo run --release -p workup-core --example vector_env`
//!
//! Put a learner where [`choose`] stands: it sees the observation (numbers named by [`ObservationSpec::names`]) and
//! the legal actions, and returns the number of one of them.

use std::{error::Error, sync::Arc};

use workup_core::{
    clinic::Clinic,
    clinician::Candidates,
    random::{KeyedRng, Purpose},
    scenario::Scenario,
    structured::{ActionSpace, ObservationSpec, VectorEnv, VectorStep},
};

const NUM_ENVS: u32 = 64;
const NUM_STEPS: u32 = 2_000;

#[expect(clippy::print_stdout, reason = "an example reports what it did")]
fn main() -> Result<(), Box<dyn Error>> {
    let base = Clinic::core24()?.base().clone();
    let settings = Scenario::headline(0);
    let space = Arc::new(ActionSpace::new(&base, &Candidates::new(&base, settings.payer)));
    let spec = ObservationSpec::new(&base);
    println!("{} actions, observations of {} numbers", space.len(), spec.len());

    // Environment i plays seeds i, i + 64, i + 128 and so on; an ended episode starts over by itself.
    let mut env = VectorEnv::new(&base, space.clone(), &settings, 0, NUM_ENVS)?;
    let mut results = vec![VectorStep::default(); NUM_ENVS as usize];
    let mut observation = vec![0.0; spec.len()];
    let mut legal = vec![0; space.len().div_ceil(64)];
    let (mut ended, mut total_reward) = (0u32, 0.0);
    for step in 0..NUM_STEPS {
        let mut rng = KeyedRng::new(1, Purpose::Auxiliary, step.into(), 0);
        let mut actions = Vec::with_capacity(NUM_ENVS as usize);
        for episode in env.episodes() {
            spec.encode(episode, &mut observation);
            space.legal_actions(episode, &mut legal);
            actions.push(choose(&observation, &legal, &mut rng));
        }
        env.step(&actions, &mut results);
        for result in results.iter().filter(|result| result.terminated || result.truncated) {
            ended += 1;
            total_reward += result.reward;
        }
    }
    println!("{ended} episodes, mean reward {:.3}", total_reward / f64::from(ended.max(1)));
    Ok(())
}

/// The number of a legal action, each equally likely: one bit each in `legal`, lowest first.
fn choose(_observation: &[f32], legal: &[u64], rng: &mut KeyedRng) -> u32 {
    let is_legal = |action: &u32| legal[*action as usize / 64] >> (action % 64) & 1 == 1;
    let mut actions = (0..legal.len() as u32 * 64).filter(is_legal);
    let chosen = rng.below(actions.clone().count() as u32);
    actions.nth(chosen as usize).unwrap_or(0)
}
