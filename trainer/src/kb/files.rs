//! A knowledge base as it was written, with the file that every entry stands in.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::de::DeserializeOwned;
use workup_core::knowledge::schema::{
    ComplaintEntry, DiseaseEntry, FindingEntry, KnowledgeFile, PanelEntry, SiteEntry, SourceEntry, ViewEntry,
};

use crate::knowledge::{LoadError, files_of};

/// A parsed folder.
#[derive(Clone, Debug, Default)]
pub struct KnowledgeFiles {
    /// All entries.
    pub file: KnowledgeFile,
    /// File by section and entry id.
    places: BTreeMap<(&'static str, String), PathBuf>,
}

impl KnowledgeFiles {
    /// The file in which an entry stands; `None` when it is not known.
    pub fn place(&self, section: &str, entry: &str) -> Option<&Path> {
        let mut found = self.places.iter().filter(|((of, id), _)| *of == section && id == entry);
        found.next().map(|(_, path)| path.as_path())
    }

    fn add<T: DeserializeOwned>(
        &mut self,
        folder: &Path,
        section: &'static str,
        id: impl Fn(&T) -> &str,
    ) -> Result<Vec<T>, LoadError> {
        let mut all = Vec::new();
        for (path, text) in files_of(folder, section)? {
            let wrong = |source| LoadError::Syntax { path: path.clone(), source };
            let is_list = text.trim_start().starts_with('[');
            let entries: Vec<T> = if is_list {
                serde_json::from_str(&text).map_err(wrong)?
            } else {
                vec![serde_json::from_str(&text).map_err(wrong)?]
            };
            for entry in &entries {
                self.places.insert((section, id(entry).to_owned()), path.clone());
            }
            all.extend(entries);
        }
        Ok(all)
    }
}

/// Reads the folder of a knowledge base; nothing is checked but the form of each file.
///
/// # Errors
/// Names the file that cannot be read or parsed.
pub fn read_files(folder: &Path) -> Result<KnowledgeFiles, LoadError> {
    let mut files = KnowledgeFiles::default();
    let path = folder.join("pack.json");
    let text = std::fs::read_to_string(&path).map_err(|source| LoadError::Unreadable { path: path.clone(), source })?;
    files.file.pack = serde_json::from_str(&text).map_err(|source| LoadError::Syntax { path: path.clone(), source })?;
    files.places.insert(("pack", files.file.pack.name.clone()), path);
    files.file.sites = files.add(folder, "sites", |entry: &SiteEntry| &entry.id)?;
    files.file.findings = files.add(folder, "findings", |entry: &FindingEntry| &entry.id)?;
    files.file.complaints = files.add(folder, "complaints", |entry: &ComplaintEntry| &entry.finding)?;
    files.file.panels = files.add(folder, "panels", |entry: &PanelEntry| &entry.id)?;
    files.file.views =
        files.add(folder, "views", |entry: &ViewEntry| entry.calls.first().map_or("", String::as_str))?;
    files.file.diseases = files.add(folder, "diseases", |entry: &DiseaseEntry| &entry.id)?;
    files.file.sources = files.add(folder, "sources", |entry: &SourceEntry| &entry.id)?;
    Ok(files)
}
