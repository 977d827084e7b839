//! Rewriting golden files, only ever on request.
use anyhow::Result;

use crate::Verdict;
use crate::console;
use crate::process;
use crate::workspace::Workspace;

/// The variable that tells the tests to write what they would compare.
const REWRITE: &str = "WORKUP_REWRITE_GOLDEN";

/// `cargo xtask golden`: runs the tests that hold goldens in rewriting mode, then shows what moved.
pub(crate) fn rewrite(workspace: &Workspace) -> Result<Verdict> {
    process::run(workspace.cargo(["test", "--quiet", "--package", "workup-tests", "golden"]).env(REWRITE, "1"))?;
    console::note("moved goldens (none when nothing follows):");
    process::run(workspace.program("git").args(["--no-pager", "diff", "--stat", "--", "tests/golden"]))?;
    Ok(Verdict::Fine)
}
