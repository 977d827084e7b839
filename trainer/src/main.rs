//! `workup`: parse, dispatch, turn what happened into an exit status. 0 fine, 1 a check failed, 2 could not run.

mod args;
mod commands;

use std::process::ExitCode;

use clap::Parser;
use workup_trainer::progress::{print_error, stdout_failure};

/// Tensors are made and dropped by the thousand a second; the system's allocator gives their memory back to the system every time.
#[cfg(feature = "learn")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What a command that ran to its end found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// All is well.
    Fine,
    /// It ran, and what it checks does not hold.
    CheckFailed,
}

fn main() -> ExitCode {
    let outcome = commands::run(args::Arguments::parse().command);
    let outcome = match stdout_failure() {
        Some(failure) => Err(anyhow::anyhow!("results could not be written to stdout: {failure}")),
        None => outcome,
    };
    match outcome {
        Ok(Verdict::Fine) => ExitCode::SUCCESS,
        Ok(Verdict::CheckFailed) => ExitCode::from(1),
        Err(error) => {
            print_error(&error);
            ExitCode::from(2)
        }
    }
}
