//! `workup cases`: generate, import, list.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use serde::Serialize;
use workup_core::import::{ImportReport, to_line};
use workup_trainer::{
    atomic_file::AtomicFile,
    cases::{GeneratedCase, read_cases},
    setting::Setting,
};

use super::{knowledge, print_json};
use crate::{
    Verdict,
    args::{CaseFormat, CasesCommand, GenerateOptions, ImportOptions, ListOptions},
    output::{is_heard, print_line},
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
    let mut sink = Sink::new(options.out.as_deref())?;
    for index in 0..options.count {
        if !sink.is_heard() {
            break;
        }
        let case = GeneratedCase::of_scenario(&base, index, &setting.case(index));
        sink.write(&serde_json::to_string(&case)?)?;
    }
    sink.close()?;
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

/// A run in which rows were dropped still wrote the rest; it exits with 1 so that scripts notice. Without a single good row
/// nothing is written: an output that is there stays.
fn import(options: &ImportOptions) -> Result<Verdict> {
    if is_same_file(&options.input, &options.out) {
        bail!("`{}` is both input and output: write to another file", options.out.display());
    }
    let (cases, report) = read_cases(&options.input, options.from == CaseFormat::Agentclinic)?;
    if report.num_read > 0 {
        let mut sink = Sink::new(Some(&options.out))?;
        for case in &cases {
            sink.write(&to_line(case)?)?;
        }
        sink.close()?;
    }
    if options.json {
        print_json(&output(&report))?;
    } else {
        let (read, rows, out) = (report.num_read, report.num_rows(), options.out.display());
        let fate = if read > 0 { "imported to" } else { "imported, nothing written to" };
        print_line(&format!("{read} of {rows} rows {fate} `{out}`"));
        report.dropped.iter().for_each(|error| print_line(&format!("dropped: {error}")));
        for piece in &report.left_out {
            print_line(&format!("left out: line {}, {}: {}", piece.line, piece.path, piece.reason));
        }
        print_line(workup_core::IMPORTED_WARNING);
    }
    let all = report.dropped.is_empty() && report.num_read > 0;
    Ok(if all { Verdict::Fine } else { Verdict::CheckFailed })
}

fn is_same_file(first: &Path, second: &Path) -> bool {
    matches!((fs::canonicalize(first), fs::canonicalize(second)), (Ok(first), Ok(second)) if first == second)
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

/// Where lines go as they are made: a file that appears when it is complete, or stdout.
enum Sink {
    File(PathBuf, AtomicFile),
    Stdout,
}

impl Sink {
    fn new(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::Stdout) };
        let file = AtomicFile::create(path).with_context(|| unwritable(path))?;
        Ok(Self::File(path.to_owned(), file))
    }

    /// Whether anybody still wants lines.
    fn is_heard(&self) -> bool {
        matches!(self, Self::File(..)) || is_heard()
    }

    fn write(&mut self, line: &str) -> Result<()> {
        match self {
            Self::File(path, file) => writeln!(file, "{line}").with_context(|| unwritable(path)),
            Self::Stdout => {
                print_line(line);
                Ok(())
            }
        }
    }

    fn close(self) -> Result<()> {
        match self {
            Self::File(path, file) => file.commit().with_context(|| unwritable(&path)),
            Self::Stdout => Ok(()),
        }
    }
}

fn unwritable(path: &Path) -> String {
    format!("`{}` cannot be written", path.display())
}
