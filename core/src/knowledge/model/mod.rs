//! The compiled knowledge base: dense indexes, integer probabilities.

mod attribute;
mod disease;
mod finding;
mod item;
mod panel;

use alloc::{string::String, vec::Vec};

pub use attribute::{Attribute, AttributeValues, NamedValue, TimeUnit};
pub use disease::{Complaint, Disease, Hypothesis};
pub use finding::{Aspect, Finding, Site, Topic};
pub use item::{ItemId, ItemKind};
pub use panel::{Analyte, FieldValue, Modality, Numeric, Panel, Pattern, Scale, View};

use crate::{
    diagnosis::DiagnosisIndex,
    exam::{CallPattern, Catalogue, ExamCall},
    noise::QuestionClass,
};

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

    /// The finding below which evidence about this one is kept: what it requires, or itself.
    #[inline]
    pub(crate) fn root_of(&self, finding: u16) -> u16 {
        self.findings[usize::from(finding)].requires.unwrap_or(finding)
    }

    /// Whether a patient who comes with this complaint (index) has the finding for that reason: it is the complaint, or what the
    /// complaint requires.
    #[inline]
    pub fn is_complained_of(&self, finding: u16, complaint: u16) -> bool {
        let complained = self.complaints[usize::from(complaint)].finding;
        complained == finding || self.findings[usize::from(complained)].requires == Some(finding)
    }

    /// P(finding present | hypotheses) in parts per million for one age band; one number per hypothesis. Of a finding that requires
    /// another: given that the other is present.
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
