//! The wasm packages: compile for wasm32, then write the JavaScript glue.
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use clap::ValueEnum;

use crate::Verdict;
use crate::args::WasmOptions;
use crate::console;
use crate::process;
use crate::toolchain::{self, WASM_TARGET};
use crate::workspace::Workspace;

/// Makes `web/pkg/clinic` a package that other projects can install from its folder.
const CLINIC_MANIFEST: &str = concat!(
    r#"{
  "name": "workup-clinic",
  "version": ""#,
    env!("CARGO_PKG_VERSION"),
    r#"",
  "description": "Workup: a simulated clinic with an exact referee",
  "license": "MIT OR Apache-2.0",
  "type": "module",
  "main": "clinic.js",
  "types": "clinic.d.ts",
  "files": ["clinic.js", "clinic.d.ts", "clinic_bg.wasm", "clinic_bg.wasm.d.ts"]
}
"#
);

/// What the browser loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Package {
    /// The clinic alone: small, loaded at once.
    Clinic,
    /// The clinic with the network (Burn): loaded when somebody asks for the agent.
    Agent,
}

impl Package {
    const ALL: [Self; 2] = [Self::Clinic, Self::Agent];

    fn name(self) -> &'static str {
        match self {
            Self::Clinic => "clinic",
            Self::Agent => "agent",
        }
    }

    fn folder(self) -> &'static str {
        match self {
            Self::Clinic => "web/pkg/clinic",
            Self::Agent => "web/public/agent",
        }
    }

    fn features(self) -> &'static [&'static str] {
        match self {
            Self::Clinic => &[],
            Self::Agent => &["--features", "agent"],
        }
    }
}

/// `cargo xtask wasm`
pub(crate) fn build(workspace: &Workspace, options: &WasmOptions) -> Result<Verdict> {
    for package in Package::ALL {
        if options.only.is_none_or(|only| only == package) {
            build_package(workspace, package)?;
        }
    }
    Ok(Verdict::Fine)
}

/// Builds one package: `clinic` into `web/pkg/clinic`, from where the page's build takes it; `agent` into
/// `web/public/agent` and a page that is already built, because the page loads it by address when somebody asks for it.
///
/// # Errors
/// When the target cannot be added, the code does not compile or the glue cannot be written.
pub(crate) fn build_package(workspace: &Workspace, package: Package) -> Result<()> {
    toolchain::ensure_target(workspace, WASM_TARGET)?;
    let mut compile =
        workspace.cargo(["build", "--package", "workup-wasm", "--profile", "wasm", "--target", WASM_TARGET]);
    process::run(compile.args(package.features()))?;

    let compiled = workspace.target(format!("{WASM_TARGET}/wasm/workup_wasm.wasm"));
    write_glue(workspace, package, &compiled, &workspace.path(package.folder()))?;
    let page = workspace.path("web/dist");
    if package == Package::Agent && page.is_dir() {
        write_glue(workspace, package, &compiled, &page.join("agent"))?;
    }
    Ok(())
}

fn write_glue(workspace: &Workspace, package: Package, compiled: &Path, out: &Path) -> Result<()> {
    let mut glue = workspace.cargo(["run", "--quiet", "--package", "xtask-bindgen", "--"]);
    process::run(glue.arg(compiled).arg(out).arg(package.name()))?;
    if package == Package::Clinic {
        fs::write(out.join("package.json"), CLINIC_MANIFEST)
            .with_context(|| format!("no manifest could be written to `{}`", out.display()))?;
    }
    let bytes = fs::metadata(out.join(format!("{}_bg.wasm", package.name())))
        .with_context(|| format!("no module was written to `{}`", out.display()))?
        .len();
    console::note(&format!(
        "{}: {} kB",
        out.strip_prefix(workspace.path("")).unwrap_or(out).display(),
        bytes.div_ceil(1000)
    ));
    Ok(())
}
