//! JSON text -> checked, compiled knowledge base.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use super::{KnowledgeBase, KnowledgeError, Problem, schema::KnowledgeFile};
use crate::digest::Digest;

/// Longest knowledge base text accepted: 32 MiB.
const MAX_TEXT: usize = 32 << 20;

impl KnowledgeBase {
    /// The embedded pack `core24`.
    ///
    /// # Errors
    /// Only when the files the crate was built from are wrong.
    pub fn core24() -> Result<Self, KnowledgeError> {
        Self::from_json(include_str!(concat!(env!("OUT_DIR"), "/core24.kb.json")))
    }

    /// The embedded pack `full`.
    ///
    /// # Errors
    /// Only when the files the crate was built from are wrong.
    pub fn full() -> Result<Self, KnowledgeError> {
        Self::from_json(include_str!(concat!(env!("OUT_DIR"), "/full.kb.json")))
    }

    /// Parses, checks and compiles one `.kb.json` text.
    ///
    /// # Errors
    /// Names section, entry and field of the first thing wrong.
    pub fn from_json(text: &str) -> Result<Self, KnowledgeError> {
        Self::from_file(&parse(text)?)
    }

    /// Checks and compiles a knowledge base that is already parsed.
    ///
    /// # Errors
    /// Names section, entry and field of the first thing wrong.
    pub fn from_file(file: &KnowledgeFile) -> Result<Self, KnowledgeError> {
        let canonical = serde_json::to_string(file).map_err(|error| whole(Problem::Syntax(error.to_string())))?;
        let mut digest = Digest::new();
        digest.text(&canonical);
        super::build::compile(file, digest.value())
    }
}

/// Parses one `.kb.json` text without checking references.
///
/// # Errors
/// The line and column of the first syntax error.
pub(super) fn parse(text: &str) -> Result<KnowledgeFile, KnowledgeError> {
    if text.len() > MAX_TEXT {
        return Err(whole(Problem::TooMany(text.len(), MAX_TEXT)));
    }
    serde_json::from_str(text).map_err(|error| whole(Problem::Syntax(error.to_string())))
}

fn whole(problem: Problem) -> KnowledgeError {
    KnowledgeError { section: "knowledge base", entry: String::from("whole file"), field: String::new(), problem }
}

/// Checks that ids are not empty, unique, and that their keys do not collide.
pub(super) fn unique<'a>(
    section: &'static str,
    ids: impl Iterator<Item = &'a str>,
    limit: usize,
) -> Result<(), KnowledgeError> {
    let error = |entry: &str, problem| KnowledgeError { section, entry: entry.into(), field: "id".into(), problem };
    let mut keys: Vec<(u64, &str)> = ids.map(|id| (crate::digest::key(id), id)).collect();
    if keys.len() > limit {
        return Err(error("", Problem::TooMany(keys.len(), limit)));
    }
    keys.sort_unstable();
    for &(_, id) in &keys {
        if id.is_empty() || id.len() > 64 {
            return Err(error(id, Problem::Invalid("an id has 1 to 64 characters".into())));
        }
    }
    match keys.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(error(pair[0].1, Problem::Duplicate(pair[1].1.into()))),
        None => Ok(()),
    }
}
