//! `workup bench env`: turns of the clinic per second.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::Serialize;
use workup_core::workload::Workload;
use workup_trainer::{
    bench::{REPETITIONS, Speed, measure},
    knowledge::EMBEDDED,
    progress::{Progress, Terminal},
};

use super::{clinic, print_json};
use crate::{
    Verdict,
    args::{BenchCommand, BenchOptions},
    output::print_line,
};

#[derive(Debug, Serialize)]
struct Output {
    /// Messages that ask or order, with their reply in words.
    text_turns_per_s: f64,
    /// Steps without words.
    structured_steps_per_s: f64,
    /// Steps without words, followed by the exact belief.
    belief_steps_per_s: f64,
    /// Median and range of each.
    measurements: Measurements,
    episodes: u64,
    repetitions: usize,
    threads: u32,
}

#[derive(Debug, Serialize)]
struct Measurements {
    text: Speed,
    structured: Speed,
    belief: Speed,
}

pub(crate) fn run(command: &BenchCommand) -> Result<Verdict> {
    let BenchCommand::Env(options) = command;
    env(options)
}

fn env(options: &BenchOptions) -> Result<Verdict> {
    if options.episodes == 0 {
        bail!("`0` episodes: measure at least one");
    }
    let duration = Duration::try_from_secs_f64(options.seconds).context("seconds per measurement")?;
    let progress = Terminal::default();
    progress.start("preparing", 4);
    let workload = Workload::new(clinic(EMBEDDED)?, 1, options.episodes)?;
    progress.advance(1);
    let text = measure(duration, || workload.run_text());
    progress.advance(1);
    let structured = measure(duration, || workload.run_structured());
    progress.advance(1);
    let belief = measure(duration, || workload.run_belief());
    progress.finish();

    let output = Output {
        text_turns_per_s: text.median,
        structured_steps_per_s: structured.median,
        belief_steps_per_s: belief.median,
        measurements: Measurements { text, structured, belief },
        episodes: options.episodes,
        repetitions: REPETITIONS,
        threads: 1,
    };
    if options.json {
        print_json(&output)?;
        return Ok(Verdict::Fine);
    }
    print_line(
        "per second on one core, whole episodes with creation, noise and persona on: median [slowest, fastest] of 5",
    );
    for (name, speed) in [("text turns", text), ("structured steps", structured), ("steps with belief", belief)] {
        print_line(&format!("{name:<18} {:>12.0} [{:.0}, {:.0}]", speed.median, speed.low, speed.high));
    }
    Ok(Verdict::Fine)
}
