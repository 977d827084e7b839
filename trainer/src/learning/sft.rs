//! Supervised fine-tuning on conversations, and its continuation as the control of DAPO.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::json;
use workup_core::random::{KeyedRng, Purpose};
use workup_learn::{Example, Learner, Metrics, SftConfig, SftState, sft_loss_of, sft_step};
use workup_model::DecoderConfig;

use super::{
    LearningError, StageName,
    checkpoint::{Checkpoint, fresh_decoder},
    stage::{Stage, StageFolder, Surroundings, run_stage},
};
use crate::progress::Progress;

/// A run of supervised fine-tuning from fresh weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SftRun {
    /// Shape of the decoder.
    pub decoder: DecoderConfig,
    /// Batches, learning rate, optimiser.
    pub config: SftConfig,
    /// Updates in all.
    pub steps: u64,
    /// Updates between checkpoints.
    pub checkpoint_every: u64,
    /// Seed of weights and order.
    pub seed: u64,
}

struct SftStage<'a> {
    name: StageName,
    config: &'a SftConfig,
    seed: u64,
    examples: &'a [Example],
    /// Examples to watch the loss on, not learned from.
    held_out: &'a [Example],
    /// Where the stage began and where it ends, in updates (`tokens` false) or tokens.
    range: (u64, u64),
    tokens: bool,
    first_step: u64,
    watch_every: u64,
}

impl Stage for SftStage<'_> {
    type State = SftState;

    fn name(&self) -> StageName {
        self.name
    }

    fn step(&self, state: &SftState) -> u64 {
        state.step - self.first_step
    }

    fn progress(&self, state: &SftState) -> (u64, u64) {
        let now = if self.tokens { state.num_tokens } else { state.step };
        (now - self.range.0, self.range.1 - self.range.0)
    }

    fn advance(&mut self, state: &mut SftState, learner: &mut Learner) -> Result<Metrics, LearningError> {
        let mut shuffle = |epoch| KeyedRng::new(self.seed, Purpose::Shuffle, epoch, 0);
        let begun = std::time::Instant::now();
        let before = state.num_tokens;
        let mut metrics = sft_step(self.config, state, learner, self.examples, &mut shuffle)?;
        metrics.set("perf/throughput", (state.num_tokens - before) as f64 / begun.elapsed().as_secs_f64());
        let (done, total) = self.progress(state);
        if !self.held_out.is_empty() && (done >= total || self.step(state).is_multiple_of(self.watch_every)) {
            let loss = sft_loss_of(&learner.decoder, self.held_out, self.config.micro_batch_tokens);
            metrics.set("validation/loss", loss);
        }
        Ok(metrics)
    }

    fn status(&self, metrics: &Metrics) -> String {
        let of = |name| metrics.get(name).unwrap_or(f64::NAN);
        let held_out = metrics.get("validation/loss").map_or_else(String::new, |loss| format!("held out {loss:.4}  "));
        format!(
            "loss {:.4}  {held_out}grad {:.2}  rate {:.1e}  epoch {:.2}  {:.0} tokens/s",
            of("train/loss"),
            of("train/grad_norm"),
            of("train/lr"),
            of("train/epoch"),
            of("perf/throughput"),
        )
    }
}

/// Trains fresh weights on `examples` in `folder`; returns the learner and where it stands.
///
/// # Errors
/// When files cannot be used, the checkpoint is damaged or foreign, or a step fails.
pub fn run_sft(
    run: &SftRun,
    folder: &Path,
    examples: &[Example],
    held_out: &[Example],
    surroundings: Surroundings<'_>,
    progress: &dyn Progress,
) -> Result<(Learner, SftState), LearningError> {
    let device = surroundings.device;
    let mut stage = SftStage {
        name: StageName::Sft,
        config: &run.config,
        seed: run.seed,
        examples,
        held_out,
        range: (0, run.steps),
        tokens: false,
        first_step: 0,
        watch_every: run.checkpoint_every,
    };
    let stage_folder = StageFolder {
        path: folder,
        run: json!({ "stage": StageName::Sft, "sft": run, "examples": fingerprint(examples) }),
        optimizer: run.config.optimizer,
        checkpoint_every: run.checkpoint_every,
        surroundings,
    };
    let start = || {
        let decoder = fresh_decoder(&run.decoder, run.seed, device);
        Ok((Learner::new(decoder, &run.config.optimizer, device), SftState::default()))
    };
    run_stage(&mut stage, &stage_folder, start, progress)
}

/// Goes on where [`run_sft`] ended, in a folder of its own, for `token_budget` more tokens: what DAPO has to beat.
///
/// # Errors
/// As [`run_sft`].
pub fn run_control(
    run: &SftRun,
    sft_folder: &Path,
    folder: &Path,
    token_budget: u64,
    examples: &[Example],
    surroundings: Surroundings<'_>,
    progress: &dyn Progress,
) -> Result<(Learner, SftState), LearningError> {
    let device = surroundings.device;
    let sft_identity = json!({ "stage": StageName::Sft, "sft": run, "examples": fingerprint(examples) });
    let source = Checkpoint::look(sft_folder);
    let before: SftState =
        source.load_state(&sft_identity)?.ok_or_else(|| LearningError::NoStart(sft_folder.to_owned()))?;
    let mut stage = SftStage {
        name: StageName::Control,
        config: &run.config,
        seed: run.seed,
        examples,
        held_out: &[],
        range: (before.num_tokens, before.num_tokens + token_budget),
        tokens: true,
        first_step: before.step,
        watch_every: u64::MAX,
    };
    let stage_folder = StageFolder {
        path: folder,
        run: json!({ "stage": StageName::Control, "sft": run, "examples": fingerprint(examples), "tokens": token_budget }),
        optimizer: run.config.optimizer,
        checkpoint_every: run.checkpoint_every,
        surroundings,
    };
    let start = || {
        let loaded = source.load(&sft_identity, &run.config.optimizer, device)?;
        Ok((loaded.learner, loaded.state))
    };
    run_stage(&mut stage, &stage_folder, start, progress)
}

/// A digest of what is learned from: a run is not resumed on other conversations.
fn fingerprint(examples: &[Example]) -> String {
    let mut digest = workup_core::digest::Digest::new();
    for example in examples {
        digest.u64(example.tokens.len() as u64);
        for token in &example.tokens {
            digest.u32(*token);
        }
    }
    crate::setting::hex(digest.value())
}
