//! The metrics of a run as JSONL: one line per step, and on resume exactly the lines up to the checkpoint.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::Path,
};

use serde_json::{Map, Value};
use workup_learn::Metrics;

/// An open metrics file.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
}

impl Journal {
    /// Opens `path` for the steps after `step`: lines of later steps and a half-written last line are cut off.
    pub(crate) fn open(path: &Path, step: u64) -> io::Result<Self> {
        let kept = match fs::read_to_string(path) {
            Ok(text) => kept_len(&text, step),
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(error) => return Err(error),
        };
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        file.set_len(kept as u64)?;
        Ok(Self { file })
    }

    /// Appends the line of one step in one write.
    pub(crate) fn write(&mut self, step: u64, metrics: &Metrics) -> io::Result<()> {
        let mut line = Map::new();
        line.insert("step".to_owned(), step.into());
        for (name, value) in &metrics.0 {
            line.insert(name.clone(), Value::from(*value));
        }
        let mut text = Value::Object(line).to_string();
        text.push('\n');
        self.file.write_all(text.as_bytes())
    }

    /// Waits until everything is on the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// Bytes of the lines whose `step` is at most `step`, up to the first line that is not one.
fn kept_len(text: &str, step: u64) -> usize {
    let mut kept = 0;
    for line in text.split_inclusive('\n') {
        let parsed: Option<Value> = line.strip_suffix('\n').and_then(|line| serde_json::from_str(line).ok());
        match parsed.and_then(|line| line["step"].as_u64()) {
            Some(number) if number <= step => kept += line.len(),
            _ => break,
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_behind_the_checkpoint_and_half_lines_are_cut() {
        let text = "{\"step\":1}\n{\"step\":2}\n{\"step\":3}\n{\"st";
        assert_eq!(kept_len(text, 2), 22);
        assert_eq!(kept_len(text, 9), 33);
        assert_eq!(kept_len(text, 0), 0);
        assert_eq!(kept_len("", 4), 0);
    }
}
