//! The loop that every training stage shares: resume, step, log, checkpoint.

use std::{
    fs::{self, File, TryLockError},
    io::ErrorKind,
    path::Path,
    time::Instant,
};

use burn::prelude::Device;
use serde::{Serialize, de::DeserializeOwned};
use workup_learn::{Learner, Metrics, OptimizerConfig};

use super::{LearningError, StageName, checkpoint::Checkpoint, difference::difference, journal::Journal};
use crate::{atomic_file::write_atomically, progress::Progress};

/// What every stage is given.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// Device with autodiff.
    pub device: &'a Device,
    /// Go on where a run with the same settings stopped; otherwise the folder has to be empty.
    pub resume: bool,
    /// Micro-batches and rollout batches worked on at the same time.
    pub threads: usize,
}

/// What distinguishes one stage from another.
pub(crate) trait Stage {
    /// What a checkpoint stores beside model and optimiser.
    type State: Serialize + DeserializeOwned;

    /// Which one it is.
    fn name(&self) -> StageName;
    /// Steps done in this stage.
    fn step(&self, state: &Self::State) -> u64;
    /// Work done and work to do, in any unit.
    fn progress(&self, state: &Self::State) -> (u64, u64);
    /// Performs one step.
    fn advance(&mut self, state: &mut Self::State, learner: &mut Learner) -> Result<Metrics, LearningError>;
    /// The status line of a step: same quantities, same order, every time.
    fn status(&self, metrics: &Metrics) -> String;
}

/// Where and how a stage runs.
#[derive(Debug)]
pub(crate) struct StageFolder<'a> {
    /// Folder of the stage: `metrics.jsonl` and `checkpoint/`.
    pub(crate) path: &'a Path,
    /// Settings of the run, compared on resume.
    pub(crate) run: serde_json::Value,
    /// The optimiser, as it was built when saved.
    pub(crate) optimizer: OptimizerConfig,
    /// Steps between checkpoints.
    pub(crate) checkpoint_every: u64,
    /// How it runs.
    pub(crate) surroundings: Surroundings<'a>,
}

/// Runs a stage to its end and returns learner and state; of a stage that is complete, weights and metrics stay as they are.
pub(crate) fn run_stage<S: Stage>(
    stage: &mut S,
    folder: &StageFolder<'_>,
    start: impl FnOnce() -> Result<(Learner, S::State), LearningError>,
    progress: &dyn Progress,
) -> Result<(Learner, S::State), LearningError> {
    let (path, Surroundings { device, resume, threads }) = (folder.path, folder.surroundings);
    fs::create_dir_all(path).map_err(LearningError::io(path))?;
    let _lock = lock(path)?;
    let checkpoint = Checkpoint::recover(path)?;
    if checkpoint.exists() && !resume {
        return Err(LearningError::Begun(path.to_owned()));
    }
    claim(path, &folder.run, resume)?;
    let (mut learner, mut state) = if checkpoint.exists() {
        let loaded = checkpoint.load(&folder.run, &folder.optimizer, device)?;
        (loaded.learner, loaded.state)
    } else {
        start()?
    };
    learner.threads = threads;
    let journal_path = path.join(METRICS);
    let mut journal = Journal::open(&journal_path, stage.step(&state)).map_err(LearningError::io(&journal_path))?;
    let (done, total) = stage.progress(&state);
    progress.start(stage.name().name(), total);
    progress.advance(done.min(total));
    loop {
        let (before, total) = stage.progress(&state);
        if before >= total {
            break;
        }
        let begun = Instant::now();
        let mut metrics = stage.advance(&mut state, &mut learner)?;
        metrics.set("timing_s/step", begun.elapsed().as_secs_f64());
        let (after, _) = stage.progress(&state);
        journal.write(stage.step(&state), &metrics).map_err(LearningError::io(&journal_path))?;
        progress.status(&stage.status(&metrics));
        progress.advance(after.min(total) - before);
        let is_last = after >= total;
        if is_last || stage.step(&state).is_multiple_of(folder.checkpoint_every.max(1)) {
            journal.sync().map_err(LearningError::io(&journal_path))?;
            checkpoint.save(&learner, &folder.run, &state, is_last)?;
            progress.note(&format!("{} {after}/{total}: {}", stage.name(), stage.status(&metrics)));
        }
    }
    progress.finish();
    Ok((learner, state))
}

/// Metrics of a stage.
const METRICS: &str = "metrics.jsonl";
/// Settings of the run whose metrics and checkpoint stand in a stage's folder.
const RUN: &str = "run.json";

/// Notes whose the folder is, before anything else is written to it; refuses metrics that are not this run's.
fn claim(folder: &Path, run: &serde_json::Value, resume: bool) -> Result<(), LearningError> {
    let (note, metrics) = (folder.join(RUN), folder.join(METRICS));
    match fs::read(&note) {
        Ok(bytes) => {
            let damaged = |error: serde_json::Error| LearningError::damaged(folder, error.to_string());
            let stored: serde_json::Value = serde_json::from_slice(&bytes).map_err(damaged)?;
            if stored != *run {
                let what = difference(&stored, run);
                return Err(LearningError::Foreign { path: folder.to_owned(), what });
            }
            if metrics.exists() && !resume {
                return Err(LearningError::Begun(folder.to_owned()));
            }
            Ok(())
        }
        Err(error) if error.kind() != ErrorKind::NotFound => Err(LearningError::io(&note)(error)),
        Err(_) if metrics.exists() => Err(LearningError::NotOurs(metrics)),
        Err(_) => write_atomically(&note, run.to_string().as_bytes()).map_err(LearningError::io(&note)),
    }
}

/// Keeps other processes out of a stage's folder until the file is closed, also by a kill.
fn lock(folder: &Path) -> Result<File, LearningError> {
    let path = folder.join("lock");
    let file = File::create(&path).map_err(LearningError::io(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(LearningError::Busy(folder.to_owned())),
        Err(TryLockError::Error(source)) => Err(LearningError::Io { path, source }),
    }
}
