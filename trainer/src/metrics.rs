//! JSONL metrics: one object per step, the same keys in every line, complete lines only.
//!
//! A line is appended in one write; a run that was killed may leave half a line, which [`MetricsFile::resume`] cuts off together with
//! everything after the step that is resumed.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};

use crate::atomic_file::write_atomically;

/// Key of the step number.
pub const STEP: &str = "step";
/// Keys that measure time and are ignored in comparisons begin with one of these.
pub const TIMING_PREFIXES: [&str; 2] = ["timing_s/", "perf/"];

/// Why metrics could not be written or compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MetricsError {
    /// The file cannot be read or written.
    #[error("metrics file `{}` cannot be read or written", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line that is no JSON object.
    #[error("`{}`, line `{line}`: no JSON object: cut the file there", path.display())]
    NotJson {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
    },
    /// Keys that differ from those of the first line.
    #[error("metrics of step `{step}` have other keys than the first: `{key}` is extra or missing")]
    OtherKeys {
        /// Step.
        step: u64,
        /// A key that stands on one side only.
        key: String,
    },
}

/// A file of metrics that grows.
#[derive(Debug)]
pub struct MetricsFile {
    path: PathBuf,
    file: File,
    keys: Option<BTreeSet<String>>,
}

impl MetricsFile {
    /// An empty file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(path: &Path) -> Result<Self, MetricsError> {
        write_atomically(path, b"").map_err(|source| failed(path, source))?;
        Self::open(path, None)
    }

    /// The file as it was after `last_step`: later and unfinished lines are cut off. Created when it does not exist.
    ///
    /// # Errors
    /// When it cannot be read or written, or an earlier line is no JSON.
    pub fn resume(path: &Path, last_step: u64) -> Result<Self, MetricsError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Self::create(path),
            Err(source) => return Err(failed(path, source)),
        };
        let mut kept = String::new();
        let mut keys = None;
        for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            let Ok(entry) = serde_json::from_str::<Map<String, Value>>(line) else { break };
            if entry.get(STEP).and_then(Value::as_u64).is_none_or(|step| step > last_step) {
                break;
            }
            kept.push_str(line);
            keys.get_or_insert_with(|| entry.keys().cloned().collect());
        }
        write_atomically(path, kept.as_bytes()).map_err(|source| failed(path, source))?;
        Self::open(path, keys)
    }

    fn open(path: &Path, keys: Option<BTreeSet<String>>) -> Result<Self, MetricsError> {
        let file = OpenOptions::new().append(true).open(path).map_err(|source| failed(path, source))?;
        Ok(Self { path: path.to_owned(), file, keys })
    }

    /// Appends the numbers of a step. Numbers that are not finite become null.
    ///
    /// # Errors
    /// When the keys differ from those of the first line, or the file cannot be written.
    pub fn write<'a>(
        &mut self,
        step: u64,
        numbers: impl IntoIterator<Item = (&'a str, f64)>,
    ) -> Result<(), MetricsError> {
        let mut entry = Map::new();
        entry.insert(STEP.to_owned(), step.into());
        entry.extend(numbers.into_iter().map(|(key, number)| (key.to_owned(), Value::from(number))));
        let keys: BTreeSet<String> = entry.keys().cloned().collect();
        let expected = self.keys.get_or_insert_with(|| keys.clone());
        if let Some(key) = expected.symmetric_difference(&keys).next() {
            return Err(MetricsError::OtherKeys { step, key: key.clone() });
        }
        let line = format!("{}\n", Value::Object(entry));
        self.file.write_all(line.as_bytes()).map_err(|source| failed(&self.path, source))
    }
}

fn failed(path: &Path, source: io::Error) -> MetricsError {
    MetricsError::File { path: path.to_owned(), source }
}

/// One difference between two files.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct MetricDifference {
    /// Line, from 1.
    pub line: usize,
    /// Key; empty when a whole line is missing.
    pub key: String,
    /// Value in the first file.
    pub first: Value,
    /// Value in the second file.
    pub second: Value,
}

/// Every difference of two files, line by line and key by key, but for keys that measure time.
///
/// # Errors
/// When a file cannot be read or holds a line that is no JSON object.
pub fn compare(first: &Path, second: &Path) -> Result<Vec<MetricDifference>, MetricsError> {
    let (ours, theirs) = (read(first)?, read(second)?);
    let mut differences = Vec::new();
    for index in 0..ours.len().max(theirs.len()) {
        let line = index + 1;
        match (ours.get(index), theirs.get(index)) {
            (Some(a), Some(b)) => compare_lines(line, a, b, &mut differences),
            (a, b) => {
                let value = |entry: Option<&Map<String, Value>>| entry.map_or(Value::Null, |_| "a line".into());
                let key = String::new();
                differences.push(MetricDifference { line, key, first: value(a), second: value(b) });
            }
        }
    }
    Ok(differences)
}

fn compare_lines(
    line: usize,
    first: &Map<String, Value>,
    second: &Map<String, Value>,
    differences: &mut Vec<MetricDifference>,
) {
    let keys: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
    let is_timing = |key: &str| TIMING_PREFIXES.iter().any(|prefix| key.starts_with(prefix));
    for key in keys.into_iter().filter(|key| !is_timing(key)) {
        let value = |entry: &Map<String, Value>| entry.get(key).cloned().unwrap_or(Value::Null);
        let (first, second) = (value(first), value(second));
        if first != second {
            differences.push(MetricDifference { line, key: key.clone(), first, second });
        }
    }
}

fn read(path: &Path) -> Result<Vec<Map<String, Value>>, MetricsError> {
    let text = fs::read_to_string(path).map_err(|source| failed(path, source))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            serde_json::from_str(line).map_err(|_| MetricsError::NotJson { path: path.to_owned(), line: index + 1 })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("workup-metrics-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_resumed_file_equals_an_undisturbed_one_but_for_timings() {
        let folder = folder("resume");
        let (calm, killed) = (folder.join("calm.jsonl"), folder.join("killed.jsonl"));
        let numbers = |step: u64, time: f64| [("loss", 1.0 / (step + 1) as f64), ("timing_s/step", time)];
        let mut file = MetricsFile::create(&calm).unwrap();
        (0..5).for_each(|step| file.write(step, numbers(step, 1.0)).unwrap());
        let mut file = MetricsFile::create(&killed).unwrap();
        (0..4).for_each(|step| file.write(step, numbers(step, 2.0)).unwrap());
        fs::OpenOptions::new().append(true).open(&killed).unwrap().write_all(b"{\"step\": 4, \"lo").unwrap();
        let mut file = MetricsFile::resume(&killed, 2).unwrap();
        (3..5).for_each(|step| file.write(step, numbers(step, 3.0)).unwrap());
        assert_eq!(compare(&calm, &killed).unwrap(), vec![]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn differences_name_line_and_key() {
        let folder = folder("diff");
        let (a, b) = (folder.join("a.jsonl"), folder.join("b.jsonl"));
        fs::write(&a, "{\"step\":0,\"loss\":1.0}\n{\"step\":1,\"loss\":0.5}\n").unwrap();
        fs::write(&b, "{\"step\":0,\"loss\":1.5}\n").unwrap();
        let found = compare(&a, &b).unwrap();
        assert_eq!(found.iter().map(|one| (one.line, one.key.as_str())).collect::<Vec<_>>(), [(1, "loss"), (2, "")]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn every_line_has_the_keys_of_the_first() {
        let folder = folder("keys");
        let mut file = MetricsFile::create(&folder.join("m.jsonl")).unwrap();
        file.write(0, [("a", 1.0)]).unwrap();
        let error = file.write(1, [("b", 1.0)]).unwrap_err();
        assert!(error.to_string().contains("`a`"), "{error}");
        fs::remove_dir_all(folder).unwrap();
    }
}
