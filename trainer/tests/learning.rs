//! Whole training runs of the preset `tiny`: what survives being stopped, what is refused.
#![cfg(feature = "flex")]

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use workup_core::clinic::Clinic;
use workup_learn::{DapoState, Learner};
use workup_trainer::{
    device::pick_device,
    learning::{LearningError, pipeline::Pipeline, preset::Preset},
    progress::{Progress, Silent},
    setting::Setting,
};

/// Stops a run for good at its n-th status line, as a kill would: after the metrics line, before the checkpoint.
struct Kill(AtomicI64);

impl Progress for Kill {
    fn start(&self, _stage: &str, _total: u64) {}
    fn advance(&self, _pieces: u64) {}
    fn status(&self, _text: &str) {
        assert!(self.0.fetch_sub(1, Ordering::Relaxed) > 0, "killed");
    }
    fn finish(&self) {}
    fn note(&self, _line: &str) {}
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("workup-learning-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn pipeline<'a>(out: &Path, seed: u64, progress: &'a dyn Progress) -> Pipeline<'a> {
    Pipeline {
        out: out.to_owned(),
        preset: Preset::Tiny,
        seed,
        setting: Setting::default(),
        clinic: Arc::new(Clinic::core24().unwrap()),
        device: pick_device("flex").unwrap().autodiff(),
        threads: 2,
        resume: true,
        sft_steps: None,
        dapo_steps: None,
        sft_rate: None,
        dapo_rate: None,
        progress,
    }
}

fn train(pipeline: &Pipeline<'_>) -> Result<(Learner, DapoState), LearningError> {
    let prepared = pipeline.prepare()?;
    let sft = pipeline.out.join("sft");
    pipeline.sft(&prepared, &sft)?;
    pipeline.dapo(&prepared.vocabulary, &sft, &pipeline.out.join("dapo"))
}

/// The lines of a metrics file without what measures time.
fn metrics(path: &Path) -> Vec<serde_json::Map<String, serde_json::Value>> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines: Vec<serde_json::Map<String, serde_json::Value>> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut lines {
        line.retain(|name, _| !name.starts_with("timing_s/") && !name.starts_with("perf/"));
    }
    lines
}

fn checkpoint_files(stage: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(stage.join("checkpoint"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn a_run_killed_again_and_again_ends_as_an_undisturbed_one() {
    let (calm, killed) = (folder("calm"), folder("killed"));
    // Alone on one thread, and killed on three: neither may leave a trace.
    train(&Pipeline { threads: 1, ..pipeline(&calm, 5, &Silent) }).unwrap();
    let mut kills = 0;
    for patience in [3, 14, 2, 20, 1, 2, 1, 1000] {
        let progress = Kill(AtomicI64::new(patience));
        if catch_unwind(AssertUnwindSafe(|| {
            train(&Pipeline { threads: 3, ..pipeline(&killed, 5, &progress) }).unwrap()
        }))
        .is_err()
        {
            kills += 1;
        }
    }
    assert!(kills >= 5, "{kills}");
    for stage in ["sft", "dapo"] {
        assert_eq!(
            metrics(&calm.join(stage).join("metrics.jsonl")),
            metrics(&killed.join(stage).join("metrics.jsonl"))
        );
        let (one, other) = (checkpoint_files(&calm.join(stage)), checkpoint_files(&killed.join(stage)));
        assert_eq!(one.len(), 4);
        for ((name, bytes), (_, others)) in one.iter().zip(&other) {
            assert!(bytes == others, "{stage}/{name} differs");
        }
    }
    let losses: Vec<f64> =
        metrics(&calm.join("sft/metrics.jsonl")).iter().map(|line| line["train/loss"].as_f64().unwrap()).collect();
    assert!(losses[losses.len() - 1] < 0.7 * losses[0], "{losses:?}");
    fs::remove_dir_all(&calm).unwrap();
    fs::remove_dir_all(&killed).unwrap();
}

#[test]
fn half_written_checkpoints_are_ignored_and_damaged_or_foreign_ones_refused() {
    let out = folder("refused");
    let run = |seed| {
        let pipeline = pipeline(&out, seed, &Silent);
        let prepared = pipeline.prepare()?;
        pipeline.sft(&prepared, &out.join("sft")).map(|(_, state)| state.step)
    };
    assert_eq!(run(6).unwrap(), 30);
    let before = checkpoint_files(&out.join("sft"));

    // A kill while a checkpoint was written, and one between the two renames.
    let checkpoint = out.join("sft/checkpoint");
    fs::create_dir_all(out.join("sft/checkpoint.part")).unwrap();
    fs::write(out.join("sft/checkpoint.part/model.bpk"), b"half").unwrap();
    fs::rename(&checkpoint, out.join("sft/checkpoint.old")).unwrap();
    assert_eq!(run(6).unwrap(), 30);
    assert!(checkpoint_files(&out.join("sft")) == before);
    assert!(!out.join("sft/checkpoint.part").exists() && !out.join("sft/checkpoint.old").exists());

    // Conversations of another seed.
    assert!(matches!(run(7), Err(LearningError::Foreign { .. })));
    fs::remove_file(out.join("conversations.json")).unwrap();
    fs::remove_file(out.join("conversations.jsonl")).unwrap();
    assert!(matches!(run(7), Err(LearningError::Foreign { .. })));
    assert!(checkpoint_files(&out.join("sft")) == before);

    // A bit that flipped, in any file.
    fs::remove_file(out.join("conversations.json")).unwrap();
    fs::remove_file(out.join("conversations.jsonl")).unwrap();
    for (name, bytes) in &before {
        let mut flipped = bytes.clone();
        let at = flipped.len() - 3;
        flipped[at] ^= 1;
        fs::write(checkpoint.join(name), &flipped).unwrap();
        let error = run(6).unwrap_err();
        assert!(matches!(error, LearningError::Damaged { .. }), "{name}: {error}");
        fs::write(checkpoint.join(name), bytes).unwrap();
    }
    assert_eq!(run(6).unwrap(), 30);
    fs::remove_dir_all(&out).unwrap();
}

#[test]
fn files_that_no_run_wrote_are_left_alone() {
    let out = folder("precious");
    fs::create_dir_all(&out).unwrap();
    let fresh = Pipeline { resume: false, ..pipeline(&out, 6, &Silent) };
    fs::write(out.join("conversations.jsonl"), "precious").unwrap();
    assert!(matches!(fresh.prepare(), Err(LearningError::NotOurs(_))));
    fs::remove_file(out.join("conversations.jsonl")).unwrap();
    let prepared = fresh.prepare().unwrap();
    let stage = out.join("sft");
    fs::create_dir_all(&stage).unwrap();
    fs::write(stage.join("metrics.jsonl"), "precious").unwrap();
    for run in [&fresh, &Pipeline { resume: true, ..pipeline(&out, 6, &Silent) }] {
        assert!(matches!(run.sft(&prepared, &stage), Err(LearningError::NotOurs(_))));
    }
    assert_eq!(fs::read_to_string(stage.join("metrics.jsonl")).unwrap(), "precious");
    fs::remove_dir_all(&out).unwrap();
}
