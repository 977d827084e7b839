//! Panels, their patterns, analytes and report fields, and the views that show them.

use alloc::{string::String, vec::Vec};

use crate::{
    exam::CallPattern,
    knowledge::schema::{Applies, Sex},
};

/// Quantities measured together.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Identity.
    pub id: String,
    /// FNV-1a-64 of the id: the key of its draws.
    pub key: u64,
    /// Heading.
    pub label: String,
    /// The finding its pattern depends on (index).
    pub parent: Option<u16>,
    /// Its analytes (indexes).
    pub analytes: Vec<u16>,
    /// Its patterns; the first is healthy.
    pub patterns: Vec<Pattern>,
}

/// A pattern of a panel.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Identity within the panel.
    pub id: String,
    /// Band weights in parts per million, by position of the analyte in the panel.
    pub bands: Vec<Vec<u32>>,
}

/// An analyte or report field.
#[derive(Clone, Debug)]
pub struct Analyte {
    /// Identity.
    pub id: String,
    /// FNV-1a-64 of the id: the key of its draws.
    pub key: u64,
    /// Name on reports.
    pub label: String,
    /// The panel it belongs to (index).
    pub panel: u16,
    /// Its position in the panel.
    pub position: u16,
    /// The number, unless it is a field.
    pub numeric: Option<Numeric>,
    /// Values of a field.
    pub values: Vec<FieldValue>,
    /// True for a field that names a site.
    pub site: bool,
    /// Computed from others, never drawn.
    pub derived: Option<String>,
    /// Who it is reported for.
    pub applies: Applies,
    /// Number of bands (6) or values.
    pub num_values: usize,
}

/// A numeric analyte.
#[derive(Clone, Debug)]
pub struct Numeric {
    /// Unit.
    pub unit: String,
    /// Decimals printed.
    pub decimals: u32,
    /// Scale for men, women, children.
    pub scales: [Scale; 3],
    /// Second unit and factor.
    pub si: Option<(String, f64)>,
}

/// Scale of a numeric analyte in ticks of `10^-decimals`.
#[derive(Clone, Debug)]
pub struct Scale {
    /// Seven ascending edges of six bands, in ticks.
    pub edges: [i32; 7],
}

/// A value of a categorical report field.
#[derive(Clone, Debug)]
pub struct FieldValue {
    /// Identity within the field.
    pub id: String,
    /// Clause on the report.
    pub text: String,
    /// Adjacent values of a site field (indexes).
    pub adjacent: Vec<u16>,
}

/// What an exam shows.
#[derive(Clone, Debug)]
pub struct View {
    /// The calls that show it.
    pub calls: Vec<CallPattern>,
    /// Kind of report.
    pub modality: Modality,
    /// Analytes shown (indexes), in order.
    pub analytes: Vec<u16>,
    /// Signs shown (indexes of findings), in order.
    pub signs: Vec<u16>,
    /// Who it can be ordered for.
    pub applies: Applies,
}

/// Kind of report, for wording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modality {
    /// Blood, urine and other specimens.
    Laboratory,
    /// Pictures.
    Imaging,
    /// Curves over time.
    Tracing,
    /// Hands, eyes, stethoscope.
    Bedside,
    /// Tissue and cells.
    Pathology,
    /// Tests of function.
    Function,
}

impl Applies {
    /// True when someone of this sex and age in years is inside the limits.
    #[inline]
    pub fn covers(&self, sex: Sex, age: u32) -> bool {
        self.sex.is_none_or(|only| only == sex)
            && self.min_age.is_none_or(|min| age >= min)
            && self.max_age.is_none_or(|max| age <= max)
    }
}
