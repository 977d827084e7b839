//! The compiled knowledge base: dense indexes, integer probabilities.

use alloc::{string::String, vec::Vec};

use super::schema::{Applies, FindingKind, Sex};
use crate::{
    diagnosis::DiagnosisIndex,
    exam::{CallPattern, Catalogue, ExamCall},
    noise::QuestionClass,
};

/// Index over all items that can be reported: findings first, then attributes, then analytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct ItemId(pub u16);

/// What an [`ItemId`] stands for; the number indexes the vector of that kind in [`KnowledgeBase`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A finding: present or absent.
    Finding(u16),
    /// An attribute of a finding.
    Attribute(u16),
    /// An analyte or report field of a panel.
    Analyte(u16),
}

/// What an attribute tells about its finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// Where it is.
    Site,
    /// What it is like.
    Character,
    /// How bad, 1 to 10.
    Severity,
    /// How it began.
    Onset,
    /// How long it has lasted.
    Duration,
    /// Where it spreads.
    Radiation,
    /// What makes it worse.
    Aggravating,
    /// What makes it better.
    Relieving,
    /// When it comes.
    Timing,
}

impl Aspect {
    /// All aspects in their fixed order.
    pub const ALL: [Self; 9] = [
        Self::Site,
        Self::Character,
        Self::Severity,
        Self::Onset,
        Self::Duration,
        Self::Radiation,
        Self::Aggravating,
        Self::Relieving,
        Self::Timing,
    ];

    /// The name used in files, codes and flags.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Site => "site",
            Self::Character => "character",
            Self::Severity => "severity",
            Self::Onset => "onset",
            Self::Duration => "duration",
            Self::Radiation => "radiation",
            Self::Aggravating => "aggravating",
            Self::Relieving => "relieving",
            Self::Timing => "timing",
        }
    }

    /// The aspect of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|aspect| aspect.name() == name)
    }
}

/// What an open question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// The complaint and what goes with it.
    Complaint,
    /// Past illness and operations.
    History,
    /// Medicines.
    Medication,
    /// Allergies.
    Allergy,
    /// Illness in the family.
    Family,
    /// Habits, work, home.
    Social,
}

impl Topic {
    /// All topics in their fixed order.
    pub const ALL: [Self; 6] =
        [Self::Complaint, Self::History, Self::Medication, Self::Allergy, Self::Family, Self::Social];

    /// The name used in files, codes and flags.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Complaint => "complaint",
            Self::History => "history",
            Self::Medication => "medication",
            Self::Allergy => "allergy",
            Self::Family => "family",
            Self::Social => "social",
        }
    }
}

/// A place on the body.
#[derive(Clone, Debug)]
pub struct Site {
    /// Identity.
    pub id: String,
    /// The patient's words, to stand after "in".
    pub lay: String,
    /// Neighbouring sites (indexes).
    pub adjacent: Vec<u16>,
}

/// A finding.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Identity.
    pub id: String,
    /// FNV-1a-64 of the id: the key of its draws.
    pub key: u64,
    /// Kind.
    pub kind: FindingKind,
    /// Clinical term.
    pub term: String,
    /// First-person noun phrase.
    pub noun: String,
    /// First-person clauses when present.
    pub present: Vec<String>,
    /// First-person clauses when absent.
    pub absent: Vec<String>,
    /// Report texts, present and absent.
    pub report: [String; 2],
    /// Word sequences that ask for it.
    pub ask: Vec<String>,
    /// Hard zeros.
    pub applies: Applies,
    /// Findings it may be mixed up with (indexes).
    pub neighbours: Vec<u16>,
    /// Its attributes (indexes).
    pub attributes: Vec<u16>,
    /// Panels whose pattern depends on it (indexes).
    pub panels: Vec<u16>,
}

impl Finding {
    /// True when a patient is asked for it as history: past illness, medicine, habit.
    pub const fn is_history(&self) -> bool {
        matches!(self.kind, FindingKind::Antecedent | FindingKind::Risk)
    }
}

/// Unit of a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum TimeUnit {
    /// Minutes.
    Minute,
    /// Hours.
    Hour,
    /// Days.
    Day,
    /// Weeks.
    Week,
    /// Months.
    Month,
    /// Years.
    Year,
}

impl TimeUnit {
    /// All units, shortest first.
    pub const ALL: [Self; 6] = [Self::Minute, Self::Hour, Self::Day, Self::Week, Self::Month, Self::Year];

    /// Singular word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }
}

/// A value of a categorical attribute.
#[derive(Clone, Debug)]
pub struct NamedValue {
    /// Identity within the attribute.
    pub id: String,
    /// The patient's words, to stand after "it".
    pub lay: String,
}

/// The values an attribute can take.
#[derive(Clone, Debug)]
pub enum AttributeValues {
    /// 1 to 10; value index `v` means `v + 1`.
    Severity,
    /// Number and unit.
    Duration(Vec<(u32, TimeUnit)>),
    /// Sites (indexes into [`KnowledgeBase::sites`]).
    Sites(Vec<u16>),
    /// Words.
    Named(Vec<NamedValue>),
}

/// An attribute of a finding.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The finding it belongs to (index).
    pub finding: u16,
    /// What it tells.
    pub aspect: Aspect,
    /// FNV-1a-64 of `finding.aspect`: the key of its draws.
    pub key: u64,
    /// Its values.
    pub values: AttributeValues,
    /// For each value the values a confused patient may say instead; empty lists for severity, duration and sites.
    pub confused: Vec<Vec<u16>>,
    /// Number of values.
    pub num_values: usize,
}

/// Scale of a numeric analyte in ticks of `10^-decimals`.
#[derive(Clone, Debug)]
pub struct Scale {
    /// Seven ascending edges of six bands, in ticks.
    pub edges: [i32; 7],
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

/// A pattern of a panel.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Identity within the panel.
    pub id: String,
    /// Band weights in parts per million, by position of the analyte in the panel.
    pub bands: Vec<Vec<u32>>,
}

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

/// What brings a patient in.
#[derive(Clone, Debug)]
pub struct Complaint {
    /// The finding (index).
    pub finding: u16,
    /// First sentences.
    pub opening: Vec<String>,
    /// Public order of volunteering (indexes of findings).
    pub order: Vec<u16>,
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

/// A disease.
#[derive(Clone, Debug)]
pub struct Disease {
    /// Identity.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Other names.
    pub synonyms: Vec<String>,
    /// Lay guess.
    pub lay: String,
    /// ICD-10 code.
    pub icd10: String,
    /// Body system.
    pub system: String,
    /// 1 (most severe) to 5.
    pub severity: u32,
    /// Relative incidence, `[sex][age band]`, sex as in [`Sex`].
    pub incidence: [[u32; 4]; 2],
    /// Total incidence over all cells, relative to the other diseases, in units of 1/1000; at least 1.
    pub prevalence: u32,
    /// Diagnosed clinically.
    pub clinical: bool,
    /// Its hypotheses: the range of indexes.
    pub hypotheses: core::ops::Range<usize>,
    /// Calls a sensible clinician would order, as written.
    pub reference_workup: Vec<String>,
    /// Calls that would harm, as patterns.
    pub contraindicated: Vec<CallPattern>,
    /// Sources.
    pub sources: Vec<String>,
}

/// A disease in one way it presents.
#[derive(Clone, Debug)]
pub struct Hypothesis {
    /// The disease (index).
    pub disease: u16,
    /// Variant id; empty for the only one.
    pub variant: String,
    /// Weight among the disease's variants, by age band, in parts per million.
    pub weight: [u32; 4],
    /// Complaint weights in parts per million, by complaint index.
    pub complaints: Vec<u32>,
}

/// A compiled knowledge base.
#[derive(Clone, Debug)]
pub struct KnowledgeBase {
    /// Short name.
    pub name: String,
    /// One sentence.
    pub description: String,
    /// FNV-1a-64 over the canonical JSON.
    pub digest: u64,
    /// Sites.
    pub sites: Vec<Site>,
    /// Findings.
    pub findings: Vec<Finding>,
    /// Attributes of findings.
    pub attributes: Vec<Attribute>,
    /// Panels.
    pub panels: Vec<Panel>,
    /// Analytes of panels.
    pub analytes: Vec<Analyte>,
    /// Complaints.
    pub complaints: Vec<Complaint>,
    /// Views.
    pub views: Vec<View>,
    /// Diseases.
    pub diseases: Vec<Disease>,
    /// Hypotheses, grouped by disease.
    pub hypotheses: Vec<Hypothesis>,
    /// Orders of open questions by [`Topic`]; empty for the complaint, whose order depends on it.
    pub topics: [Vec<u16>; 6],
    /// Groups of diseases: name, indexes.
    pub groups: Vec<(String, Vec<u16>)>,
    /// The exams that can be ordered.
    pub catalogue: Catalogue,
    /// Names of diseases and groups, for reading a diagnosis.
    pub names: DiagnosisIndex,
    /// P(finding | band, hypothesis) in parts per million: `[finding][band][hypothesis]`.
    pub(crate) finding_ppm: Vec<u32>,
    /// P(value | hypothesis) in parts per million, per attribute `[hypothesis][value]`.
    pub(crate) attribute_ppm: Vec<Vec<u32>>,
    /// P(pattern | parent value, hypothesis) in parts per million, per panel `[parent value][hypothesis][pattern]`.
    pub(crate) pattern_ppm: Vec<Vec<u32>>,
    /// Views by exam index, most specific call pattern first.
    pub(crate) views_by_exam: Vec<Vec<(CallPattern, u16)>>,
}

impl KnowledgeBase {
    /// Number of items.
    pub fn num_items(&self) -> usize {
        self.findings.len() + self.attributes.len() + self.analytes.len()
    }

    /// The item of finding `index`.
    #[inline]
    pub fn finding_item(&self, index: u16) -> ItemId {
        ItemId(index)
    }

    /// The item of attribute `index`.
    #[inline]
    pub fn attribute_item(&self, index: u16) -> ItemId {
        ItemId(self.findings.len() as u16 + index)
    }

    /// The item of analyte `index`.
    #[inline]
    pub fn analyte_item(&self, index: u16) -> ItemId {
        ItemId((self.findings.len() + self.attributes.len()) as u16 + index)
    }

    /// What an item is; `None` when there is no such item.
    #[inline]
    pub fn item_kind(&self, item: ItemId) -> Option<ItemKind> {
        let index = usize::from(item.0);
        let attributes = index.checked_sub(self.findings.len());
        match attributes {
            None => Some(ItemKind::Finding(item.0)),
            Some(rest) if rest < self.attributes.len() => Some(ItemKind::Attribute(rest as u16)),
            Some(rest) if rest - self.attributes.len() < self.analytes.len() => {
                Some(ItemKind::Analyte((rest - self.attributes.len()) as u16))
            }
            Some(_) => None,
        }
    }

    /// The id of an item: `chest_pain`, `chest_pain.site`, `troponin`.
    pub fn item_name(&self, item: ItemId) -> String {
        match self.item_kind(item) {
            Some(ItemKind::Finding(index)) => self.findings[usize::from(index)].id.clone(),
            Some(ItemKind::Attribute(index)) => {
                let attribute = &self.attributes[usize::from(index)];
                alloc::format!("{}.{}", self.findings[usize::from(attribute.finding)].id, attribute.aspect.name())
            }
            Some(ItemKind::Analyte(index)) => self.analytes[usize::from(index)].id.clone(),
            None => String::new(),
        }
    }

    /// The item with this name, as [`Self::item_name`] writes it.
    pub fn item_by_name(&self, name: &str) -> Option<ItemId> {
        if let Some((finding, aspect)) = name.split_once('.') {
            let attribute = self.attribute_of(self.finding_index(finding)?, Aspect::from_name(aspect)?)?;
            return Some(self.attribute_item(attribute));
        }
        if let Some(finding) = self.finding_index(name) {
            return Some(self.finding_item(finding));
        }
        let analyte = self.analytes.iter().position(|analyte| analyte.id == name)?;
        Some(self.analyte_item(analyte as u16))
    }

    /// How a question about an item is open to noise; `None` for analytes, which are not asked.
    #[inline]
    pub fn question_class(&self, item: ItemId) -> Option<QuestionClass> {
        match self.item_kind(item)? {
            ItemKind::Finding(index) => {
                let finding = &self.findings[usize::from(index)];
                Some(if finding.is_history() {
                    QuestionClass::History
                } else {
                    QuestionClass::Polar { confusable: !finding.neighbours.is_empty() }
                })
            }
            ItemKind::Attribute(index) => Some(match self.attributes[usize::from(index)].aspect {
                Aspect::Site | Aspect::Radiation => QuestionClass::Site,
                Aspect::Severity => QuestionClass::Severity,
                Aspect::Duration => QuestionClass::Time,
                Aspect::Character | Aspect::Onset | Aspect::Aggravating | Aspect::Relieving | Aspect::Timing => {
                    QuestionClass::Character
                }
            }),
            ItemKind::Analyte(_) => None,
        }
    }

    /// The key of an item's draws.
    #[inline]
    pub fn item_key(&self, item: ItemId) -> u64 {
        match self.item_kind(item) {
            Some(ItemKind::Finding(index)) => self.findings[usize::from(index)].key,
            Some(ItemKind::Attribute(index)) => self.attributes[usize::from(index)].key,
            Some(ItemKind::Analyte(index)) => self.analytes[usize::from(index)].key,
            None => 0,
        }
    }

    /// The index of the finding with this id.
    pub fn finding_index(&self, id: &str) -> Option<u16> {
        self.findings.iter().position(|finding| finding.id == id).map(|index| index as u16)
    }

    /// The index of the disease with this id.
    pub fn disease_index(&self, id: &str) -> Option<u16> {
        self.diseases.iter().position(|disease| disease.id == id).map(|index| index as u16)
    }

    /// The attribute of a finding for an aspect.
    #[inline]
    pub fn attribute_of(&self, finding: u16, aspect: Aspect) -> Option<u16> {
        let finding = &self.findings[usize::from(finding)];
        finding.attributes.iter().copied().find(|&index| self.attributes[usize::from(index)].aspect == aspect)
    }

    /// What a call shows: the view with the most specific matching pattern.
    pub fn view_of(&self, call: &ExamCall) -> Option<u16> {
        let call = self.catalogue.identity(call);
        let views = self.views_by_exam.get(call.exam())?;
        views.iter().find(|(pattern, _)| pattern.matches(&call)).map(|&(_, view)| view)
    }

    /// P(finding present | hypotheses) in parts per million for one age band; one number per hypothesis.
    #[inline]
    pub fn finding_probabilities(&self, finding: u16, band: usize) -> &[u32] {
        let num = self.hypotheses.len();
        let start = (usize::from(finding) * 4 + band) * num;
        &self.finding_ppm[start..start + num]
    }

    /// P(value | hypothesis) in parts per million for one attribute.
    #[inline]
    pub fn attribute_probabilities(&self, attribute: u16, hypothesis: usize) -> &[u32] {
        let num = self.attributes[usize::from(attribute)].num_values;
        &self.attribute_ppm[usize::from(attribute)][hypothesis * num..(hypothesis + 1) * num]
    }

    /// P(pattern | hypothesis, parent value) in parts per million for one panel; the parent value is ignored without a parent.
    #[inline]
    pub fn pattern_probabilities(&self, panel: u16, hypothesis: usize, parent: bool) -> &[u32] {
        let entry = &self.panels[usize::from(panel)];
        let num = entry.patterns.len();
        let half = if entry.parent.is_some() && parent { self.hypotheses.len() } else { 0 };
        let start = (half + hypothesis) * num;
        &self.pattern_ppm[usize::from(panel)][start..start + num]
    }
}

/// True when someone of this sex and age is inside the limits.
impl Applies {
    /// True when someone of this sex and age in years is inside the limits.
    #[inline]
    pub fn covers(&self, sex: Sex, age: u32) -> bool {
        self.sex.is_none_or(|only| only == sex)
            && self.min_age.is_none_or(|min| age >= min)
            && self.max_age.is_none_or(|max| age <= max)
    }
}
