//! A trained policy at play: many episodes at once, sampled at temperature 1 as it was trained, or greedily.

use std::{path::Path, sync::Arc};

use burn::{module::Module, prelude::Device};
use workup_core::{clinic::Clinic, nano, scenario::Scenario};
use workup_learn::{DecoderPolicy, RolloutConfig, rollout_groups};
use workup_model::Decoder;

use super::{LearningError, export::load_policy, format::NanoFormat, text_clinic::TextClinic};
use crate::{
    device::is_cpu,
    evaluation::{EvaluationError, Outcome, Policy},
    progress::Progress,
};

/// Episodes that go through the decoder together. Fixed, so that the number of threads changes no batch.
const ROWS: usize = 250;

/// How tokens are chosen, in words.
pub const fn sampling(greedy: bool) -> &'static str {
    if greedy { "most likely token" } else { "temperature 1" }
}

/// A decoder that plays.
#[derive(Debug)]
pub struct TrainedPolicy {
    name: String,
    decoder: Decoder,
    format: Arc<NanoFormat>,
    clinic: Arc<Clinic>,
    greedy: bool,
    trained_on: Option<String>,
    threads: usize,
}

impl TrainedPolicy {
    /// A decoder with its prompt format, playing in `clinic`; it samples at temperature 1.
    pub fn new(name: &str, decoder: Decoder, format: Arc<NanoFormat>, clinic: Arc<Clinic>, threads: usize) -> Self {
        Self { name: name.to_owned(), decoder, format, clinic, greedy: false, trained_on: None, threads }
    }

    /// Reads an exported folder.
    ///
    /// # Errors
    /// When a file is missing or wrong.
    pub fn load(folder: &Path, clinic: Arc<Clinic>, device: &Device, threads: usize) -> Result<Self, LearningError> {
        let exported = load_policy(folder, device)?;
        let name = folder.display().to_string();
        let policy = Self::new(&name, exported.decoder, Arc::new(exported.format), clinic, threads);
        Ok(Self { trained_on: Some(exported.config.knowledge_digest), ..policy })
    }

    /// The same policy taking the most likely token always.
    #[must_use]
    pub fn greedy(self) -> Self {
        Self { greedy: true, ..self }
    }

    /// The same policy under another name.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// Batches at the same time: one where the device is not the CPU itself.
    fn threads_at_once(&self) -> usize {
        if self.decoder.devices().iter().all(is_cpu) { self.threads.max(1) } else { 1 }
    }

    /// Plays scenarios in the order given, [`ROWS`] at a time on each thread.
    fn play_all(&self, scenarios: &[Scenario]) -> Result<Vec<Outcome>, EvaluationError> {
        let problem = |problem: String| EvaluationError::Policy { policy: self.name.clone(), problem };
        let own: Arc<[Scenario]> = scenarios.into();
        let lookup = own.clone();
        let at = move |number: u64| lookup[(number as usize).min(lookup.len() - 1)].clone();
        let clinic = TextClinic::new(self.clinic.clone(), self.format.clone(), at)?.recording();
        let config = RolloutConfig {
            greedy: self.greedy,
            max_rows: ROWS as u32,
            max_tokens: nano::MAX_TOKENS as u32,
            max_tokens_per_turn: nano::MAX_MESSAGE_TOKENS as u32,
            threads: self.threads_at_once() as u32,
            ..RolloutConfig::new(self.format.end_token())
        };
        let policy = DecoderPolicy::new(&self.decoder, nano::MAX_TOKENS);
        let numbers: Vec<u64> = (0..own.len() as u64).collect();
        rollout_groups(&policy, &clinic, &numbers, 1, 0, &config, &|key| clinic.generator(key))
            .map_err(|error| problem(error.to_string()))?;
        let outcomes: Vec<Outcome> = clinic.take_outcomes().into_values().collect();
        if outcomes.len() == own.len() { Ok(outcomes) } else { Err(problem("an episode did not end".to_owned())) }
    }
}

impl Policy for TrainedPolicy {
    fn name(&self) -> &str {
        &self.name
    }

    fn sampling(&self) -> Option<&'static str> {
        Some(sampling(self.greedy))
    }

    fn trained_on(&self) -> Option<&str> {
        self.trained_on.as_deref()
    }

    fn play(&self, scenarios: &[Scenario], progress: &dyn Progress) -> Result<Vec<Outcome>, EvaluationError> {
        let mut outcomes = Vec::with_capacity(scenarios.len());
        for wave in scenarios.chunks(ROWS * self.threads_at_once()) {
            outcomes.extend(self.play_all(wave)?);
            progress.advance(wave.len() as u64);
        }
        Ok(outcomes)
    }
}
