//! `workup`: parse, dispatch, turn what happened into an exit status. 0 fine, 1 a check failed, 2 could not run.

mod args;
mod commands;
mod output;
mod parse;

use std::process::ExitCode;

use clap::Parser;
use output::{print_error, stdout_failure};

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
    if let Err(error) = &outcome {
        print_error(error);
    }
    if let Some(failure) = stdout_failure() {
        print_error(&anyhow::anyhow!("results could not be written to stdout: {failure}"));
        return ExitCode::from(2);
    }
    match outcome {
        Ok(Verdict::Fine) => ExitCode::SUCCESS,
        Ok(Verdict::CheckFailed) => ExitCode::from(1),
        Err(_) => ExitCode::from(2),
    }
}
