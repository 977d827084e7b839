//! Reference vectors computed with the published functions, against ours: what `workup score` reports.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use serde::{Deserialize, de::DeserializeOwned};

use super::paper::{self, PaperCall};
use crate::{diagnosis::extract_diagnosis, exam::Catalogue};

/// A vectors file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("vectors are not readable: {0}")]
pub struct VectorError(String);

/// How far our numbers are from the published ones.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorReport {
    /// Vectors compared.
    pub count: u32,
    /// Largest absolute difference of any number of any vector; NaN counts as infinite.
    pub max_abs_error: f64,
    /// Where the largest difference is; `None` when all are equal.
    pub worst: Option<String>,
}

/// How many of our texts differ from the published ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MismatchReport {
    /// Vectors compared.
    pub count: u32,
    /// Vectors that differ.
    pub mismatches: u32,
    /// The first difference, in words.
    pub first: Option<String>,
}

#[derive(Deserialize)]
struct RewardVector {
    reference: Vec<PaperCall>,
    ordered: Vec<PaperCall>,
    format_attempts: u32,
    format_errors: u32,
    tool_match: f64,
    cost: f64,
    cost_uniform: f64,
    format_penalty: f64,
    totals: TotalsVector,
}

#[derive(Deserialize)]
struct TotalsVector {
    #[serde(rename = "total_tool_cost")]
    ordered: f64,
    #[serde(rename = "unnecessary_tool_cost")]
    outside_reference: f64,
    #[serde(rename = "gt_tool_cost")]
    reference: f64,
}

impl RewardVector {
    /// (name, ours, published)
    fn compare(&self, catalogue: &Catalogue) -> [(&'static str, f64, f64); 7] {
        let totals = paper::level_totals(catalogue, &self.ordered, &self.reference);
        [
            ("tool_match", paper::tool_match(&self.ordered, &self.reference), self.tool_match),
            ("cost", paper::cost(catalogue, &self.ordered, &self.reference), self.cost),
            ("cost_uniform", paper::uniform_cost(&self.ordered, &self.reference), self.cost_uniform),
            ("format_penalty", paper::format_penalty(self.format_attempts, self.format_errors), self.format_penalty),
            ("total_tool_cost", totals.ordered, self.totals.ordered),
            ("unnecessary_tool_cost", totals.outside_reference, self.totals.outside_reference),
            ("gt_tool_cost", totals.reference, self.totals.reference),
        ]
    }
}

/// Compares the reward functions over a JSON array of (reference, ordered) pairs with published numbers.
///
/// # Errors
/// Text that is not such an array.
pub fn score_reward_vectors(catalogue: &Catalogue, json: &str) -> Result<VectorReport, VectorError> {
    let vectors: Vec<RewardVector> = parse(json)?;
    let mut report = VectorReport { count: vectors.len() as u32, max_abs_error: 0.0, worst: None };
    for (index, vector) in vectors.iter().enumerate() {
        for (name, ours, published) in vector.compare(catalogue) {
            let difference = (ours - published).abs();
            let difference = if difference.is_nan() { f64::INFINITY } else { difference };
            if difference > report.max_abs_error {
                report.max_abs_error = difference;
                report.worst = Some(format!("vector {index}, `{name}`: ours {ours}, published {published}"));
            }
        }
    }
    Ok(report)
}

#[derive(Deserialize)]
struct ParameterVector {
    tool: String,
    parameter: String,
    input: String,
    normalized: Option<String>,
}

/// Compares the published value normaliser over a JSON array of raw values with published results.
///
/// # Errors
/// Text that is not such an array.
pub fn score_parameter_vectors(catalogue: &Catalogue, json: &str) -> Result<MismatchReport, VectorError> {
    let vectors: Vec<ParameterVector> = parse(json)?;
    Ok(count_mismatches(vectors.iter().map(|vector| {
        let ours = catalogue.normalize_as_published(&vector.tool, &vector.parameter, &vector.input);
        let place = format!("{}.{} `{}`", vector.tool, vector.parameter, vector.input);
        (place, ours, vector.normalized.as_deref())
    })))
}

#[derive(Deserialize)]
struct DiagnosisVector {
    text: String,
    diagnosis: Option<String>,
}

/// Compares tag extraction over a JSON array of texts with published results.
///
/// # Errors
/// Text that is not such an array.
pub fn score_diagnosis_vectors(json: &str) -> Result<MismatchReport, VectorError> {
    let vectors: Vec<DiagnosisVector> = parse(json)?;
    Ok(count_mismatches(
        vectors
            .iter()
            .map(|vector| (format!("`{}`", vector.text), extract_diagnosis(&vector.text), vector.diagnosis.as_deref())),
    ))
}

fn count_mismatches<'a>(compared: impl Iterator<Item = (String, Option<&'a str>, Option<&'a str>)>) -> MismatchReport {
    let mut report = MismatchReport { count: 0, mismatches: 0, first: None };
    for (place, ours, published) in compared {
        report.count += 1;
        if ours != published {
            report.mismatches += 1;
            report.first.get_or_insert_with(|| format!("{place}: ours {ours:?}, published {published:?}"));
        }
    }
    report
}

fn parse<T: DeserializeOwned>(json: &str) -> Result<Vec<T>, VectorError> {
    serde_json::from_str(json).map_err(|error| VectorError(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_number_is_found_and_located() {
        let catalogue = Catalogue::embedded().unwrap();
        let json = r#"[{"reference":[],"ordered":[],"format_attempts":0,"format_errors":0,"tool_match":0.25,"cost":0,
            "cost_uniform":0,"format_penalty":0,"totals":{"total_tool_cost":0,"unnecessary_tool_cost":0,"gt_tool_cost":0}}]"#;
        let report = score_reward_vectors(&catalogue, json).unwrap();
        assert!((report.max_abs_error - 0.75).abs() < 1e-12);
        assert!(report.worst.unwrap().contains("vector 0, `tool_match`"));
    }

    #[test]
    fn a_wrong_text_is_counted() {
        let report = score_diagnosis_vectors(r#"[{"text":"[DIAGNOSIS: a]","diagnosis":"b"}]"#).unwrap();
        assert_eq!((report.count, report.mismatches), (1, 1));
        assert!(score_diagnosis_vectors("{").is_err());
    }
}
