//! `workup kb report`: how much a knowledge base holds, and how much of it is more than an estimate.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use workup_core::{
    exam::Catalogue,
    knowledge::{
        KnowledgeBase,
        schema::{DiseaseEntry, FindingKind, KnowledgeFile, SourceKind, Sourced},
    },
};

use crate::setting::as_hex;

/// How many numbers there are of a kind, by where they come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Numbers {
    /// All of them.
    pub total: u64,
    /// From a study.
    pub study: u64,
    /// From a public table.
    pub table: u64,
    /// From a review article or textbook.
    pub review: u64,
    /// Derived from synthetic data or by a model.
    pub derived: u64,
    /// Estimates.
    pub estimate: u64,
}

impl Numbers {
    fn count(&mut self, kind: Option<SourceKind>) {
        self.total += 1;
        *match kind {
            Some(SourceKind::Study) => &mut self.study,
            Some(SourceKind::Table) => &mut self.table,
            Some(SourceKind::Review) => &mut self.review,
            Some(SourceKind::Derived) => &mut self.derived,
            None => &mut self.estimate,
        } += 1;
    }

    fn plus(self, other: Self) -> Self {
        Self {
            total: self.total + other.total,
            study: self.study + other.study,
            table: self.table + other.table,
            review: self.review + other.review,
            derived: self.derived + other.derived,
            estimate: self.estimate + other.estimate,
        }
    }

    fn share(self, part: u64) -> f64 {
        if self.total == 0 { 0.0 } else { part as f64 / self.total as f64 }
    }
}

/// What a knowledge base holds.
#[derive(Clone, Debug, Serialize)]
pub struct KnowledgeReport {
    /// Name of the pack.
    pub knowledge: String,
    /// Its digest.
    #[serde(serialize_with = "as_hex")]
    pub knowledge_digest: u64,
    /// Diseases.
    pub diseases: usize,
    /// Diseases times variants.
    pub hypotheses: usize,
    /// Diseases by body system.
    pub systems: BTreeMap<String, usize>,
    /// Findings.
    pub findings: usize,
    /// Findings by kind.
    pub findings_by_kind: BTreeMap<&'static str, usize>,
    /// Complaints.
    pub complaints: usize,
    /// Panels.
    pub panels: usize,
    /// Exams that can be ordered.
    pub exams: usize,
    /// P(finding | disease): one per finding that a disease or variant gives.
    pub finding_numbers: Numbers,
    /// Exam results given a disease: one per panel that a disease or variant gives.
    pub exam_numbers: Numbers,
    /// Incidence: one per disease and sex.
    pub incidence_numbers: Numbers,
    /// Share of all these numbers that stand in a study or a public table.
    pub sourced_share: f64,
    /// The same with numbers of reviews and derived ones.
    pub derived_share: f64,
    /// Sources that some number names.
    pub sources: usize,
}

/// Counts a knowledge base as it was written (`file`) and compiled (`base`).
pub fn report_base(file: &KnowledgeFile, base: &KnowledgeBase) -> KnowledgeReport {
    let kinds: BTreeMap<&str, SourceKind> =
        file.sources.iter().map(|source| (source.id.as_str(), source.kind)).collect();
    let kind_of = |source: Option<&str>| source.and_then(|id| kinds.get(id).copied());
    let mut used = BTreeSet::new();
    let [mut findings, mut exams, mut incidence] = [Numbers::default(); 3];
    for disease in &file.diseases {
        for (numbers, sources) in [
            (&mut findings, finding_sources(disease)),
            (&mut exams, panel_sources(disease)),
            (&mut incidence, disease.incidence.values().map(Sourced::source).collect()),
        ] {
            for source in sources {
                numbers.count(kind_of(source));
                used.extend(source);
            }
        }
    }
    let all = findings.plus(exams).plus(incidence);
    let mut systems = BTreeMap::new();
    for disease in &file.diseases {
        *systems.entry(disease.system.clone()).or_insert(0) += 1;
    }
    KnowledgeReport {
        knowledge: base.name.clone(),
        knowledge_digest: base.digest,
        diseases: base.diseases.len(),
        hypotheses: base.hypotheses.len(),
        systems,
        findings: base.findings.len(),
        findings_by_kind: by_kind(file),
        complaints: base.complaints.len(),
        panels: base.panels.len(),
        exams: orderable(&base.catalogue),
        finding_numbers: findings,
        exam_numbers: exams,
        incidence_numbers: incidence,
        sourced_share: all.share(all.study + all.table),
        derived_share: all.share(all.study + all.table + all.review + all.derived),
        sources: used.len(),
    }
}

fn orderable(catalogue: &Catalogue) -> usize {
    catalogue.exams().iter().filter(|exam| !exam.imported_only).count()
}

fn by_kind(file: &KnowledgeFile) -> BTreeMap<&'static str, usize> {
    let mut kinds = BTreeMap::new();
    for finding in &file.findings {
        let name = match finding.kind {
            FindingKind::Symptom => "symptom",
            FindingKind::Sign => "sign",
            FindingKind::Antecedent => "antecedent",
            FindingKind::Risk => "risk",
        };
        *kinds.entry(name).or_insert(0) += 1;
    }
    kinds
}

fn finding_sources(disease: &DiseaseEntry) -> Vec<Option<&str>> {
    let variants = disease.variants.iter().flat_map(|variant| variant.findings.values());
    disease.findings.values().chain(variants).map(Sourced::source).collect()
}

fn panel_sources(disease: &DiseaseEntry) -> Vec<Option<&str>> {
    let variants = disease.variants.iter().flat_map(|variant| variant.panels.values());
    disease.panels.values().chain(variants).map(Sourced::source).collect()
}
