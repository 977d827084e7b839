//! Type-checks the features that the everyday checks leave out because their dependencies are heavy.
use crate::Verdict;
use crate::console;
use crate::process;
use crate::tally::Tally;
use crate::workspace::Workspace;

/// A way to build the trainer.
struct Combination {
    arguments: &'static [&'static str],
    /// Burn's CUDA build wants to download LLVM; documentation builds, which only check types, do without.
    as_documentation: bool,
}

const COMBINATIONS: [Combination; 4] = [
    Combination { arguments: &["--no-default-features"], as_documentation: false },
    Combination { arguments: &["--no-default-features", "--features", "learn"], as_documentation: false },
    Combination { arguments: &["--features", "wgpu,vulkan"], as_documentation: false },
    Combination { arguments: &["--features", "cuda"], as_documentation: true },
];

/// `cargo xtask features`
pub(crate) fn features(workspace: &Workspace) -> Verdict {
    let mut tally = Tally::default();
    for Combination { arguments, as_documentation } in COMBINATIONS {
        let mut command = workspace.cargo(["check", "--package", "workup-trainer"]);
        command.args(arguments);
        if as_documentation {
            command.env("DOCS_RS", "1");
        }
        match process::run(&mut command) {
            Ok(()) => tally.passed += 1,
            Err(error) => {
                console::error(&error);
                tally.failed += 1;
            }
        }
    }
    console::result(&tally.to_string());
    if tally.failed == 0 { Verdict::Fine } else { Verdict::CheckFailed }
}
