//! Recorded exams as they are compared with orders: words of their names with the other names they go by.

use alloc::{string::String, vec::Vec};

use super::{
    RecordedExam,
    exam_terms::ALIASES,
    words::{contains_run, words},
};

/// Sections of a source: not part of a recorded name.
const SECTIONS: [&str; 2] = ["Physical_Examination_Findings", "Test_Results"];

/// A recorded exam in words.
pub(super) struct Record {
    /// Position in the case.
    pub(super) index: u16,
    /// A bedside finding, not an ordered test.
    pub(super) bedside: bool,
    /// Words of the path below its section.
    pub(super) name: Vec<String>,
    /// Words of the first segment.
    pub(super) top: Vec<String>,
    /// Words of the finding.
    pub(super) text: Vec<String>,
}

impl Record {
    pub(super) fn new(index: u16, exam: &RecordedExam, aliases: &Aliases) -> Self {
        let segments = segments(&exam.path);
        let name = segments.iter().flat_map(|segment| aliases.named(&words(segment))).collect();
        let top = segments.first().map(|segment| aliases.named(&words(segment))).unwrap_or_default();
        Self { index, bedside: exam.bedside, name, top, text: aliases.named(&words(&exam.text)) }
    }

    /// True when the name has all words of the phrase.
    pub(super) fn has(&self, phrase: &[String]) -> bool {
        !phrase.is_empty() && phrase.iter().all(|word| self.name.contains(word))
    }

    /// True when the name has one of the phrases.
    pub(super) fn has_any(&self, phrases: &[Vec<String>]) -> bool {
        phrases.iter().any(|phrase| self.has(phrase))
    }

    /// True when the finding itself has one of the phrases as a run.
    pub(super) fn says_any(&self, phrases: &[Vec<String>]) -> bool {
        phrases.iter().any(|phrase| contains_run(&self.text, phrase))
    }
}

/// The segments of a path below its section.
pub(super) fn segments(path: &str) -> Vec<&str> {
    let mut segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    if segments.len() > 1 && SECTIONS.contains(&segments[0]) {
        segments.remove(0);
    }
    segments
}

/// The other names of things, as words.
pub(super) struct Aliases(Vec<Alias>);

struct Alias {
    name: Vec<String>,
    /// Other names, and whether they must be a whole path segment.
    others: Vec<(Vec<String>, bool)>,
}

impl Aliases {
    pub(super) fn new() -> Self {
        let alias = |(name, others): &(&str, &[&str])| Alias {
            name: words(name),
            others: others.iter().map(|other| (words(other), other.len() <= 2)).collect(),
        };
        Self(ALIASES.iter().map(alias).collect())
    }

    /// Words with the other names they go by added.
    pub(super) fn named(&self, list: &[String]) -> Vec<String> {
        let stands = |(run, is_whole): &(Vec<String>, bool)| {
            if *is_whole { list == run.as_slice() } else { contains_run(list, run) }
        };
        let names: Vec<&Alias> = self.0.iter().filter(|alias| alias.others.iter().any(stands)).collect();
        list.iter().chain(names.into_iter().flat_map(|alias| &alias.name)).cloned().collect()
    }

    /// Words with runs that have a shorter name replaced by it.
    pub(super) fn reduced(&self, list: Vec<String>) -> Vec<String> {
        let mut all = list;
        for alias in &self.0 {
            for (run, _) in alias.others.iter().filter(|(run, is_whole)| !is_whole && !run.is_empty()) {
                if let Some(start) = all.windows(run.len()).position(|window| window == run.as_slice()) {
                    all.splice(start..start + run.len(), alias.name.iter().cloned());
                }
            }
        }
        all
    }
}
