//! What a person sees while work goes on: a bar on stderr, and lines above it.
//!
//! The library reports through [`Progress`] and stays silent by itself; bars disappear when stderr is no terminal.
#![allow(clippy::print_stderr, reason = "notes of long work go to stderr")]

use std::{sync::Mutex, time::Duration};

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
