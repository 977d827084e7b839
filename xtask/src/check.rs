//! `cargo xtask test`: every check of the repository in one order, cheapest first.
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::Verdict;
use crate::args::{FuzzOptions, TestOptions, WasmOptions};
use crate::chromium;
use crate::console;
use crate::fuzz;
use crate::process;
use crate::tally::Tally;
use crate::toolchain::{self, BARE_TARGET, WASM_TARGET};
use crate::wasm;
use crate::web;
use crate::workspace::Workspace;

/// One check with a name.
struct Step {
    name: &'static str,
    about: &'static str,
    perform: fn(&Check) -> Result<Tally>,
}

/// What every step gets.
struct Check<'a> {
    workspace: &'a Workspace,
    options: &'a TestOptions,
}

const STEPS: [Step; 12] = [
    Step { name: "format", about: "rustfmt would change nothing", perform: format },
    Step { name: "lints", about: "clippy without warnings, all packages", perform: lints },
    Step { name: "no-std", about: "the core compiles where there is no standard library", perform: no_std },
    Step { name: "lints-wasm", about: "clippy without warnings, what runs in a browser", perform: lints_wasm },
    Step { name: "docs", about: "rustdoc without warnings", perform: docs },
    Step { name: "tests", about: "unit and property tests of clinic, bindings and tasks", perform: tests },
    Step { name: "trainer", about: "tests of model, learning and the workup command", perform: trainer_tests },
    Step { name: "wasm", about: "the wasm packages build", perform: wasm_packages },
    Step { name: "parity", about: "wasm in Node gives the native goldens", perform: parity },
    Step { name: "web", about: "types, unit tests and build of the page", perform: page_build },
    Step { name: "page", about: "the page driven in a real Chromium", perform: page_in_browser },
    Step { name: "fuzz", about: "no input breaks a parser", perform: fuzzing },
];

/// `cargo xtask test`
pub(crate) fn test(workspace: &Workspace, options: &TestOptions) -> Result<Verdict> {
    let steps = select(options)?;
    if options.list {
        for step in steps {
            console::result(&format!("{:<11} {}", step.name, step.about));
        }
        return Ok(Verdict::Fine);
    }
    let check = Check { workspace, options };
    let (mut total, mut times) = (Tally::default(), Vec::new());
    let mut verdict = Verdict::Fine;
    for (index, step) in steps.iter().enumerate() {
        console::note(&format!("\n[{}/{}] {}: {}", index + 1, steps.len(), step.name, step.about));
        let start = Instant::now();
        let outcome = (step.perform)(&check);
        times.push((step.name, start.elapsed()));
        match outcome {
            Ok(tally) if tally.failed == 0 => total.add(tally),
            Ok(tally) => {
                total.add(tally);
                verdict = Verdict::CheckFailed;
            }
            Err(error) => {
                console::error(&error);
                total.add(Tally { passed: 0, failed: 1 });
                verdict = Verdict::CheckFailed;
            }
        }
        if verdict == Verdict::CheckFailed {
            console::note(&format!("step `{0}` failed; repeat it alone: cargo xtask test --only {0}", step.name));
            break;
        }
    }
    report_times(&times);
    console::result(&total.to_string());
    Ok(verdict)
}

fn select(options: &TestOptions) -> Result<Vec<&'static Step>> {
    for name in options.only.iter().chain(&options.skip) {
        if STEPS.iter().all(|step| step.name != name) {
            bail!("no step `{name}`; see cargo xtask test --list");
        }
    }
    let wanted = |step: &&Step| {
        let named = |names: &[String]| names.iter().any(|name| name == step.name);
        (options.only.is_empty() || named(&options.only)) && !named(&options.skip)
    };
    let chosen: Vec<_> = STEPS.iter().filter(wanted).collect();
    if chosen.is_empty() {
        bail!("--only and --skip leave no step to run");
    }
    Ok(chosen)
}

fn report_times(times: &[(&str, Duration)]) {
    console::note("");
    for (name, time) in times {
        console::note(&format!("{name:<11} {:>7.1} s", time.as_secs_f64()));
    }
    let sum: Duration = times.iter().map(|(_, time)| *time).sum();
    console::note(&format!("{:<11} {:>7.1} s", "all", sum.as_secs_f64()));
}

/// Runs a command that passes or fails as one.
fn pass_or_fail(command: &mut Command) -> Result<Tally> {
    process::run(command)?;
    Ok(Tally { passed: 1, failed: 0 })
}

/// Runs test runners and counts what their closing lines say.
fn counted(command: &mut Command) -> Result<Tally> {
    let mut tally = Tally::default();
    let outcome = process::watch(command, |line| {
        tally.read(line);
        true
    });
    match outcome {
        Err(error) if tally.failed == 0 => Err(error),
        Ok(()) if tally == Tally::default() => bail!("`{}` reported no test", process::describe(command)),
        _ => Ok(tally),
    }
}

fn format(check: &Check) -> Result<Tally> {
    let mut tally = pass_or_fail(&mut check.workspace.cargo(["fmt", "--all", "--check"]))?;
    let fuzz = ["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"];
    tally.add(pass_or_fail(&mut check.workspace.cargo(fuzz))?);
    Ok(tally)
}

fn lints(check: &Check) -> Result<Tally> {
    pass_or_fail(&mut check.workspace.cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

fn lints_wasm(check: &Check) -> Result<Tally> {
    toolchain::ensure_target(check.workspace, WASM_TARGET)?;
    let mut command = check.workspace.cargo(["clippy", "--target", WASM_TARGET]);
    for package in ["workup-core", "workup-model", "workup-learn", "workup-wasm"] {
        command.args(["--package", package]);
    }
    pass_or_fail(command.args(["--features", "workup-wasm/agent", "--", "-D", "warnings"]))
}

fn docs(check: &Check) -> Result<Tally> {
    let mut command = check.workspace.cargo(["doc", "--workspace", "--no-deps"]);
    pass_or_fail(command.env("RUSTDOCFLAGS", "-D warnings"))
}

fn no_std(check: &Check) -> Result<Tally> {
    let mut command = check.workspace.cargo(["check", "--package", "workup-core", "--target", BARE_TARGET]);
    if toolchain::ensure_target(check.workspace, BARE_TARGET).is_err() {
        console::note("building core and alloc from source instead (needs the rust-src component)");
        command.arg("-Zbuild-std=core,alloc").env("RUSTC_BOOTSTRAP", "1");
    }
    pass_or_fail(&mut command)
}

fn tests(check: &Check) -> Result<Tally> {
    run_tests(
        check,
        &["--package", "workup-core", "--package", "workup-wasm", "--package", "xtask", "--package", "workup-tests"],
    )
}

fn trainer_tests(check: &Check) -> Result<Tally> {
    run_tests(check, &["--package", "workup-model", "--package", "workup-learn", "--package", "workup-trainer"])
}

fn run_tests(check: &Check, packages: &[&str]) -> Result<Tally> {
    let has_nextest = process::succeeds(&mut check.workspace.cargo(["nextest", "--version"]));
    let mut command = if has_nextest {
        check.workspace.cargo(["nextest", "run", "--no-tests=pass", "--status-level=slow", "--no-fail-fast"])
    } else {
        check.workspace.cargo(["test", "--no-fail-fast"])
    };
    counted(command.args(packages))
}

fn wasm_packages(check: &Check) -> Result<Tally> {
    wasm::build(check.workspace, &WasmOptions::default())?;
    Ok(Tally { passed: 1, failed: 0 })
}

fn parity(check: &Check) -> Result<Tally> {
    toolchain::ensure_node(check.workspace)?;
    counted(toolchain::node(check.workspace).args(["tests/parity.mjs", "--golden"]))
}

fn page_build(check: &Check) -> Result<Tally> {
    toolchain::ensure_npm_packages(check.workspace)?;
    let mut tally = pass_or_fail(&mut toolchain::npm(check.workspace, ["run", "--silent", "check"]))?;
    tally.add(counted(&mut toolchain::npm(check.workspace, ["run", "--silent", "test"]))?);
    web::build(check.workspace)?;
    Ok(tally)
}

fn page_in_browser(check: &Check) -> Result<Tally> {
    let chromium = chromium::ensure_chromium(check.workspace).context("the page test needs a browser")?;
    counted(toolchain::node(check.workspace).arg("tests/browser.mjs").env("CHROME", chromium))
}

fn fuzzing(check: &Check) -> Result<Tally> {
    let options = FuzzOptions { seconds: check.options.fuzz_seconds, target: None, jobs: 0 };
    fuzz::fuzz_targets(check.workspace, &options)
}

#[cfg(test)]
mod unit {
    use super::*;

    fn options(only: &[&str], skip: &[&str]) -> TestOptions {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        TestOptions { only: owned(only), skip: owned(skip), list: false, fuzz_seconds: 1 }
    }

    fn names(only: &[&str], skip: &[&str]) -> Vec<&'static str> {
        select(&options(only, skip)).expect("known names").iter().map(|step| step.name).collect()
    }

    #[test]
    fn steps_keep_their_order_whatever_the_selection() {
        assert_eq!(names(&["web", "format"], &[]), ["format", "web"]);
        assert_eq!(names(&["web", "format"], &["web"]), ["format"]);
        assert_eq!(names(&[], &[]).len(), STEPS.len());
    }

    #[test]
    fn an_unknown_step_is_an_error_not_an_empty_run() {
        assert!(select(&options(&["formt"], &[])).is_err());
        assert!(select(&options(&[], &["formt"])).is_err());
    }
}
