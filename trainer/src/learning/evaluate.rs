//! A trained policy at play: many episodes at once, sampled at temperature 1 as it was trained, or greedily.

use std::{
    path::Path,
    sync::{Arc, Mutex},
    thread,
};

use burn::prelude::Device;
use workup_core::{clinic::Clinic, nano, scenario::Scenario};
use workup_learn::{DecoderPolicy, RolloutConfig, rollout_groups};
use workup_model::Decoder;

use super::{LearningError, export::load_policy, format::NanoFormat, text_clinic::TextClinic};
use crate::{
    evaluation::{EvaluationError, Outcome, Policy},
    progress::Progress,
};

/// Episodes that go through the decoder together.
const ROWS: usize = 250;

/// What became of one chunk.
type Played = Result<Vec<Outcome>, EvaluationError>;

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

    /// Plays one chunk of scenarios in the order given.
    fn play_chunk(&self, scenarios: &[Scenario]) -> Result<Vec<Outcome>, EvaluationError> {
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
        let chunks: Vec<&[Scenario]> = scenarios.chunks(ROWS).collect();
        let results: Mutex<Vec<Option<Played>>> = Mutex::new((0..chunks.len()).map(|_| None).collect());
        let next = std::sync::atomic::AtomicUsize::new(0);
        let work = || {
            loop {
                let index = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let Some(chunk) = chunks.get(index) else { return };
                let played = self.play_chunk(chunk);
                progress.advance(chunk.len() as u64);
                if let Ok(mut results) = results.lock() {
                    results[index] = Some(played);
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..self.threads.max(1) {
                scope.spawn(work);
            }
        });
        let missing = || EvaluationError::Policy { policy: self.name.clone(), problem: "a thread stopped".to_owned() };
        let mut outcomes = Vec::with_capacity(scenarios.len());
        for played in results.into_inner().map_err(|_| missing())? {
            outcomes.extend(played.ok_or_else(missing)??);
        }
        Ok(outcomes)
    }
}
