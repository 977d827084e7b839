//! Finding a Chromium for the page test, installing one where that is possible.
use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::console;
use crate::process;
use crate::workspace::Workspace;

/// Lines of apt-get shown when it fails.
const LAST_LINES: usize = 8;
const NAMES: [&str; 5] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
#[cfg(target_os = "macos")]
const WELL_KNOWN: [&str; 2] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
#[cfg(not(target_os = "macos"))]
const WELL_KNOWN: [&str; 0] = [];

/// The browser to drive: `CHROME`, else one on PATH, else one installed with apt-get.
///
/// # Errors
/// When `CHROME` names no file, or none is found and none can be installed.
pub(crate) fn ensure_chromium(workspace: &Workspace) -> Result<PathBuf> {
    if let Some(named) = env::var_os("CHROME").filter(|name| !name.is_empty()) {
        let path = PathBuf::from(named);
        if !path.is_file() {
            bail!("CHROME is `{}`, which is no file; set it to a Chromium or unset it", path.display());
        }
        return Ok(path);
    }
    if let Some(found) = find() {
        return Ok(found);
    }
    install(workspace).context(
        "no Chromium found; install one (Debian: apt-get install chromium) or set CHROME=/path/to/chrome; \
         or leave the step out: cargo xtask test --skip page",
    )?;
    find().context("apt-get installed no Chromium; set CHROME=/path/to/chrome")
}

fn find() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).flat_map(|folder| NAMES.map(|name| folder.join(name)));
    on_path.chain(WELL_KNOWN.map(PathBuf::from)).find(|candidate| candidate.is_file())
}

fn install(workspace: &Workspace) -> Result<()> {
    let apt = Path::new("/usr/bin/apt-get");
    if !apt.is_file() {
        bail!("this system has no apt-get");
    }
    let as_root = process::output(workspace.program("id").arg("-u"))?.trim() == "0";
    console::note("installing Chromium with apt-get");
    for arguments in [
        &["update", "-qq"][..],
        &["install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core"][..],
    ] {
        let mut command = if as_root {
            workspace.program(apt)
        } else {
            let mut sudo = workspace.program("sudo");
            sudo.args(["--non-interactive", "apt-get"]);
            sudo
        };
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        let mut said = Vec::new();
        let keep = |line: &str| {
            said.push(line.to_owned());
            false
        };
        let outcome = process::watch(&mut command, keep);
        if outcome.is_err() {
            said[said.len().saturating_sub(LAST_LINES)..].iter().for_each(|line| console::note(line));
        }
        outcome?;
    }
    Ok(())
}
