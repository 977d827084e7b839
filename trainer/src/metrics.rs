//! Comparison of JSONL metrics: one object per step, complete lines only.

use std::{
    collections::BTreeSet,
    fmt, fs, io,
    path::{Path, PathBuf},
};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::{Map, Value};

/// Keys that measure time and are ignored in comparisons begin with one of these.
pub const TIMING_PREFIXES: [&str; 2] = ["timing_s/", "perf/"];

/// Why metrics could not be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MetricsError {
    /// The file cannot be read.
    #[error("metrics file `{}` cannot be read", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line that is no JSON object with every key once.
    #[error("`{}`, line `{line}`: no JSON object ({problem}): cut the file there", path.display())]
    NotJson {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

/// One difference between two files.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct MetricDifference {
    /// Line, from 1.
    pub line: usize,
    /// Key; empty when a whole line is missing.
    pub key: String,
    /// Value in the first file; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Value>,
    /// Value in the second file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second: Option<Value>,
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
                let value = |entry: Option<&Map<String, Value>>| entry.map(|_| "a line".into());
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
        let (first, second) = (first.get(key).cloned(), second.get(key).cloned());
        if first != second {
            differences.push(MetricDifference { line, key: key.clone(), first, second });
        }
    }
}

fn read(path: &Path) -> Result<Vec<Map<String, Value>>, MetricsError> {
    let text = fs::read_to_string(path).map_err(|source| MetricsError::File { path: path.to_owned(), source })?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            let not_json = |problem| MetricsError::NotJson { path: path.to_owned(), line: index + 1, problem };
            serde_json::from_str(line).map(|Line(entry)| entry).map_err(|error| not_json(error.to_string()))
        })
        .collect()
}

/// A JSON object in which no key stands twice: of two, a reader would silently believe the last.
struct Line(Map<String, Value>);

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Once;
        impl<'de> Visitor<'de> for Once {
            type Value = Line;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Line, A::Error> {
                let mut object = Map::new();
                while let Some((key, value)) = entries.next_entry::<String, Value>()? {
                    if object.contains_key(&key) {
                        return Err(serde::de::Error::custom(format!("`{key}` stands twice")));
                    }
                    object.insert(key, value);
                }
                Ok(Line(object))
            }
        }
        deserializer.deserialize_map(Once)
    }
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
    fn a_missing_number_is_not_one_that_is_not_finite_and_no_key_stands_twice() {
        let folder = folder("null");
        let (a, b) = (folder.join("a.jsonl"), folder.join("b.jsonl"));
        fs::write(&a, "{\"step\":1,\"loss\":null}\n").unwrap();
        fs::write(&b, "{\"step\":1}\n").unwrap();
        let found = serde_json::to_value(compare(&a, &b).unwrap()).unwrap();
        assert_eq!(found, serde_json::json!([{ "line": 1, "key": "loss", "first": null }]));
        fs::write(&b, "{\"step\":1,\"loss\":2,\"loss\":null}\n").unwrap();
        let error = compare(&a, &b).unwrap_err().to_string();
        assert!(error.contains("`loss` stands twice"), "{error}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn timings_may_differ() {
        let folder = folder("timings");
        let (a, b) = (folder.join("a.jsonl"), folder.join("b.jsonl"));
        fs::write(&a, "{\"step\":1,\"timing_s/step\":1.0,\"perf/throughput\":3}\n").unwrap();
        fs::write(&b, "{\"step\":1,\"timing_s/step\":2.0}\n").unwrap();
        assert_eq!(compare(&a, &b).unwrap(), vec![]);
        fs::remove_dir_all(folder).unwrap();
    }
}
