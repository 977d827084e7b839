//! Exam readings -> the words of a report: one clause per reading, flags and reference ranges beside what is abnormal.

use alloc::string::String;

use crate::{
    knowledge::{KnowledgeBase, View},
    observation::Reading,
};

/// How much a report says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Reference ranges beside abnormal numbers only.
    #[default]
    Compact,
    /// Reference ranges beside every number.
    Full,
}

/// A report to be printed.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// Heading: the exam's name for people.
    pub label: &'a str,
    /// The view shown; fixes the wording of an ambiguous report.
    pub view: Option<&'a View>,
    /// What is reported, in order; missing clauses are simply not there.
    pub readings: &'a [Reading],
    /// Which scale applies: 0 men, 1 women, 2 children ([`crate::case::Patient::scale_index`]).
    pub scale: usize,
    /// The whole report is flagged as uncertain.
    pub ambiguous: bool,
    /// How much is said.
    pub detail: Detail,
}

/// Appends the report to `out`.
pub fn print_report(_base: &KnowledgeBase, report: &Report<'_>, out: &mut String) {
    out.push_str(report.label);
}
