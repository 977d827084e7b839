//! The only file that prints. Notes go to stderr, results to stdout.
use std::io::Write;

/// A line for the person watching, on stderr.
pub(crate) fn note(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A line of result, on stdout.
pub(crate) fn result(line: &str) {
    let mut out = std::io::stdout().lock();
    // A closed pipe (`| head`) is no reason to fail a task.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// An error and its causes, one a line, on stderr.
pub(crate) fn error(error: &anyhow::Error) {
    note(&format!("error: {error}"));
    for cause in error.chain().skip(1) {
        note(&format!("  because {cause}"));
    }
}
