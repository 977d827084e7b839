//! DAPO from the weights of supervised fine-tuning, on scenarios of the training split that no conversation was written about.

use std::{path::Path, time::Instant};

use serde::{Deserialize, Serialize};
use serde_json::json;
use workup_learn::{DapoConfig, DapoState, DecoderPolicy, LearnError, Learner, Metrics, collect, update};
use workup_model::Decoder;

use super::{
    LearningError, StageName,
    stage::{Stage, StageFolder, Surroundings, run_stage},
    text_clinic::TextClinic,
};
use crate::progress::Progress;

/// A run of DAPO.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DapoRun {
    /// The method and its numbers.
    pub config: DapoConfig,
    /// Steps (rollout and its updates) in all.
    pub steps: u64,
    /// Steps between checkpoints.
    pub checkpoint_every: u64,
    /// The first scenario of the training split that is played.
    pub first_scenario: u64,
}

struct DapoStage<'a> {
    run: &'a DapoRun,
    clinic: &'a TextClinic,
}

impl Stage for DapoStage<'_> {
    type State = DapoState;

    fn name(&self) -> StageName {
        StageName::Dapo
    }

    fn step(&self, state: &DapoState) -> u64 {
        state.step
    }

    fn progress(&self, state: &DapoState) -> (u64, u64) {
        (state.step, self.run.steps)
    }

    fn advance(&mut self, state: &mut DapoState, learner: &mut Learner) -> Result<Metrics, LearningError> {
        let begun = Instant::now();
        let before = state.num_sampled_tokens + state.num_tokens;
        let mut config = self.run.config.clone();
        config.rollout.threads = learner.threads as u32;
        let policy = DecoderPolicy::new(&learner.decoder, config.rollout.max_tokens as usize);
        let generator = |key| self.clinic.generator(key);
        let collected = collect(&config, state, &policy, self.clinic, &generator).map_err(LearnError::from)?;
        let generation = begun.elapsed().as_secs_f64();
        let updated = update(&config, state, learner, &collected)?;
        let seconds = begun.elapsed().as_secs_f64();
        let mut metrics = collected.metrics;
        metrics.extend(updated);
        metrics.set("timing_s/gen", generation);
        metrics.set("timing_s/update_actor", seconds - generation);
        metrics.set("perf/throughput", (state.num_sampled_tokens + state.num_tokens - before) as f64 / seconds);
        Ok(metrics)
    }

    fn status(&self, metrics: &Metrics) -> String {
        let of = |name| metrics.get(name).unwrap_or(f64::NAN);
        format!(
            "reward {:.3}  accuracy {:.3}  dollars {:.1}  turns {:.1}  entropy {:.3}  clipped {:.4}  kept {:.0} of {:.0}%  grad {:.2}  {:.0}+{:.0} s",
            of("critic/rewards/mean"),
            of("episode/accuracy"),
            of("episode/dollars"),
            of("num_turns/mean"),
            of("actor/entropy"),
            of("actor/pg_clipfrac"),
            of("groups/trained"),
            100.0 * (1.0 - of("groups/dropped")),
            of("actor/grad_norm"),
            of("timing_s/gen"),
            of("timing_s/update_actor"),
        )
    }
}

/// Trains `decoder` on `clinic` in `folder`; `origin` says which weights and tokenizer those are and is compared on resume.
///
/// # Errors
/// When files cannot be used, the checkpoint is damaged or foreign, or a step fails.
pub fn run_dapo(
    run: &DapoRun,
    folder: &Path,
    origin: &serde_json::Value,
    decoder: impl FnOnce() -> Result<Decoder, LearningError>,
    clinic: &TextClinic,
    surroundings: Surroundings<'_>,
    progress: &dyn Progress,
) -> Result<(Learner, DapoState), LearningError> {
    let mut stage = DapoStage { run, clinic };
    let stage_folder = StageFolder {
        path: folder,
        run: json!({ "stage": StageName::Dapo, "dapo": run, "origin": origin }),
        optimizer: run.config.optimizer,
        checkpoint_every: run.checkpoint_every,
        surroundings,
    };
    let start = || {
        let learner = Learner::new(decoder()?, &run.config.optimizer, surroundings.device);
        Ok((learner, DapoState { next_scenario: run.first_scenario, ..DapoState::default() }))
    };
    run_stage(&mut stage, &stage_folder, start, progress)
}
