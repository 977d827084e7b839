//! Which knowledge base: the embedded pack, one `.kb.json`, or a folder of JSON files.

use std::{
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
};

use workup_core::knowledge::{KnowledgeBase, KnowledgeError};

/// Name of the embedded pack.
pub const EMBEDDED: &str = "core24";

/// Why a knowledge base could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A file or folder that cannot be read.
    #[error("knowledge base `{}` cannot be read: choose `{EMBEDDED}`, a `.kb.json` file or a folder", path.display())]
    Unreadable {
        /// What was to be read.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A knowledge base with a mistake in it.
    #[error("knowledge base `{name}` is wrong")]
    Wrong {
        /// Which one.
        name: String,
        /// What is wrong.
        source: Box<KnowledgeError>,
    },
}

/// Loads the embedded pack by its name, else a file or a folder.
///
/// # Errors
/// When it cannot be read, or names section, entry and field of the first thing wrong.
pub fn load_knowledge(name: &str) -> Result<KnowledgeBase, LoadError> {
    let wrong = |source| LoadError::Wrong { name: name.to_owned(), source: Box::new(source) };
    if name == EMBEDDED {
        return KnowledgeBase::core24().map_err(wrong);
    }
    let path = Path::new(name);
    let text = if path.is_dir() { bundle(path) } else { fs::read_to_string(path) };
    let text = text.map_err(|source| LoadError::Unreadable { path: path.to_owned(), source })?;
    KnowledgeBase::from_json(&text).map_err(wrong)
}

/// `{"pack": .., "sites": [..], ..}` from the files of a folder, in the order of their names; nothing is parsed here.
fn bundle(folder: &Path) -> io::Result<String> {
    let mut text = format!("{{\"pack\":{}", fs::read_to_string(folder.join("pack.json"))?);
    for field in ["sites", "findings", "complaints", "panels", "views", "diseases"] {
        // Writing into a `String` cannot fail.
        let _ = write!(text, ",\"{field}\":[{}]", entries(folder, field)?.join(","));
    }
    text.push('}');
    Ok(text)
}

/// The entries of `field`: of `<field>.json` or of every file of the folder `<field>/`. A disease is a file of its own.
fn entries(folder: &Path, field: &str) -> io::Result<Vec<String>> {
    let mut files = vec![folder.join(format!("{field}.json"))];
    if folder.join(field).is_dir() {
        files = fs::read_dir(folder.join(field))?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
        files.sort();
    }
    let mut entries = Vec::new();
    for file in files.iter().filter(|file| file.is_file()) {
        let text = fs::read_to_string(file)?;
        let text = text.trim();
        let list = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let entry = list.unwrap_or(text).trim();
        if !entry.is_empty() {
            entries.push(entry.to_owned());
        }
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_pack_is_the_embedded_pack() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/data/core24");
        assert_eq!(load_knowledge(folder).unwrap().digest, load_knowledge(EMBEDDED).unwrap().digest);
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = load_knowledge("no/such.kb.json").unwrap_err();
        assert!(error.to_string().contains("no/such.kb.json"), "{error}");
    }
}
