//! `workup kb`: what a knowledge base holds and whether it keeps the rules.

use std::sync::Arc;

use anyhow::Result;
use serde::Serialize;
use workup_core::knowledge::KnowledgeBase;
use workup_trainer::{
    kb::{Breach, KnowledgeFiles, Level, Numbers, Separation, check_base, read_files, report_base, separation},
    progress::Terminal,
};

use super::{print_json, threads};
use crate::{
    Verdict,
    args::{KbCheckOptions, KbCommand, KbReportOptions},
    output::print_line,
};

pub(crate) fn run(command: &KbCommand) -> Result<Verdict> {
    match command {
        KbCommand::Report(options) => report(options),
        KbCommand::Check(options) => check(options),
    }
}

fn report(options: &KbReportOptions) -> Result<Verdict> {
    let files = read_files(&options.folder)?;
    let report = report_base(&files.file, &KnowledgeBase::from_file(&files.file)?);
    if options.json {
        print_json(&report)?;
        return Ok(Verdict::Fine);
    }
    print_line(&format!(
        "{}: {} diseases ({} ways to present) of {} systems, {} findings, {} complaints, {} panels, {} exams",
        report.knowledge,
        report.diseases,
        report.hypotheses,
        report.systems.len(),
        report.findings,
        report.complaints,
        report.panels,
        report.exams
    ));
    let line = |name: &str, numbers: &Numbers| {
        print_line(&format!(
            "{name:<24} {:>6} numbers: {} from studies, {} from tables, {} from reviews, {} derived, {} estimates",
            numbers.total, numbers.study, numbers.table, numbers.review, numbers.derived, numbers.estimate
        ));
    };
    line("P(finding | disease)", &report.finding_numbers);
    line("exam results", &report.exam_numbers);
    line("incidence", &report.incidence_numbers);
    print_line(&format!(
        "{:.3} of them from studies and tables ({} sources in all), {:.3} with reviews and derived ones",
        report.sourced_share, report.sources, report.derived_share
    ));
    Ok(Verdict::Fine)
}

#[derive(Debug, Serialize)]
struct Output {
    breaches: Vec<Breach>,
    separation: Option<Separation>,
    holds: bool,
}

fn check(options: &KbCheckOptions) -> Result<Verdict> {
    let files = read_files(&options.folder)?;
    let base = match KnowledgeBase::from_file(&files.file) {
        Ok(base) => Arc::new(base),
        Err(error) => {
            print_line(&format!("{}: {error}", place(&files, error.section, &error.entry)));
            return Ok(Verdict::CheckFailed);
        }
    };
    let breaches = check_base(&files, &base);
    let played =
        (options.cases > 0).then(|| separation(&base, options.cases, threads(options.threads), &Terminal::default()));
    let lowest = played.as_ref().and_then(|played| played.per_disease.first());
    let separates = lowest.is_none_or(|(_, share)| *share >= options.least);
    let holds = separates && breaches.iter().all(|breach| breach.level != Level::Error);
    if options.json {
        print_json(&Output { breaches, separation: played, holds })?;
    } else {
        breaches.iter().for_each(print_breach);
        if let Some(played) = &played {
            print_separation(played, options.least);
        }
        print_line(if holds { "the knowledge base keeps the rules" } else { "the knowledge base breaks rules" });
    }
    Ok(if holds { Verdict::Fine } else { Verdict::CheckFailed })
}

fn place(files: &KnowledgeFiles, section: &str, entry: &str) -> String {
    files.place(section, entry).map_or_else(|| section.to_owned(), |path| path.display().to_string())
}

fn print_breach(breach: &Breach) {
    let Breach { level, rule, file, section, entry, problem } = breach;
    let file = file.as_ref().map_or_else(|| (*section).to_owned(), |file| file.display().to_string());
    let level = match level {
        Level::Error => "error",
        Level::Note => "note",
    };
    print_line(&format!("{file}: {level} [{rule}] `{entry}`: {problem}"));
}

fn print_separation(played: &Separation, least: f64) {
    for (disease, share) in played.per_disease.iter().filter(|(_, share)| *share < least) {
        print_line(&format!("error [separation] `{disease}`: full information recognises {share:.3} of its patients"));
    }
    for confusion in &played.confusions {
        let panel = confusion.best_panel.as_ref().map_or_else(
            || "no exam tells them apart".to_owned(),
            |(panel, distance)| format!("`{panel}` differs most ({distance:.2})"),
        );
        print_line(&format!(
            "note [separation] `{}` is taken for `{}` in {:.3}; {panel}",
            confusion.disease, confusion.taken_for, confusion.share
        ));
    }
    print_line(&format!(
        "full information: macro accuracy {:.4} over {} cases; {} panels look the same whatever the disease",
        played.macro_accuracy,
        played.cases,
        played.useless_panels.len()
    ));
}
