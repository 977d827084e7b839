//! Case files: generated patients with their truth, imported cases, both one a line.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::Serialize;
use workup_core::{
    case::Patient,
    import::{AgentClinic, ImportReport, ImportedCase, Jsonl, Reader, RowFormat},
    knowledge::KnowledgeBase,
    scenario::Scenario,
    scenario_code::ScenarioCode,
};

use crate::setting::as_hex;

/// A generated patient: everything true about them that an agent could find out. For teachers and tests, never for an agent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GeneratedCase {
    /// Position in its split.
    pub index: u64,
    /// Seed of the scenario.
    #[serde(serialize_with = "as_hex")]
    pub seed: u64,
    /// Age in years.
    pub age: u32,
    /// `female` or `male`.
    pub sex: &'static str,
    /// Finding of the chief complaint.
    pub complaint: String,
    /// Disease id.
    pub diagnosis: String,
    /// Variant id; empty for the only one.
    pub variant: String,
    /// Findings that are present.
    pub findings: Vec<String>,
    /// Reference workup as calls.
    pub reference_workup: Vec<String>,
    /// Scenario code under the headline setting: plays this case.
    pub code: String,
}

impl GeneratedCase {
    /// The case of a scenario.
    pub fn of_scenario(base: &KnowledgeBase, index: u64, scenario: &Scenario) -> Self {
        let patient = Patient::draw(base, scenario.seed, scenario.prevalence);
        let disease = &base.diseases[usize::from(patient.disease(base))];
        let present = base.findings.iter().enumerate().filter(|(finding, _)| patient.has(base, *finding as u16));
        let complaint = base.complaints[usize::from(patient.complaint)].finding;
        Self {
            index,
            seed: scenario.seed,
            age: patient.age,
            sex: match patient.sex {
                workup_core::knowledge::Sex::Female => "female",
                workup_core::knowledge::Sex::Male => "male",
            },
            complaint: base.findings[usize::from(complaint)].id.clone(),
            diagnosis: disease.id.clone(),
            variant: base.hypotheses[usize::from(patient.hypothesis)].variant.clone(),
            findings: present.map(|(_, finding)| finding.id.clone()).collect(),
            reference_workup: disease.reference_workup.clone(),
            code: ScenarioCode::of_scenario(base, scenario).encode(),
        }
    }
}

/// A case file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaseFileError {
    /// It cannot be read.
    #[error("case file `{}` cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It has no such case.
    #[error("case `{number}` does not exist: `{}` has {len}, counted from 1", path.display())]
    NoSuchCase {
        /// The file.
        path: PathBuf,
        /// Number asked for.
        number: usize,
        /// Cases there are.
        len: usize,
    },
}

/// Reads foreign or own rows from a file.
///
/// # Errors
/// When the file cannot be read; what is wrong with rows stands in the report.
pub fn read_cases(path: &Path, agentclinic: bool) -> Result<(Vec<ImportedCase>, ImportReport), CaseFileError> {
    let bytes = fs::read(path).map_err(|source| CaseFileError::Unreadable { path: path.to_owned(), source })?;
    Ok(if agentclinic { rows(&bytes, AgentClinic) } else { rows(&bytes, Jsonl) })
}

fn rows(bytes: &[u8], format: impl RowFormat) -> (Vec<ImportedCase>, ImportReport) {
    let mut reader = Reader::new(bytes.split(|byte| *byte == b'\n'), format);
    let cases = reader.by_ref().collect();
    (cases, reader.into_report())
}

/// Case `number` (from 1) of a file of our own.
///
/// # Errors
/// When the file cannot be read or has no such case.
pub fn read_case(path: &Path, number: usize) -> Result<ImportedCase, CaseFileError> {
    let (mut cases, _) = read_cases(path, false)?;
    let len = cases.len();
    match number.checked_sub(1) {
        Some(index) if index < len => Ok(cases.swap_remove(index)),
        _ => Err(CaseFileError::NoSuchCase { path: path.to_owned(), number, len }),
    }
}
