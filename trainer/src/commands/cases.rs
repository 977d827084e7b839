//! `workup cases`: generate, import, list.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;
use workup_core::import::{ImportReport, to_line};
use workup_trainer::{
    atomic_file::write_atomically,
    cases::{GeneratedCase, read_cases},
    progress::print_line,
    setting::Setting,
};

use super::{knowledge, print_json};
use crate::{
    Verdict,
    args::{CaseFormat, CasesCommand, GenerateOptions, ImportOptions, ListOptions},
};

/// Characters of a complaint that a list shows.
const SHOWN: usize = 60;

pub(crate) fn run(command: &CasesCommand) -> Result<Verdict> {
    match command {
        CasesCommand::Generate(options) => generate(options),
        CasesCommand::Import(options) => import(options),
        CasesCommand::List(options) => list(options),
    }
}

fn generate(options: &GenerateOptions) -> Result<Verdict> {
    let base = knowledge(&options.knowledge)?;
    let setting = Setting {
        seed: options.seed,
        split: options.split.into(),
        prevalence: options.prevalence.into(),
        ..Setting::default()
    };
    let line = |index| serde_json::to_string(&GeneratedCase::of_scenario(&base, index, &setting.case(index)));
    let lines: Vec<String> = (0..options.count).map(line).collect::<Result<_, _>>()?;
    match &options.out {
        Some(path) => write_lines(path, &lines)?,
        None => lines.iter().for_each(|line| print_line(line)),
    }
    Ok(Verdict::Fine)
}

#[derive(Debug, Serialize)]
struct ImportOutput {
    rows: u32,
    imported: u32,
    dropped: Vec<String>,
    left_out: Vec<Piece>,
    warning: &'static str,
}

#[derive(Debug, Serialize)]
struct Piece {
    line: u32,
    path: String,
    reason: &'static str,
}

/// A run in which rows were dropped still wrote the rest; it exits with 1 so that scripts notice.
fn import(options: &ImportOptions) -> Result<Verdict> {
    let (cases, report) = read_cases(&options.input, options.from == CaseFormat::Agentclinic)?;
    let lines: Vec<String> = cases.iter().map(to_line).collect::<Result<_, _>>()?;
    write_lines(&options.out, &lines)?;
    if options.json {
        print_json(&output(&report))?;
    } else {
        print_line(&format!(
            "{} of {} rows imported to `{}`",
            report.num_read,
            report.num_rows(),
            options.out.display()
        ));
        report.dropped.iter().for_each(|error| print_line(&format!("dropped: {error}")));
        for piece in &report.left_out {
            print_line(&format!("left out: line {}, {}: {}", piece.line, piece.path, piece.reason));
        }
        print_line(workup_core::IMPORTED_WARNING);
    }
    Ok(if report.dropped.is_empty() { Verdict::Fine } else { Verdict::CheckFailed })
}

fn output(report: &ImportReport) -> ImportOutput {
    let piece = |piece: &workup_core::import::LeftOut| Piece {
        line: piece.line,
        path: piece.path.clone(),
        reason: piece.reason,
    };
    ImportOutput {
        rows: report.num_rows(),
        imported: report.num_read,
        dropped: report.dropped.iter().map(ToString::to_string).collect(),
        left_out: report.left_out.iter().map(piece).collect(),
        warning: workup_core::IMPORTED_WARNING,
    }
}

fn list(options: &ListOptions) -> Result<Verdict> {
    let (cases, report) = read_cases(&options.file, false)?;
    for (index, case) in cases.iter().enumerate() {
        let complaint: String = case.complaint.chars().take(SHOWN).collect();
        let (facts, exams) = (case.facts.len(), case.exams.len());
        let mut line = format!("{:>4}  {}; {complaint} ({facts} facts, {exams} results)", index + 1, case.demographics);
        if options.diagnosis {
            line.push_str(" -> ");
            line.push_str(&case.diagnosis);
        }
        print_line(&line);
    }
    report.dropped.iter().for_each(|error| print_line(&format!("not readable: {error}")));
    Ok(if report.dropped.is_empty() { Verdict::Fine } else { Verdict::CheckFailed })
}

fn write_lines(path: &Path, lines: &[String]) -> Result<()> {
    let mut text = lines.join("\n");
    if !lines.is_empty() {
        text.push('\n');
    }
    write_atomically(path, text.as_bytes()).with_context(|| format!("`{}` cannot be written", path.display()))
}
