//! The page: packages, checks, build, pictures.
use anyhow::Result;

use crate::Verdict;
use crate::args::{ScreenshotOptions, WasmOptions};
use crate::chromium;
use crate::process;
use crate::toolchain;
use crate::wasm;
use crate::workspace::Workspace;

/// `cargo xtask web`: wasm packages, then the page.
pub(crate) fn build_everything(workspace: &Workspace) -> Result<Verdict> {
    wasm::build(workspace, &WasmOptions::default())?;
    build(workspace)?;
    Ok(Verdict::Fine)
}

/// Builds the page into `web/dist` from the wasm packages in `web/pkg`.
///
/// # Errors
/// When npm or the build fails.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    toolchain::ensure_npm_packages(workspace)?;
    process::run(&mut toolchain::npm(workspace, ["run", "--silent", "build"]))
}

/// `cargo xtask screenshots`
pub(crate) fn screenshots(workspace: &Workspace, options: &ScreenshotOptions) -> Result<Verdict> {
    build_everything(workspace)?;
    let chromium = chromium::ensure_chromium(workspace)?;
    let mut command = toolchain::node(workspace);
    command.arg("tests/screenshots.mjs").arg(workspace.path(&options.out)).env("CHROME", chromium);
    process::run(&mut command)?;
    Ok(Verdict::Fine)
}
