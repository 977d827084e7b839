//! Where things are: the checkout, build outputs, caches.
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// Paths every task shares.
#[derive(Debug)]
pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
    cache: Option<PathBuf>,
}

impl Workspace {
    /// Finds the checkout this command was built from.
    ///
    /// With `CI=true` build outputs and caches live under `~/.cache/workup`, so that a fresh checkout starts warm.
    pub(crate) fn locate() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("the xtask package has no parent folder")?
            .to_path_buf();
        let cache = is_ci().then(|| cache_folder(&root));
        let target = match env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => root.join(folder),
            None => cache.as_deref().unwrap_or(&root).join("target"),
        };
        Ok(Self { root, target, cache })
    }

    /// A path inside the checkout.
    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// A path inside cargo's output folder.
    pub(crate) fn target(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.target.join(relative)
    }

    /// A folder that may outlive this checkout under `CI=true`, inside the checkout otherwise.
    pub(crate) fn lasting(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.cache.as_deref().unwrap_or(&self.root).join(relative)
    }

    /// Cargo at the root of the checkout.
    pub(crate) fn cargo<const N: usize>(&self, arguments: [&str; N]) -> Command {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let mut command = self.program(cargo);
        command.args(arguments).env("CARGO_TARGET_DIR", &self.target);
        command
    }

    /// Any program at the root of the checkout.
    pub(crate) fn program(&self, name: impl Into<OsString>) -> Command {
        let mut command = Command::new(name.into());
        command.current_dir(&self.root);
        if let Some(cache) = &self.cache {
            command.env("npm_config_cache", cache.join("npm"));
        }
        command
    }
}

fn is_ci() -> bool {
    env::var_os("CI").is_some_and(|value| value == "true" || value == "1")
}

fn cache_folder(root: &Path) -> PathBuf {
    env::var_os("HOME").map_or_else(|| root.join(".cache/workup"), |home| Path::new(&home).join(".cache/workup"))
}
