//! Child processes: run one, watch its lines, turn a bad end into an error that names the command.
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Sender};
use std::thread;

use anyhow::{Context, Result, bail};

use crate::console;

/// Runs `command` on this terminal.
///
/// # Errors
/// When it cannot start or ends with another status than 0.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| could_not_start(command))?;
    if !status.success() {
        bail!("`{}` failed ({status})", describe(command));
    }
    Ok(())
}

/// Runs `command` and returns its standard output; its standard error stays on this terminal.
///
/// # Errors
/// When it cannot start, ends with another status than 0 or prints no UTF-8.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output().with_context(|| could_not_start(command))?;
    if !output.status.success() {
        bail!("`{}` failed ({})", describe(command), output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{}` printed no UTF-8", describe(command)))
}

/// True when `command` starts and ends with status 0; prints nothing.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Runs `command` and hands every line of both its outputs to `on_line`, which says whether to show it.
///
/// # Errors
/// When it cannot start or ends with another status than 0.
pub(crate) fn watch(command: &mut Command, mut on_line: impl FnMut(&str) -> bool) -> Result<()> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| could_not_start(command))?;
    let (sender, lines) = mpsc::channel();
    let streams: [Option<Box<dyn Read + Send>>; 2] =
        [child.stdout.take().map(|s| Box::new(s) as _), child.stderr.take().map(|s| Box::new(s) as _)];
    for stream in streams.into_iter().flatten() {
        let sender = sender.clone();
        thread::spawn(move || send_lines(stream, &sender));
    }
    drop(sender);
    for line in lines {
        if on_line(&line) {
            console::note(&line);
        }
    }
    let status = child.wait().with_context(|| could_not_start(command))?;
    if !status.success() {
        bail!("`{}` failed ({status})", describe(command));
    }
    Ok(())
}

fn send_lines(stream: impl Read, sender: &Sender<String>) {
    let mut reader = BufReader::new(stream);
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes).is_ok_and(|count| count > 0) {
        let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
        if sender.send(line).is_err() {
            return;
        }
        bytes.clear();
    }
}

/// The command as one would type it.
pub(crate) fn describe(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|word| word.to_string_lossy().into_owned()));
    words.join(" ")
}

fn could_not_start(command: &Command) -> String {
    format!("could not run `{}`", describe(command))
}
