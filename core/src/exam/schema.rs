//! `exams.json` as serde structs, before any check.

use alloc::{collections::BTreeMap, string::String, vec::Vec};

use serde::Deserialize;

use crate::knowledge::Sex;

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CatalogueFile {
    /// Version of this format.
    pub(super) version: u32,
    /// A remark for people.
    #[serde(default)]
    #[expect(dead_code, reason = "for readers of the file")]
    note: String,
    /// Where prices come from: tag -> words.
    pub(super) sources: BTreeMap<String, String>,
    /// Lists of values that several parameters share.
    pub(super) value_sets: BTreeMap<String, Vec<String>>,
    /// Lists of (other word, value) that several parameters share, in the order in which they are tried.
    pub(super) alias_sets: BTreeMap<String, Vec<(String, String)>>,
    /// The exams, in catalogue order.
    pub(super) exams: Vec<ExamEntry>,
}

/// One exam.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExamEntry {
    pub(super) name: String,
    pub(super) label: String,
    pub(super) group: String,
    /// Other names of the exam, normalised.
    #[serde(default)]
    pub(super) also: Vec<String>,
    /// The exam of which this is another name.
    pub(super) same_as: Option<String>,
    #[serde(default)]
    pub(super) imported_only: bool,
    /// Published money level; absent where the published table has no entry.
    pub(super) cost_level: Option<u32>,
    /// Published discomfort level.
    pub(super) discomfort_level: Option<u32>,
    pub(super) usd_cents_medicare: u32,
    pub(super) usd_cents_cash: u32,
    pub(super) discomfort: u32,
    pub(super) source: String,
    #[serde(default)]
    pub(super) parameters: Vec<ParameterEntry>,
    #[serde(default)]
    pub(super) prices: Vec<PriceEntry>,
    #[serde(default)]
    pub(super) collection: Vec<CollectionEntry>,
    #[serde(default)]
    pub(super) only_for: Vec<OnlyForEntry>,
}

/// One parameter.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParameterEntry {
    pub(super) name: String,
    #[serde(default)]
    pub(super) required: bool,
    pub(super) default: Option<String>,
    /// False where the published normaliser knows no values.
    #[serde(default = "yes")]
    pub(super) published: bool,
    /// Absent for free text.
    pub(super) values: Option<ValuesEntry>,
    /// Alias sets the published normaliser knows.
    #[serde(default)]
    pub(super) published_aliases: Vec<String>,
    /// Alias sets of ours.
    #[serde(default)]
    pub(super) alias_sets: Vec<String>,
    /// Aliases of ours.
    #[serde(default)]
    pub(super) aliases: Vec<(String, String)>,
}

fn yes() -> bool {
    true
}

/// Values of a parameter: the name of a set, or a list.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum ValuesEntry {
    Set(String),
    List(Vec<String>),
}

/// A price for some parameter values.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PriceEntry {
    pub(super) when: BTreeMap<String, String>,
    pub(super) usd_cents_medicare: u32,
    pub(super) usd_cents_cash: u32,
    pub(super) discomfort: Option<u32>,
    pub(super) source: String,
}

/// The exam that collects the specimen which this one analyses.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CollectionEntry {
    pub(super) when: BTreeMap<String, String>,
    pub(super) exam: String,
    #[serde(default)]
    pub(super) arguments: BTreeMap<String, String>,
}

/// Anatomy that the exam needs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OnlyForEntry {
    pub(super) when: BTreeMap<String, String>,
    pub(super) sex: Sex,
}
