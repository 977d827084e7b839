//! What a person sees while work goes on: a bar on stderr, lines on stdout. The only file that prints.
//!
//! The library reports through [`Progress`] and stays silent by itself; bars disappear when stderr is no terminal.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is where everything is printed")]

use std::{
    io::{self, Write},
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

/// Receives how far long work has come.
pub trait Progress: Sync {
    /// Begins a stage of `total` pieces.
    fn start(&self, stage: &str, total: u64);
    /// Reports pieces done since the last call.
    fn advance(&self, pieces: u64);
    /// Replaces the short status behind the bar.
    fn status(&self, text: &str);
    /// Ends the stage.
    fn finish(&self);
    /// A line that stays: on stderr, above the bar.
    fn note(&self, line: &str);
}

/// Says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn start(&self, _stage: &str, _total: u64) {}
    fn advance(&self, _pieces: u64) {}
    fn status(&self, _text: &str) {}
    fn finish(&self) {}
    fn note(&self, _line: &str) {}
}

/// A bar on stderr.
#[derive(Debug, Default)]
pub struct Terminal {
    bar: Mutex<Option<ProgressBar>>,
}

impl Terminal {
    fn with_bar(&self, action: impl FnOnce(&ProgressBar)) {
        if let Ok(bar) = self.bar.lock()
            && let Some(bar) = bar.as_ref()
        {
            action(bar);
        }
    }

    fn replace(&self, next: Option<ProgressBar>) {
        if let Ok(mut bar) = self.bar.lock() {
            if let Some(before) = bar.take() {
                before.finish_and_clear();
            }
            *bar = next;
        }
    }
}

impl Progress for Terminal {
    fn start(&self, stage: &str, total: u64) {
        let bar = ProgressBar::new(total);
        let template = "{prefix:<18} [{bar:32}] {pos}/{len}  {per_sec}  ETA {eta}  {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_prefix(stage.to_owned());
        bar.enable_steady_tick(Duration::from_millis(250));
        self.replace(Some(bar));
    }

    fn advance(&self, pieces: u64) {
        self.with_bar(|bar| bar.inc(pieces));
    }

    fn status(&self, text: &str) {
        self.with_bar(|bar| bar.set_message(text.to_owned()));
    }

    fn finish(&self) {
        self.replace(None);
    }

    fn note(&self, line: &str) {
        let mut shown = false;
        self.with_bar(|bar| {
            if !bar.is_hidden() {
                bar.println(line);
                shown = true;
            }
        });
        if !shown {
            eprintln!("{line}");
        }
    }
}

/// The first failure to write to stdout.
static FAILURE: OnceLock<io::Error> = OnceLock::new();
/// Whether whoever read stdout went away.
static READER_LEFT: AtomicBool = AtomicBool::new(false);

/// Prints a line on stdout. A reader that went away is no error ([`is_heard`]); any other failure is kept for
/// [`stdout_failure`], which the exit status has to tell.
pub fn print_line(line: &str) {
    print(&format!("{line}\n"));
}

/// Prints a prompt without a line end, and shows it at once.
pub fn print_prompt(prompt: &str) {
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
pub fn is_heard() -> bool {
    !READER_LEFT.load(Ordering::Relaxed) && FAILURE.get().is_none()
}

/// Why results did not reach stdout, if they did not.
pub fn stdout_failure() -> Option<&'static io::Error> {
    FAILURE.get()
}

/// Prints an error with its causes on stderr, one below the other.
pub fn print_error(error: &anyhow::Error) {
    eprintln!("error: {error}");
    for cause in error.chain().skip(1) {
        eprintln!("  because: {cause}");
    }
}
