//! The only file that prints results: lines on stdout, errors on stderr.
#![allow(clippy::print_stderr, reason = "this is where errors are printed")]

use std::{
    io::{self, Write},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

/// The first failure to write to stdout.
static FAILURE: OnceLock<io::Error> = OnceLock::new();
/// Whether whoever read stdout went away.
static READER_LEFT: AtomicBool = AtomicBool::new(false);

/// Prints a line on stdout. A reader that went away is no error ([`is_heard`]); any other failure is kept for
/// [`stdout_failure`], which the exit status has to tell.
pub(crate) fn print_line(line: &str) {
    print(&format!("{line}\n"));
}

/// Prints a prompt without a line end, and shows it at once.
pub(crate) fn print_prompt(prompt: &str) {
    print(prompt);
}

fn print(text: &str) {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => READER_LEFT.store(true, Ordering::Relaxed),
        Err(error) => {
            let _ = FAILURE.set(error);
        }
    }
}

/// Whether somebody still reads stdout: work that only prints may stop when nobody does.
pub(crate) fn is_heard() -> bool {
    !READER_LEFT.load(Ordering::Relaxed) && FAILURE.get().is_none()
}

/// Why results did not reach stdout, if they did not.
pub(crate) fn stdout_failure() -> Option<&'static io::Error> {
    FAILURE.get()
}

/// Prints an error with its causes on stderr, one below the other.
pub(crate) fn print_error(error: &anyhow::Error) {
    eprintln!("error: {error}");
    for cause in error.chain().skip(1) {
        eprintln!("  because: {cause}");
    }
}
