//! The `workup` command, built for speed and called as a process.
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::process;
use crate::workspace::Workspace;

/// A built `workup`.
#[derive(Debug)]
pub(crate) struct Trainer {
    binary: PathBuf,
}

impl Trainer {
    /// Builds `workup` with the release profile, showing cargo's progress.
    ///
    /// # Errors
    /// When it does not compile.
    pub(crate) fn build(workspace: &Workspace) -> Result<Self> {
        process::run(&mut workspace.cargo(["build", "--release", "--package", "workup-trainer", "--bin", "workup"]))?;
        Ok(Self {
            binary: workspace.target(Path::new("release").join(format!("workup{}", std::env::consts::EXE_SUFFIX))),
        })
    }

    /// `workup COMMAND...` at the root of the checkout.
    pub(crate) fn command<const N: usize>(&self, workspace: &Workspace, arguments: [&str; N]) -> Command {
        let mut command = workspace.program(self.binary.clone());
        command.args(arguments);
        command
    }
}
