//! Coverage-guided fuzzing on stable Rust: libFuzzer with LLVM's coverage pass switched on by code generation flags.
//!
//! The package `fuzz/` is a workspace of its own; seeds and dictionaries stand beside it under version control, what a run
//! learns goes to `fuzz/corpus` (under the cache folder with `CI=true`).
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::{Context, Result, bail};

use crate::Verdict;
use crate::args::FuzzOptions;
use crate::console;
use crate::process;
use crate::tally::Tally;
use crate::toolchain;
use crate::workspace::Workspace;

/// Instruments every crate of the build: edge counters that libFuzzer reads in line, and the table that maps them to code.
const COVERAGE_FLAGS: [&str; 8] = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=1",
    "-Cdebug-assertions",
];

/// Memory beyond which an input counts as a crash, in MiB.
const RSS_LIMIT_MB: u32 = 1024;
/// Seconds after which one input counts as a hang.
const SLOWEST_INPUT_S: u32 = 10;
/// The longest input that is tried, in bytes.
const LONGEST_INPUT: u32 = 8192;

/// `cargo xtask fuzz`
pub(crate) fn fuzz(workspace: &Workspace, options: &FuzzOptions) -> Result<Verdict> {
    let tally = fuzz_targets(workspace, options)?;
    console::result(&tally.to_string());
    Ok(if tally.failed == 0 { Verdict::Fine } else { Verdict::CheckFailed })
}

/// Fuzzes the targets, some at a time, and counts those that held; starts no more after one that did not.
///
/// # Errors
/// When a named target does not exist, the targets do not compile or run without coverage.
pub(crate) fn fuzz_targets(workspace: &Workspace, options: &FuzzOptions) -> Result<Tally> {
    let mut targets = target_names(workspace)?;
    if let Some(wanted) = &options.target {
        if !targets.contains(wanted) {
            bail!("no fuzz target `{wanted}`; there are: {}", targets.join(", "));
        }
        targets.retain(|name| name == wanted);
    }
    let binaries = build(workspace)?;
    let mut tally = Tally::default();
    for wave in targets.chunks(jobs(options)) {
        for held in run_wave(workspace, &binaries, wave, options.seconds)? {
            if held {
                tally.passed += 1;
            } else {
                tally.failed += 1;
            }
        }
        if tally.failed > 0 {
            break;
        }
    }
    Ok(tally)
}

fn jobs(options: &FuzzOptions) -> usize {
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    if options.jobs == 0 { cores() } else { options.jobs }
}

/// Fuzzes some targets at the same time; for each, whether it held.
fn run_wave(workspace: &Workspace, binaries: &Path, targets: &[String], seconds: u32) -> Result<Vec<bool>> {
    thread::scope(|scope| {
        let mut runs = Vec::with_capacity(targets.len());
        for target in targets {
            runs.push(scope.spawn(move || run_target(workspace, binaries, target, seconds)));
        }
        runs.into_iter().map(|run| run.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

/// The targets, by their source files.
fn target_names(workspace: &Workspace) -> Result<Vec<String>> {
    let folder = workspace.path("fuzz/targets");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .with_context(|| format!("could not read `{}`", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    Ok(names)
}

/// Builds all targets and returns the folder they are in.
fn build(workspace: &Workspace) -> Result<PathBuf> {
    if !process::succeeds(workspace.program(env_or("CXX", "c++")).arg("--version")) {
        bail!("libFuzzer needs a C++ compiler; install one (Debian: apt-get install g++) or set CXX");
    }
    let host = toolchain::host_target(workspace)?;
    let target_folder = workspace.target("fuzz");
    // With an explicit target the flags reach neither build scripts nor procedural macros.
    let mut command = workspace.cargo(["build", "--release", "--manifest-path", "fuzz/Cargo.toml", "--target", &host]);
    command.env("CARGO_TARGET_DIR", &target_folder).env("RUSTFLAGS", COVERAGE_FLAGS.join(" "));
    process::run(&mut command)?;
    Ok(target_folder.join(host).join("release"))
}

/// Fuzzes one target; false when an input broke it.
fn run_target(workspace: &Workspace, binaries: &Path, target: &str, seconds: u32) -> Result<bool> {
    let corpus = workspace.lasting("fuzz/corpus").join(target);
    let artifacts = workspace.path("fuzz/artifacts").join(target);
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(folder).with_context(|| format!("could not make `{}`", folder.display()))?;
    }
    let mut command = Command::new(binaries.join(format!("fuzz_{target}")));
    command
        .current_dir(workspace.path("."))
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-rss_limit_mb={RSS_LIMIT_MB}"))
        .arg(format!("-timeout={SLOWEST_INPUT_S}"))
        .arg(format!("-max_len={LONGEST_INPUT}"))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .args(["-print_final_stats=1", "-use_value_profile=1", "-reload=0"]);
    let dictionary = workspace.path("fuzz/dictionaries").join(format!("{target}.dict"));
    if dictionary.is_file() {
        command.arg(format!("-dict={}", dictionary.display()));
    }
    command.arg(&corpus);
    let seeds = workspace.path("fuzz/seeds").join(target);
    if seeds.is_dir() {
        command.arg(seeds);
    }
    console::note(&format!("fuzzing {target} for {seconds} s"));
    let mut coverage = Coverage::default();
    let ended = process::watch(&mut command, |line| {
        coverage.read(line);
        if !is_chatter(line) {
            console::note(&format!("{target}: {line}"));
        }
        false
    });
    if let Err(error) = ended {
        console::error(&error);
        console::note(&format!("the input is under `{}`; run it again: BINARY FILE", artifacts.display()));
        return Ok(false);
    }
    coverage.check(target)?;
    Ok(true)
}

/// What libFuzzer says for every new input and at regular intervals.
fn is_chatter(line: &str) -> bool {
    line.starts_with('#') && !line.contains("DONE")
        || ["INFO:", "Dictionary:", "stat::", "###### ", "\"", "NEW_FUNC"]
            .iter()
            .any(|start| line.trim_start().starts_with(start))
}

/// How much of the program inputs have reached: without instrumentation a fuzzer is blind and still reports success.
#[derive(Debug, Default)]
struct Coverage {
    edges: u64,
}

impl Coverage {
    fn read(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        if words.any(|word| word == "cov:") {
            let edges = words.next().and_then(|number| number.parse().ok());
            self.edges = self.edges.max(edges.unwrap_or(0));
        }
    }

    fn check(&self, target: &str) -> Result<()> {
        if self.edges == 0 {
            bail!("fuzzing `{target}` saw no coverage; the build is not instrumented");
        }
        console::note(&format!("{target}: {} edges reached", self.edges));
        Ok(())
    }
}

fn env_or(variable: &str, default: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| default.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_is_read_from_status_lines() {
        let mut coverage = Coverage::default();
        coverage.read("#2\tINITED cov: 41 ft: 55 corp: 2/3b exec/s: 0 rss: 32Mb");
        coverage.read("#9\tNEW    cov: 57 ft: 60 corp: 3/9b");
        coverage.read("stat::peak_rss_mb: 40");
        assert_eq!(coverage.edges, 57);
    }

    #[test]
    fn a_run_that_reaches_nothing_is_an_error() {
        assert!(Coverage::default().check("anything").is_err());
    }
}
