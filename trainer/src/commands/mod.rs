//! One file per subcommand, each read from top to bottom.

mod bench;
mod cases;
mod digest;
mod evaluate;
mod kb;
#[cfg(feature = "learn")]
pub(crate) mod learning;
mod metrics;
mod play;
mod replay;
mod score;
mod serve;
mod summary;
mod tune;
mod understand;

use std::{fs, path::Path, sync::Arc};

use anyhow::{Context, Result};
use serde::Serialize;
use workup_core::{clinic::Clinic, knowledge::KnowledgeBase};
use workup_trainer::{evaluation::parallel::available_threads, knowledge::load_knowledge};

use crate::{Verdict, args::Command, output::print_line};

/// Performs a command.
pub(crate) fn run(command: Command) -> Result<Verdict> {
    match command {
        Command::Play(options) => play::run(&options),
        Command::Replay(options) => replay::run(&options),
        Command::Eval(options) => evaluate::run(&options),
        Command::Tune(options) => tune::run(&options),
        Command::Cases(command) => cases::run(&command),
        Command::Kb(command) => kb::run(&command),
        Command::Understand(options) => understand::run(&options),
        Command::Score(options) => score::run(&options),
        Command::Digest(options) => digest::run(&options),
        Command::Metrics(command) => metrics::run(&command),
        Command::Bench(command) => bench::run(&command),
        #[cfg(feature = "learn")]
        Command::Learning(command) => learning::run(&command),
        Command::Serve(options) => serve::run(&options),
    }
}

fn knowledge(name: &str) -> Result<Arc<KnowledgeBase>> {
    Ok(Arc::new(load_knowledge(name)?))
}

fn clinic(name: &str) -> Result<Arc<Clinic>> {
    Ok(Arc::new(Clinic::new(knowledge(name)?)))
}

/// 0 threads mean one per core.
fn threads(asked: usize) -> usize {
    if asked == 0 { available_threads() } else { asked }
}

fn read_text(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("`{}` cannot be read as text", path.display()))
}

/// Prints a value as JSON over several lines.
fn print_json(value: &impl Serialize) -> Result<()> {
    print_line(&serde_json::to_string_pretty(value)?);
    Ok(())
}
