//! Which knowledge base: the embedded pack, one `.kb.json`, or a folder of JSON files.

use std::{
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
};

use workup_core::knowledge::{KnowledgeBase, KnowledgeError};

/// Name of the embedded pack that is frozen for comparable figures.
pub const EMBEDDED: &str = "core24";
/// Name of the large embedded pack.
pub const FULL: &str = "full";

/// Why a knowledge base could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A file or folder that cannot be read.
    #[error("knowledge base `{}` cannot be read: choose `{EMBEDDED}`, `{FULL}`, a `.kb.json` file or a folder", path.display())]
    Unreadable {
        /// What was to be read.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file of a folder that is not of the schema.
    #[error("`{}` is not of the schema", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
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

/// Loads an embedded pack by its name, else a file or a folder.
///
/// # Errors
/// When it cannot be read, or names section, entry and field of the first thing wrong.
pub fn load_knowledge(name: &str) -> Result<KnowledgeBase, LoadError> {
    let wrong = |source| LoadError::Wrong { name: name.to_owned(), source: Box::new(source) };
    if name == EMBEDDED {
        return KnowledgeBase::core24().map_err(wrong);
    }
    if name == FULL {
        return KnowledgeBase::full().map_err(wrong);
    }
    let path = Path::new(name);
    let text = if path.is_dir() { bundle(path) } else { fs::read_to_string(path) };
    let text = text.map_err(|source| LoadError::Unreadable { path: path.to_owned(), source })?;
    KnowledgeBase::from_json(&text).map_err(wrong)
}

/// `{"pack": .., "sites": [..], ..}` from the files of a folder, in the order of their names; nothing is parsed here.
fn bundle(folder: &Path) -> io::Result<String> {
    let mut text = format!("{{\"pack\":{}", fs::read_to_string(folder.join("pack.json"))?);
    for field in ["sites", "findings", "complaints", "panels", "views", "diseases", "sources"] {
        // Writing into a `String` cannot fail.
        let _ = write!(text, ",\"{field}\":[{}]", entries(folder, field)?.join(","));
    }
    text.push('}');
    Ok(text)
}

/// The entries of `field`: of `<field>.json` or of every file of the folder `<field>/`. A disease is a file of its own.
fn entries(folder: &Path, field: &str) -> io::Result<Vec<String>> {
    let mut entries = Vec::new();
    for file in paths_of(folder, field)? {
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

/// `<field>.json` or every file of the folder `<field>/` in the order of their names; none where there is neither.
fn paths_of(folder: &Path, field: &str) -> io::Result<Vec<PathBuf>> {
    let mut files = vec![folder.join(format!("{field}.json"))];
    if folder.join(field).is_dir() {
        files = fs::read_dir(folder.join(field))?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
        files.sort();
    }
    files.retain(|file| file.is_file());
    Ok(files)
}

/// The files of a section with their text.
pub(crate) fn files_of(folder: &Path, field: &str) -> Result<Vec<(PathBuf, String)>, LoadError> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |source| LoadError::Unreadable { path, source }
    };
    let paths = paths_of(folder, field).map_err(unreadable(folder))?;
    paths
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).map_err(unreadable(&path))?;
            Ok((path, text))
        })
        .collect()
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
