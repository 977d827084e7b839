//! Every task of the repository: `cargo xtask <task>`.
//!
//! Needs Rust and Node only; what else a task wants (the wasm32 target, npm packages, a browser for the page test) it
//! fetches or names in its error. Exit status: 0 fine, 1 a check failed, 2 could not run.
mod args;
mod check;
mod chromium;
mod console;
mod demo;
mod features;
mod fuzz;
mod golden;
mod kill_test;
mod process;
mod static_server;
mod tally;
mod toolchain;
mod trainer;
mod wasm;
mod web;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use args::{Arguments, Task};
use workspace::Workspace;

/// What a task that ran to its end found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Fine,
    CheckFailed,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match perform(arguments.task) {
        Ok(Verdict::Fine) => ExitCode::SUCCESS,
        Ok(Verdict::CheckFailed) => ExitCode::from(1),
        Err(error) => {
            console::error(&error);
            ExitCode::from(2)
        }
    }
}

fn perform(task: Task) -> Result<Verdict> {
    let workspace = Workspace::locate()?;
    match task {
        Task::Demo(options) => demo::demo(&workspace, &options),
        Task::Test(options) => check::test(&workspace, &options),
        Task::Wasm(options) => wasm::build(&workspace, &options),
        Task::Web => web::build_everything(&workspace),
        Task::Serve(options) => demo::serve(&workspace, &options),
        Task::Golden => golden::rewrite(&workspace),
        Task::Features => Ok(features::features(&workspace)),
        Task::Fuzz(options) => fuzz::fuzz(&workspace, &options),
        Task::KillTest(options) => kill_test::kill_test(&workspace, &options),
        Task::Screenshots(options) => web::screenshots(&workspace, &options),
    }
}
