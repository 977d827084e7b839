//! `workup kb check`: rules that a knowledge base has to keep beyond its schema. One file per family of rules; each rule says which
//! file and entry breaks it and what to do.

mod anatomy;
mod content;
mod language;
mod medicine;
mod separation;

use std::path::PathBuf;

use serde::Serialize;
use workup_core::knowledge::KnowledgeBase;

use super::KnowledgeFiles;
pub use separation::{Separation, separation};

/// How bad a broken rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The base is not fit to be used.
    Error,
    /// Worth knowing.
    Note,
}

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Breach {
    /// How bad.
    pub level: Level,
    /// The rule, as its function is called.
    pub rule: &'static str,
    /// The file; absent when it is not known.
    pub file: Option<PathBuf>,
    /// Section of the base.
    pub section: &'static str,
    /// Entry.
    pub entry: String,
    /// What is wrong and what to do.
    pub problem: String,
}

/// A base under check, as written and compiled.
pub(crate) struct Checker<'a> {
    pub(crate) files: &'a KnowledgeFiles,
    pub(crate) base: &'a KnowledgeBase,
    breaches: Vec<Breach>,
}

impl Checker<'_> {
    pub(crate) fn breach(
        &mut self,
        level: Level,
        rule: &'static str,
        section: &'static str,
        entry: &str,
        problem: String,
    ) {
        let file = self.files.place(section, entry).map(PathBuf::from);
        self.breaches.push(Breach { level, rule, file, section, entry: entry.to_owned(), problem });
    }

    pub(crate) fn error(&mut self, rule: &'static str, section: &'static str, entry: &str, problem: String) {
        self.breach(Level::Error, rule, section, entry, problem);
    }
}

/// Every rule that needs no simulation; errors first, in a fixed order.
pub fn check_base(files: &KnowledgeFiles, base: &KnowledgeBase) -> Vec<Breach> {
    let mut checker = Checker { files, base, breaches: Vec::new() };
    language::check(&mut checker);
    content::check(&mut checker);
    anatomy::check(&mut checker);
    medicine::check(&mut checker);
    let mut breaches = checker.breaches;
    breaches.sort_by(|a, b| (a.level, a.rule, &a.entry).cmp(&(b.level, b.rule, &b.entry)));
    breaches
}
