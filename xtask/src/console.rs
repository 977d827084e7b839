//! The only file that prints. Notes go to stderr, results to stdout.
#![allow(clippy::print_stdout, clippy::print_stderr)]
use std::io::Write;

/// A line for the person watching, on stderr.
pub(crate) fn note(line: &str) {
    eprintln!("{line}");
}

/// A line of result, on stdout.
pub(crate) fn result(line: &str) {
    println!("{line}");
    // A closed pipe (`| head`) is no reason to fail a task.
    let _ = std::io::stdout().flush();
}

/// An error and its causes, one a line, on stderr.
pub(crate) fn error(error: &anyhow::Error) {
    eprintln!("error: {error}");
    for cause in error.chain().skip(1) {
        eprintln!("  because {cause}");
    }
}
