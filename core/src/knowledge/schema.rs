//! The files a knowledge base is written in, as serde structs: what an author types, before any check.
//!
//! Everything is optional where a sensible default exists, unknown fields are errors, and weights are relative: they are
//! normalised when the base is compiled. Probabilities are written as shares of 1.

use alloc::{
    collections::BTreeMap,
    string::{String, ToString},
    vec::Vec,
};

use serde::{Deserialize, Serialize};

/// A whole knowledge base: a folder's files laid end to end, or one `.kb.json`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnowledgeFile {
    /// Name and shared vocabulary.
    pub pack: PackEntry,
    /// Places on the body.
    pub sites: Vec<SiteEntry>,
    /// Symptoms, signs, antecedents and risks.
    pub findings: Vec<FindingEntry>,
    /// What brings patients in.
    pub complaints: Vec<ComplaintEntry>,
    /// Groups of quantities measured together.
    pub panels: Vec<PanelEntry>,
    /// Which exam shows which quantities.
    pub views: Vec<ViewEntry>,
    /// What patients have.
    pub diseases: Vec<DiseaseEntry>,
    /// Where numbers come from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceEntry>,
}

/// Kind of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// A study or a review of studies.
    Study,
    /// A public table: a register, a survey, a guideline.
    Table,
    /// A secondary source: a review article, a textbook.
    Review,
    /// Worked out from synthetic data or by a model: ranks, but is no observation.
    Derived,
}

/// Where numbers come from.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceEntry {
    /// Identity, for example `miniati2012`.
    pub id: String,
    /// Kind.
    pub kind: SourceKind,
    /// Authors, year, journal, volume and page, DOI; or the name of the table.
    pub citation: String,
    /// Where it can be read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
}

/// A number, or several that belong together, with where it comes from. Alone it is an estimate.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Sourced<T> {
    /// `{"is": 0.77, "from": "jain2015"}`.
    From(WithSource<T>),
    /// `0.77`.
    Estimate(T),
}

/// A number with the id of its source.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WithSource<T> {
    /// The number.
    pub is: T,
    /// Id of a [`SourceEntry`].
    pub from: String,
}

impl<T> Sourced<T> {
    /// The number.
    pub const fn value(&self) -> &T {
        match self {
            Self::From(sourced) => &sourced.is,
            Self::Estimate(value) => value,
        }
    }

    /// The id of its source; `None` for an estimate.
    pub fn source(&self) -> Option<&str> {
        match self {
            Self::From(sourced) => Some(&sourced.from),
            Self::Estimate(_) => None,
        }
    }
}

/// Name and shared vocabulary of a knowledge base.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackEntry {
    /// Short name, for example `core24`.
    pub name: String,
    /// One sentence for people.
    #[serde(default)]
    pub description: String,
    /// The order in which an open question of a topic (`history`, `medication`, `allergy`, `family`, `social`) goes through findings.
    #[serde(default)]
    pub topics: BTreeMap<String, Vec<String>>,
    /// Names of groups of diseases: `group name -> disease ids`.
    #[serde(default)]
    pub groups: BTreeMap<String, Vec<String>>,
}

/// A place on the body, as a patient names it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteEntry {
    /// Identity, for example `left_chest`.
    pub id: String,
    /// The patient's words, to stand after "in": "the left side of my chest".
    pub lay: String,
    /// Neighbouring lay surface sites; empty where a swap would be unbelievable.
    #[serde(default)]
    pub adjacent: Vec<String>,
}

/// Kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// The patient feels or notices it.
    Symptom,
    /// The doctor finds it at the bedside; asking the patient tells nothing.
    Sign,
    /// Past illness, operation, medicine or event.
    Antecedent,
    /// Habit, exposure or family history.
    Risk,
}

/// A probability that may depend on the age band: one number, or one for each of child, adult, middle, older.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Share {
    /// The same in every age band.
    All(f64),
    /// Child (5-17), adult (18-39), middle (40-64), older (65-90).
    ByBand([f64; 4]),
}

/// Who can have a finding at all, or be ordered an exam; a hard zero outside.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Applies {
    /// `male` or `female`; both when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sex: Option<Sex>,
    /// Youngest age in years.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_age: Option<u32>,
    /// Oldest age in years.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age: Option<u32>,
}

/// Sex as recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sex {
    /// Female.
    Female,
    /// Male.
    Male,
}

/// A finding.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingEntry {
    /// Identity.
    pub id: String,
    /// Kind.
    pub kind: FindingKind,
    /// Clinical term.
    pub term: String,
    /// The patient's noun phrase, to stand after "about": "the pain in my chest", "your cough" is wrong: first person.
    pub noun: String,
    /// Whole first-person clauses without full stop when present: "my chest hurts". At least one.
    pub present: Vec<String>,
    /// Whole first-person clauses when absent: "I have no pain in my chest". At least one.
    pub absent: Vec<String>,
    /// Word sequences in a doctor's question that mean this finding, lower case, longest wins: "chest pain", "pain in your chest".
    pub ask: Vec<String>,
    /// P(present) where a disease says nothing.
    pub background: Share,
    /// Who can have it.
    #[serde(default)]
    pub applies: Applies,
    /// Findings a patient may mix it up with.
    #[serde(default)]
    pub neighbours: Vec<String>,
    /// A finding without which it cannot be: blood is not coughed up without coughing. Probabilities are still those of the finding
    /// itself, not given the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires: Option<String>,
    /// What can be told about it when present, by aspect: `site`, `character`, `severity`, `onset`, `duration`, `radiation`,
    /// `aggravating`, `relieving`, `timing`.
    #[serde(default)]
    pub attributes: BTreeMap<String, AttributeEntry>,
    /// Report texts of a sign: present, then absent ("Murphy's sign positive", "Murphy's sign negative").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<[String; 2]>,
    /// Source of the background number: a study, a public table, or `estimate`.
    #[serde(default = "estimate")]
    pub source: String,
}

fn estimate() -> String {
    "estimate".to_string()
}

/// One aspect of a finding: what can be said, and how often when a disease says nothing.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AttributeEntry {
    /// `severity`: `[lowest, most likely, highest]` of 1 to 10, triangular.
    Severity([u32; 3]),
    /// `site`, `radiation`: weights over site ids (`nowhere` may be a site). `duration`: weights over texts such as `3 days`,
    /// all of one attribute in ascending order of length.
    Weights(BTreeMap<String, f64>),
    /// Any other aspect: values with the patient's words.
    Values(Vec<ValueEntry>),
}

/// A value of a categorical attribute.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueEntry {
    /// Identity within the attribute.
    pub id: String,
    /// A first-person clause fragment to stand after "it" ("it is", "it gets"): "feels like a heavy weight", "started suddenly".
    pub lay: String,
    /// Weight when a disease says nothing.
    #[serde(default = "one")]
    pub weight: f64,
    /// Values a patient may say instead.
    #[serde(default)]
    pub confused_with: Vec<String>,
}

fn one() -> f64 {
    1.0
}

/// What brings patients in.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComplaintEntry {
    /// The finding that is the complaint; its id is the complaint's.
    pub finding: String,
    /// First sentences of the patient, without full stop.
    pub opening: Vec<String>,
    /// The order in which a patient with this complaint volunteers other findings when asked an open question; public.
    pub order: Vec<String>,
}

/// Quantities measured together: one latent pattern, then bands given the pattern.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PanelEntry {
    /// Identity.
    pub id: String,
    /// Heading on reports.
    pub label: String,
    /// A finding that the pattern depends on (fever for vital signs); patterns are marked by `when`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// What is measured.
    pub analytes: Vec<AnalyteEntry>,
    /// Patterns; the first is the healthy one.
    pub patterns: Vec<PatternEntry>,
    /// Pattern weights where a disease says nothing.
    pub healthy: BTreeMap<String, f64>,
}

/// One analyte (numeric) or report field (categorical).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalyteEntry {
    /// Identity, unique in the whole base.
    pub id: String,
    /// Name on reports.
    pub label: String,
    /// Unit of a numeric analyte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Decimals printed.
    #[serde(default)]
    pub decimals: u32,
    /// Seven ascending edges of six bands: very low, low, lower normal, upper normal, high, very high. Reference range: third to fifth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges: Option<[f64; 7]>,
    /// Edges for women, where they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges_female: Option<[f64; 7]>,
    /// Edges for children (5-17), where they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges_child: Option<[f64; 7]>,
    /// Second unit and factor: `["g/L", 10]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub si: Option<(String, f64)>,
    /// Values of a categorical field; the first is the normal one.
    #[serde(default)]
    pub values: Vec<FieldValueEntry>,
    /// True for a field that names a site: exam `body_part_swap` acts on it.
    #[serde(default)]
    pub site: bool,
    /// A value computed from others, never drawn: `haematocrit`, `anion_gap`, `egfr`, `ph`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived: Option<String>,
    /// Who it is reported for.
    #[serde(default)]
    pub applies: Applies,
}

/// A value of a categorical report field.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldValueEntry {
    /// Identity within the field.
    pub id: String,
    /// The clause on the report, without full stop: "No focal consolidation".
    pub text: String,
    /// Adjacent values of a site field.
    #[serde(default)]
    pub adjacent: Vec<String>,
}

/// One pattern of a panel.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatternEntry {
    /// Identity within the panel.
    pub id: String,
    /// Under which value of the panel's parent finding it can occur; both when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<bool>,
    /// What deviates from normal, by analyte id.
    #[serde(default)]
    pub bands: BTreeMap<String, BandEntry>,
}

/// Distribution of an analyte under a pattern.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum BandEntry {
    /// `very_low`, `low`, `normal`, `high`, `very_high` for a number; a value id (0.92 of the weight) for a field.
    Named(String),
    /// Six band weights of a numeric analyte.
    Bands([f64; 6]),
    /// Weights by value id of a field.
    Values(BTreeMap<String, f64>),
}

/// An exam call and what it shows.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewEntry {
    /// Exam calls that show this: `ct(region=chest)`, `cbc()`. Parameters left out match any value.
    pub calls: Vec<String>,
    /// Kind of report, for wording of ambiguity: `laboratory`, `imaging`, `tracing`, `bedside`, `pathology`, `function`.
    pub modality: String,
    /// Panels shown whole, by id.
    #[serde(default)]
    pub panels: Vec<String>,
    /// Single analytes shown, by id.
    #[serde(default)]
    pub analytes: Vec<String>,
    /// Signs shown, by finding id.
    #[serde(default)]
    pub signs: Vec<String>,
    /// Who it can be ordered for.
    #[serde(default)]
    pub applies: Applies,
}

/// A disease.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiseaseEntry {
    /// Identity.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Other names an agent may answer with.
    #[serde(default)]
    pub synonyms: Vec<String>,
    /// A lay guess of a patient, to stand after "could it be": "a heart attack".
    pub lay: String,
    /// ICD-10 code.
    pub icd10: String,
    /// Body system.
    pub system: String,
    /// 1 (most severe) to 5.
    pub severity: u32,
    /// Relative incidence by sex and age band (child, adult, middle, older).
    pub incidence: BTreeMap<Sex, Sourced<[f64; 4]>>,
    /// True when it is diagnosed clinically: its exams are normal and serve to exclude rivals.
    #[serde(default)]
    pub clinical: bool,
    /// Weights of complaints.
    pub complaints: BTreeMap<String, f64>,
    /// P(finding | disease).
    pub findings: BTreeMap<String, Sourced<Share>>,
    /// Attribute weights by finding, then aspect.
    #[serde(default)]
    pub attributes: BTreeMap<String, BTreeMap<String, DistributionEntry>>,
    /// Pattern weights by panel.
    #[serde(default)]
    pub panels: BTreeMap<String, Sourced<BTreeMap<String, f64>>>,
    /// Ways it presents; one unnamed variant when empty.
    #[serde(default)]
    pub variants: Vec<VariantEntry>,
    /// Exams a sensible clinician would order: `ecg()`.
    #[serde(default)]
    pub reference_workup: Vec<String>,
    /// Exam calls that would harm: `stress_test()`.
    #[serde(default)]
    pub contraindicated: Vec<String>,
    /// Sources of the numbers above.
    pub sources: Vec<String>,
}

/// Weights over an attribute's values, or `[lowest, most likely, highest]` severity.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum DistributionEntry {
    /// Severity, triangular.
    Severity([u32; 3]),
    /// Weights by value id (site id, duration text, value id).
    Weights(BTreeMap<String, f64>),
}

/// A way a disease presents; what it names replaces the disease's entry of the same key.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariantEntry {
    /// Identity within the disease.
    pub id: String,
    /// Relative weight by age band (child, adult, middle, older), or one for all.
    pub weight: Share,
    /// Replaces complaint weights when not empty.
    #[serde(default)]
    pub complaints: BTreeMap<String, f64>,
    /// Overrides of P(finding).
    #[serde(default)]
    pub findings: BTreeMap<String, Sourced<Share>>,
    /// Overrides of attributes.
    #[serde(default)]
    pub attributes: BTreeMap<String, BTreeMap<String, DistributionEntry>>,
    /// Overrides of panels.
    #[serde(default)]
    pub panels: BTreeMap<String, Sourced<BTreeMap<String, f64>>>,
}
