//! `workup score`: our functions against published vectors.

use anyhow::{Context, Result};
use serde::Serialize;
use workup_core::{
    exam::Catalogue,
    reward::{score_diagnosis_vectors, score_parameter_vectors, score_reward_vectors},
};

use super::{print_json, read_text};
use crate::{Verdict, args::ScoreOptions, output::print_line};

/// Largest difference from a published number.
const TOLERANCE: f64 = 1e-12;

/// What was compared. One file gives its numbers at the top level; of several, counts add up and the worst counts.
#[derive(Debug, Default, Serialize)]
struct Comparison {
    count: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_abs_error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mismatches: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differences: Vec<String>,
}

impl Comparison {
    fn add_mismatches(&mut self, count: u32, mismatches: u32, first: Option<String>) {
        self.count += count;
        self.mismatches = Some(self.mismatches.unwrap_or(0) + mismatches);
        self.differences.extend(first);
    }

    fn holds(&self) -> bool {
        self.count > 0 && self.max_abs_error.is_none_or(|error| error <= TOLERANCE) && self.mismatches.unwrap_or(0) == 0
    }
}

pub(crate) fn run(options: &ScoreOptions) -> Result<Verdict> {
    let catalogue = Catalogue::embedded()?;
    let inputs = &options.inputs;
    let mut comparison = Comparison::default();
    if let Some(path) = &inputs.vectors {
        let report = score_reward_vectors(&catalogue, &read_text(path)?)
            .with_context(|| format!("`{}` holds no reward vectors", path.display()))?;
        comparison.count += report.count;
        comparison.max_abs_error = Some(report.max_abs_error);
        comparison.differences.extend(report.worst);
    }
    if let Some(path) = &inputs.params {
        let report = score_parameter_vectors(&catalogue, &read_text(path)?)
            .with_context(|| format!("`{}` holds no parameter vectors", path.display()))?;
        comparison.add_mismatches(report.count, report.mismatches, report.first);
    }
    if let Some(path) = &inputs.diagnoses {
        let report = score_diagnosis_vectors(&read_text(path)?)
            .with_context(|| format!("`{}` holds no diagnosis vectors", path.display()))?;
        comparison.add_mismatches(report.count, report.mismatches, report.first);
    }
    if options.json {
        print_json(&comparison)?;
    } else {
        print_line(&format!("{} vectors compared", comparison.count));
        if let Some(error) = comparison.max_abs_error {
            print_line(&format!("largest difference {error:e}, allowed {TOLERANCE:e}"));
        }
        if let Some(mismatches) = comparison.mismatches {
            print_line(&format!("{mismatches} differ"));
        }
        comparison.differences.iter().for_each(|difference| print_line(difference));
    }
    Ok(if comparison.holds() { Verdict::Fine } else { Verdict::CheckFailed })
}
