//! The command line, and nothing else.
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Build, play, train and check Workup, a clinic in a box.
///
/// Two commands do everything on a machine that has Rust and Node: `cargo xtask demo` shows it, `cargo xtask test`
/// checks it. The others are their parts.
#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    after_help = "Exit status: 0 fine, 1 a check failed, 2 could not run.\n\
                  Simulator for research and teaching. Not medical advice."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) task: Task,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Serve the page, then train the quick preset and print the evaluation table.
    ///
    /// Builds the wasm packages and the page, serves it on loopback and prints the address; meanwhile trains the quick
    /// preset with progress and prints the table. The page offers the fresh agent when it is done. Goes on serving until
    /// Ctrl-C.
    Demo(DemoOptions),
    /// Run every check, cheapest first; stop at the first that fails.
    ///
    /// Formatting, lints (host and wasm32), docs, the core without std, tests, trainer tests, wasm in Node against native
    /// goldens, the page's types, tests and build, fuzzing, the page in a real Chromium. The last line is the sum:
    /// `N passed, N failed`. With CI=true build outputs and caches live under ~/.cache/workup.
    Test(TestOptions),
    /// Build the wasm packages into web/pkg: `clinic` (no network) and, loaded lazily, `agent` (with Burn).
    Wasm(WasmOptions),
    /// Build the wasm packages and the page into web/dist, a static site for any host.
    Web,
    /// Build what is missing and serve the page on loopback until Ctrl-C.
    Serve(ServeOptions),
    /// Rewrite the golden files from what the code does now.
    ///
    /// Read the difference before you commit it: a moved golden is a commit of its own, says which behaviour changed and
    /// raises the engine version.
    Golden,
    /// Type-check the trainer without Burn, without a backend, with wgpu and with CUDA.
    ///
    /// Minutes on a cold cache, hence no part of `test`. CUDA needs no toolkit here: types are checked as for documentation.
    Features,
    /// Fuzz the parsers of everything that comes from outside.
    ///
    /// Coverage-guided, on stable Rust. A crash leaves its input under fuzz/artifacts/TARGET and exits with 1; what was
    /// learned stays in fuzz/corpus.
    Fuzz(FuzzOptions),
    /// Kill `workup dapo` at random moments, resume, and demand the bytes of an undisturbed run.
    KillTest(KillTestOptions),
    /// Photograph the page at 1280 and 390 pixels, light and dark, into screenshots/.
    Screenshots(ScreenshotOptions),
}

#[derive(Debug, Args)]
pub(crate) struct DemoOptions {
    /// Build, train and print, but serve nothing: for scripts.
    #[arg(long)]
    pub(crate) no_serve: bool,
    /// Only look: serve the page with the shipped agent.
    #[arg(long)]
    pub(crate) skip_train: bool,
    /// Port on 127.0.0.1; another free one is taken when it is busy.
    #[arg(long, default_value_t = 8321)]
    pub(crate) port: u16,
    /// Where training writes checkpoints, metrics and the exported agent.
    #[arg(long, default_value = "out/demo")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct TestOptions {
    /// Run only these steps, comma separated (names: --list).
    #[arg(long, value_delimiter = ',', value_name = "STEP")]
    pub(crate) only: Vec<String>,
    /// Leave these steps out, comma separated.
    #[arg(long, value_delimiter = ',', value_name = "STEP")]
    pub(crate) skip: Vec<String>,
    /// Print the names of the steps and what they check.
    #[arg(long)]
    pub(crate) list: bool,
    /// Seconds of fuzzing per target.
    #[arg(long, default_value_t = 30, value_name = "SECONDS")]
    pub(crate) fuzz_seconds: u32,
}

#[derive(Debug, Default, Args)]
pub(crate) struct WasmOptions {
    /// Build only this package.
    #[arg(long, value_enum)]
    pub(crate) only: Option<crate::wasm::Package>,
}

#[derive(Debug, Args)]
pub(crate) struct ServeOptions {
    /// Port on 127.0.0.1; another free one is taken when it is busy.
    #[arg(long, default_value_t = 8321)]
    pub(crate) port: u16,
    /// Serve web/dist as it is.
    #[arg(long)]
    pub(crate) no_build: bool,
    /// A training output to offer in the page beside the shipped agent.
    #[arg(long, value_name = "DIR", default_value = "out/demo")]
    pub(crate) fresh: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct FuzzOptions {
    /// Seconds per target.
    #[arg(long, default_value_t = 60)]
    pub(crate) seconds: u32,
    /// Fuzz only this target; without it, all of them.
    #[arg(long)]
    pub(crate) target: Option<String>,
    /// Targets fuzzed at the same time; 0 is one per core.
    #[arg(long, default_value_t = 0)]
    pub(crate) jobs: usize,
}

#[derive(Debug, Args)]
pub(crate) struct KillTestOptions {
    /// How many times to kill the run.
    #[arg(long, default_value_t = 20)]
    pub(crate) points: u32,
    /// DAPO steps of the run.
    #[arg(long, default_value_t = 12)]
    pub(crate) steps: u32,
    /// Seed of the run and of the moments at which it is killed.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Where both runs are written; emptied first.
    #[arg(long, default_value = "out/kill-test")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ScreenshotOptions {
    /// Where the pictures go.
    #[arg(long, default_value = "screenshots")]
    pub(crate) out: PathBuf,
}
