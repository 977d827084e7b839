//! What a run makes once and uses again: a file with a note beside it that says what it was made of.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{LearningError, checkpoint::digest, difference::difference};
use crate::atomic_file::write_atomically;

/// A file of a run. Its note is written before it, and once more when it is complete: a kill in between is told from a file that
/// somebody else put there.
#[derive(Debug)]
pub(crate) struct Artifact {
    path: PathBuf,
    note: PathBuf,
    identity: Value,
}

#[derive(Debug, Serialize, Deserialize)]
struct Note<T> {
    /// What it is made of: another run may not use it.
    identity: Value,
    /// What came of it; absent while it is being made.
    made: Option<Made<T>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Made<T> {
    /// Digest of the file.
    digest: String,
    /// What its maker returned.
    written: T,
}

impl Artifact {
    /// The file `name` of `run`, made of `identity`, with a note that stands beside it as `note`.
    pub(crate) fn new(run: &Path, name: &str, note: &str, identity: Value) -> Self {
        Self { path: run.join(name), note: run.join(note), identity }
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What came of making it: now, or when it was made before; and the digest of the file.
    ///
    /// # Errors
    /// When it cannot be made, is of other settings, was changed since, or a file of this name is not of our making.
    pub(crate) fn ensure<T: Serialize + DeserializeOwned>(
        &self,
        make: impl FnOnce(&Path) -> Result<T, LearningError>,
    ) -> Result<(T, String), LearningError> {
        if let Some(note) = self.note::<T>()? {
            if note.identity != self.identity {
                let what = difference(&note.identity, &self.identity);
                return Err(LearningError::Foreign { path: self.path.clone(), what });
            }
            if let Some(made) = note.made.filter(|_| self.path.is_file()) {
                if self.digest()? != made.digest {
                    return Err(self.damaged("the file was changed since it was made"));
                }
                return Ok((made.written, made.digest));
            }
        } else if self.path.exists() {
            return Err(LearningError::NotOurs(self.path.clone()));
        }
        self.write_note::<T>(None)?;
        let written = make(&self.path)?;
        let made = Made { digest: self.digest()?, written };
        self.write_note(Some(&made))?;
        Ok((made.written, made.digest))
    }

    fn digest(&self) -> Result<String, LearningError> {
        Ok(digest(&fs::read(&self.path).map_err(LearningError::io(&self.path))?))
    }

    fn damaged(&self, what: impl Into<String>) -> LearningError {
        LearningError::DamagedArtifact { path: self.path.clone(), note: self.note.clone(), what: what.into() }
    }

    fn note<T: DeserializeOwned>(&self) -> Result<Option<Note<T>>, LearningError> {
        match fs::read(&self.note) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| self.damaged(error.to_string())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LearningError::io(&self.note)(error)),
        }
    }

    fn write_note<T: Serialize>(&self, made: Option<&Made<T>>) -> Result<(), LearningError> {
        let note = serde_json::json!({ "identity": self.identity, "made": made });
        let text = serde_json::to_vec(&note).map_err(|error| self.damaged(error.to_string()))?;
        write_atomically(&self.note, &text).map_err(LearningError::io(&self.note))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("workup-artifact-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn make(number: u64) -> impl FnOnce(&Path) -> Result<u64, LearningError> {
        move |path| {
            fs::write(path, number.to_string()).map_err(LearningError::io(path))?;
            Ok(number)
        }
    }

    #[test]
    fn it_is_made_once_and_again_after_a_kill() {
        let run = folder("once");
        let artifact = |seed: u64| Artifact::new(&run, "a.jsonl", "a.json", json!({ "seed": seed }));
        assert_eq!(artifact(1).ensure(make(7)).unwrap().0, 7);
        assert_eq!(artifact(1).ensure(make(8)).unwrap().0, 7);
        let error = artifact(2).ensure(make(8)).unwrap_err().to_string();
        assert!(error.contains("`seed` was 1, is 2"), "{error}");
        artifact(1).write_note::<u64>(None).unwrap();
        assert_eq!(artifact(1).ensure(make(8)).unwrap().0, 8);
        fs::write(run.join("a.jsonl"), "edited").unwrap();
        assert!(matches!(artifact(1).ensure(make(9)), Err(LearningError::DamagedArtifact { .. })));
        fs::remove_dir_all(run).unwrap();
    }

    #[test]
    fn a_file_that_somebody_else_put_there_is_left_alone() {
        let run = folder("foreign");
        fs::write(run.join("a.jsonl"), "precious").unwrap();
        let artifact = Artifact::new(&run, "a.jsonl", "a.json", json!({}));
        assert!(matches!(artifact.ensure(make(1)), Err(LearningError::NotOurs(_))));
        assert_eq!(fs::read_to_string(run.join("a.jsonl")).unwrap(), "precious");
        fs::remove_dir_all(run).unwrap();
    }
}
