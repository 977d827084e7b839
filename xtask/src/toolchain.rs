//! What the tasks need besides this checkout: Rust targets, Node, npm packages.
use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::console;
use crate::process;
use crate::workspace::Workspace;

/// The browser's target.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";
/// A target that has no standard library: what compiles for it uses none.
pub(crate) const BARE_TARGET: &str = "thumbv7em-none-eabihf";

/// The oldest Node (major, minor) whose features the page's tools use.
const OLDEST_NODE: (u32, u32) = (20, 19);

/// Installs the standard library of `target` with rustup when it is missing.
///
/// # Errors
/// When it is missing and rustup cannot add it.
pub(crate) fn ensure_target(workspace: &Workspace, target: &str) -> Result<()> {
    if has_target(workspace, target)? {
        return Ok(());
    }
    console::note(&format!("adding the Rust target {target}"));
    process::run(workspace.program("rustup").args(["target", "add", target]))
        .with_context(|| format!("the Rust target `{target}` is missing; add it: rustup target add {target}"))
}

/// True when the standard library of `target` is installed.
pub(crate) fn has_target(workspace: &Workspace, target: &str) -> Result<bool> {
    let folder = process::output(workspace.program("rustc").args(["--print", "target-libdir", "--target", target]))?;
    Ok(fs::read_dir(folder.trim()).is_ok_and(|mut entries| entries.next().is_some()))
}

/// The target this machine compiles for by default.
pub(crate) fn host_target(workspace: &Workspace) -> Result<String> {
    let version = process::output(workspace.program("rustc").arg("-vV"))?;
    version.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned).context("`rustc -vV` names no host")
}

/// Node at the root of the checkout.
pub(crate) fn node(workspace: &Workspace) -> Command {
    workspace.program("node")
}

/// npm in the page's folder.
pub(crate) fn npm<const N: usize>(workspace: &Workspace, arguments: [&str; N]) -> Command {
    let mut command = workspace.program(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command.current_dir(workspace.path("web")).args(arguments);
    command
}

/// Checks that Node is there and new enough.
///
/// # Errors
/// When it is not.
pub(crate) fn ensure_node(workspace: &Workspace) -> Result<()> {
    let (major, minor) = OLDEST_NODE;
    let wanted = format!("install Node {major}.{minor} or newer (https://nodejs.org)");
    let version = process::output(node(workspace).arg("--version")).context(wanted.clone())?;
    match parse_version(&version) {
        Some(found) if found >= OLDEST_NODE => Ok(()),
        _ => bail!("node `{}` is too old; {wanted}", version.trim()),
    }
}

/// Installs the page's npm packages at the locked versions unless they are there already.
///
/// # Errors
/// When Node is missing or npm fails.
pub(crate) fn ensure_npm_packages(workspace: &Workspace) -> Result<()> {
    ensure_node(workspace)?;
    let lock = fs::read(workspace.path("web/package-lock.json")).context("could not read web/package-lock.json")?;
    let stamp = workspace.path("web/node_modules/.installed-lock.json");
    if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    console::note("installing the page's npm packages");
    process::run(&mut npm(workspace, ["ci", "--no-audit", "--no-fund", "--prefer-offline"]))?;
    fs::write(&stamp, lock).with_context(|| format!("could not write `{}`", stamp.display()))
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.trim().trim_start_matches('v').split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_versions_compare_by_number_not_by_letter() {
        assert!(parse_version("v20.19.2\n") >= Some(OLDEST_NODE));
        assert!(parse_version("v20.9.0") < Some(OLDEST_NODE));
        assert_eq!(parse_version("nonsense"), None);
    }
}
