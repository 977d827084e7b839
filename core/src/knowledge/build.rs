//! Parsed files -> compiled knowledge base. One function per section; every reference is checked here.

mod diseases;
mod findings;
mod panels;

use alloc::{
    collections::BTreeMap,
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{
    Applies, Complaint, FindingKind, KnowledgeBase, KnowledgeError, Modality, Problem, Site, Topic, View,
    load::unique,
    schema::{AttributeEntry, KnowledgeFile, PanelEntry},
};
use crate::{
    diagnosis::DiagnosisIndex,
    exam::{CallPattern, Catalogue, MAX_PARAMETERS},
};

/// Most entries of one section: indexes are 16 bits wide and items share one numbering.
const MAX_ENTRIES: usize = 8_000;
/// Most hypotheses: diseases times variants.
const MAX_HYPOTHESES: usize = 2_000;

/// Id -> index of one section.
type Index<'a> = BTreeMap<&'a str, u16>;

/// Where an error is, while one entry is compiled.
#[derive(Clone, Copy)]
struct Place<'a> {
    section: &'static str,
    entry: &'a str,
}

impl Place<'_> {
    fn error(self, field: impl Into<String>, problem: Problem) -> KnowledgeError {
        KnowledgeError { section: self.section, entry: self.entry.into(), field: field.into(), problem }
    }

    fn find(self, field: &str, index: &Index<'_>, id: &str) -> Result<u16, KnowledgeError> {
        index.get(id).copied().ok_or_else(|| self.error(field, Problem::UnknownId(id.into())))
    }

    fn find_all<'a>(
        self,
        field: &str,
        index: &Index<'_>,
        ids: impl IntoIterator<Item = &'a String>,
    ) -> Result<Vec<u16>, KnowledgeError> {
        ids.into_iter().map(|id| self.find(field, index, id)).collect()
    }

    fn not_empty(self, field: &str, empty: bool) -> Result<(), KnowledgeError> {
        if empty { Err(self.error(field, Problem::Empty)) } else { Ok(()) }
    }

    fn weights(self, field: &str, weights: &[f64]) -> Result<Vec<u32>, KnowledgeError> {
        super::tables::weights_ppm(weights).ok_or_else(|| {
            self.error(
                field,
                Problem::BadNumber(
                    alloc::format!("{weights:?}"),
                    "weights are not negative and at least one is above 0",
                ),
            )
        })
    }
}

/// Every section's index.
struct Indexes<'a> {
    sites: Index<'a>,
    findings: Index<'a>,
    complaints: Index<'a>,
    panels: Index<'a>,
    analytes: Index<'a>,
    diseases: Index<'a>,
    sources: Index<'a>,
}

fn index<'a>(section: &'static str, ids: impl Iterator<Item = &'a str> + Clone) -> Result<Index<'a>, KnowledgeError> {
    unique(section, ids.clone(), MAX_ENTRIES)?;
    Ok(ids.enumerate().map(|(position, id)| (id, position as u16)).collect())
}

impl<'a> Indexes<'a> {
    fn new(file: &'a KnowledgeFile) -> Result<Self, KnowledgeError> {
        let analytes = file.panels.iter().flat_map(|panel| panel.analytes.iter().map(|analyte| analyte.id.as_str()));
        Ok(Self {
            sites: index("sites", file.sites.iter().map(|site| site.id.as_str()))?,
            findings: index("findings", file.findings.iter().map(|finding| finding.id.as_str()))?,
            complaints: index("complaints", file.complaints.iter().map(|complaint| complaint.finding.as_str()))?,
            panels: index("panels", file.panels.iter().map(|panel| panel.id.as_str()))?,
            analytes: index("analytes", analytes)?,
            diseases: index("diseases", file.diseases.iter().map(|disease| disease.id.as_str()))?,
            sources: index("sources", file.sources.iter().map(|source| source.id.as_str()))?,
        })
    }
}

/// Most cells of all probability tables together: their size is a product of sections, so it is bounded before any is made.
const MAX_CELLS: usize = 20_000_000;

/// Bounds what is not bounded by unique ids, and the tables.
fn check_sizes(file: &KnowledgeFile) -> Result<(), KnowledgeError> {
    let check = |section: &'static str, number: usize, limit: usize| {
        let place = Place { section, entry: "all" };
        if number <= limit { Ok(()) } else { Err(place.error("entries", Problem::TooMany(number, limit))) }
    };
    check("views", file.views.len(), MAX_ENTRIES)?;
    check("pack", file.pack.groups.len(), MAX_ENTRIES)?;
    let attributes: usize = file.findings.iter().flat_map(|finding| finding.attributes.values()).map(num_values).sum();
    let patterns: usize = file.panels.iter().map(|panel| panel.patterns.len().saturating_mul(2)).sum();
    let bands: usize = file.panels.iter().map(|panel| panel.patterns.len().saturating_mul(panel_width(panel))).sum();
    let hypotheses: usize = file.diseases.iter().map(|disease| disease.variants.len().max(1)).sum();
    check("diseases", hypotheses, MAX_HYPOTHESES)?;
    let per_hypothesis = file.findings.len().saturating_mul(4).saturating_add(attributes).saturating_add(patterns);
    check("findings", per_hypothesis.saturating_mul(hypotheses).saturating_add(bands), MAX_CELLS)
}

fn num_values(entry: &AttributeEntry) -> usize {
    match entry {
        AttributeEntry::Severity(_) => 10,
        AttributeEntry::Weights(weights) => weights.len(),
        AttributeEntry::Values(values) => values.len(),
    }
}

/// Bands and values of all analytes of a panel.
fn panel_width(panel: &PanelEntry) -> usize {
    panel.analytes.iter().map(|analyte| analyte.values.len().max(6)).sum()
}

/// Compiles a parsed base; `digest` is that of its canonical JSON.
pub(super) fn compile(file: &KnowledgeFile, digest: u64) -> Result<KnowledgeBase, KnowledgeError> {
    check_sizes(file)?;
    let indexes = Indexes::new(file)?;
    let catalogue = Catalogue::embedded().map_err(|error| {
        Place { section: "exams", entry: &error.entry }
            .error(error.field.clone(), Problem::Invalid(error.problem.clone()))
    })?;
    let (mut findings, attributes) = findings::compile(file, &indexes)?;
    let (panels, analytes) = panels::compile(file, &indexes)?;
    for (position, panel) in panels.iter().enumerate() {
        if let Some(parent) = panel.parent {
            if findings[usize::from(parent)].requires.is_some() {
                let problem = "its parent requires another finding: depend on that one";
                let place = Place { section: "panels", entry: &panel.id };
                return Err(place.error("parent", Problem::Invalid(problem.into())));
            }
            findings[usize::from(parent)].panels.push(position as u16);
        }
    }
    let (diseases, hypotheses) = diseases::compile(file, &indexes, &catalogue)?;
    if hypotheses.is_empty() || hypotheses.len() > MAX_HYPOTHESES {
        let place = Place { section: "diseases", entry: "all" };
        return Err(place.error("variants", Problem::TooMany(hypotheses.len(), MAX_HYPOTHESES)));
    }
    let views = compile_views(file, &indexes, &catalogue)?;
    let mut base = KnowledgeBase {
        name: file.pack.name.clone(),
        description: file.pack.description.clone(),
        digest,
        sites: compile_sites(file, &indexes)?,
        complaints: compile_complaints(file, &indexes)?,
        views_by_exam: index_views(&views, &catalogue),
        views,
        topics: compile_topics(file, &indexes)?,
        groups: compile_groups(file, &indexes)?,
        catalogue,
        names: compile_names(file, &indexes)?,
        findings,
        attributes,
        panels,
        analytes,
        diseases,
        hypotheses,
        finding_ppm: Vec::new(),
        attribute_ppm: Vec::new(),
        pattern_ppm: Vec::new(),
    };
    if base.num_items() > MAX_ENTRIES * 4 {
        let place = Place { section: "findings", entry: "all" };
        return Err(place.error("items", Problem::TooMany(base.num_items(), MAX_ENTRIES * 4)));
    }
    base.finding_ppm = diseases::finding_table(file, &base, &indexes)?;
    base.attribute_ppm = diseases::attribute_tables(file, &base, &indexes)?;
    base.pattern_ppm = diseases::pattern_tables(file, &base, &indexes)?;
    Ok(base)
}

fn compile_sites(file: &KnowledgeFile, indexes: &Indexes<'_>) -> Result<Vec<Site>, KnowledgeError> {
    let compile = |entry: &super::schema::SiteEntry| {
        let place = Place { section: "sites", entry: &entry.id };
        place.not_empty("lay", entry.lay.is_empty())?;
        let adjacent = place.find_all("adjacent", &indexes.sites, &entry.adjacent)?;
        Ok(Site { id: entry.id.clone(), lay: entry.lay.clone(), adjacent })
    };
    file.sites.iter().map(compile).collect()
}

fn compile_complaints(file: &KnowledgeFile, indexes: &Indexes<'_>) -> Result<Vec<Complaint>, KnowledgeError> {
    let compile = |entry: &super::schema::ComplaintEntry| {
        let place = Place { section: "complaints", entry: &entry.finding };
        place.not_empty("opening", entry.opening.is_empty())?;
        let finding = place.find("finding", &indexes.findings, &entry.finding)?;
        let own = &file.findings[usize::from(finding)];
        if own.kind == FindingKind::Sign || own.applies.sex.is_some() {
            let problem = "a complaint is something that any patient can feel: no sign, not of one sex";
            return Err(place.error("finding", Problem::Invalid(problem.into())));
        }
        let mut order = told_order(place, "order", file, indexes, &entry.order)?;
        order.retain(|&other| other != finding);
        Ok(Complaint { finding, opening: entry.opening.clone(), order })
    };
    file.complaints.iter().map(compile).collect()
}

/// An order in which a patient goes through findings: each once, and none that only a doctor can find.
fn told_order(
    place: Place<'_>,
    field: &str,
    file: &KnowledgeFile,
    indexes: &Indexes<'_>,
    ids: &[String],
) -> Result<Vec<u16>, KnowledgeError> {
    let order = place.find_all(field, &indexes.findings, ids)?;
    for (position, &finding) in order.iter().enumerate() {
        let entry = &file.findings[usize::from(finding)];
        if entry.kind == FindingKind::Sign {
            return Err(
                place.error(field, Problem::Invalid(format!("`{}` is a sign: patients cannot tell it", entry.id)))
            );
        }
        if order[..position].contains(&finding) {
            return Err(place.error(field, Problem::Duplicate(entry.id.clone())));
        }
    }
    Ok(order)
}

fn compile_topics(file: &KnowledgeFile, indexes: &Indexes<'_>) -> Result<[Vec<u16>; 6], KnowledgeError> {
    let place = Place { section: "pack", entry: &file.pack.name };
    let mut topics: [Vec<u16>; 6] = Default::default();
    for (name, ids) in &file.pack.topics {
        let topic = Topic::ALL.into_iter().find(|topic| topic.name() == name && *topic != Topic::Complaint);
        let topic = topic.ok_or_else(|| place.error("topics", Problem::UnknownId(name.clone())))?;
        topics[topic as usize] = told_order(place, "topics", file, indexes, ids)?;
    }
    Ok(topics)
}

fn compile_groups(file: &KnowledgeFile, indexes: &Indexes<'_>) -> Result<Vec<(String, Vec<u16>)>, KnowledgeError> {
    let place = Place { section: "pack", entry: &file.pack.name };
    let compile =
        |(name, ids): (&String, &Vec<String>)| Ok((name.clone(), place.find_all("groups", &indexes.diseases, ids)?));
    file.pack.groups.iter().map(compile).collect()
}

fn compile_names(file: &KnowledgeFile, indexes: &Indexes<'_>) -> Result<DiagnosisIndex, KnowledgeError> {
    let named = file.diseases.iter().enumerate().flat_map(|(index, disease)| {
        let names = core::iter::once(&disease.name).chain(&disease.synonyms);
        names.map(move |name| (index as u16, name.as_str()))
    });
    let groups = compile_groups(file, indexes)?;
    let groups = groups.iter().map(|(name, members)| (name.as_str(), members.as_slice()));
    DiagnosisIndex::new(named, groups).map_err(|clash| {
        let place = Place { section: "diseases", entry: &clash.name };
        place.error("synonyms", Problem::Duplicate(clash.name.clone()))
    })
}

fn compile_views(
    file: &KnowledgeFile,
    indexes: &Indexes<'_>,
    catalogue: &Catalogue,
) -> Result<Vec<View>, KnowledgeError> {
    let mut views = Vec::new();
    for entry in &file.views {
        let name = entry.calls.first().map_or("", String::as_str);
        let place = Place { section: "views", entry: name };
        place.not_empty("calls", entry.calls.is_empty())?;
        let mut analytes = Vec::new();
        for panel in place.find_all("panels", &indexes.panels, &entry.panels)? {
            for analyte in &file.panels[usize::from(panel)].analytes {
                analytes.push(place.find("panels", &indexes.analytes, &analyte.id)?);
            }
        }
        analytes.extend(place.find_all("analytes", &indexes.analytes, &entry.analytes)?);
        if let Some(twice) = first_repeated(&analytes) {
            let panel = file.panels.iter().flat_map(|panel| &panel.analytes).nth(usize::from(twice));
            return Err(
                place.error("analytes", Problem::Duplicate(panel.map(|entry| entry.id.clone()).unwrap_or_default()))
            );
        }
        let signs = place.find_all("signs", &indexes.findings, &entry.signs)?;
        if let Some(wrong) = signs.iter().find(|&&sign| file.findings[usize::from(sign)].kind != FindingKind::Sign) {
            let id = &file.findings[usize::from(*wrong)].id;
            return Err(place.error("signs", Problem::Invalid(format!("`{id}` is no sign"))));
        }
        place.not_empty("panels", analytes.is_empty() && signs.is_empty())?;
        views.push(View {
            calls: entry
                .calls
                .iter()
                .map(|call| parse_call(place, "calls", catalogue, call))
                .collect::<Result<_, _>>()?,
            modality: modality(place, &entry.modality)?,
            analytes,
            signs,
            applies: entry.applies.clone(),
        });
    }
    Ok(views)
}

/// The first index that stands twice.
fn first_repeated(indexes: &[u16]) -> Option<u16> {
    indexes.iter().enumerate().find(|(position, index)| indexes[..*position].contains(index)).map(|(_, &index)| index)
}

fn modality(place: Place<'_>, name: &str) -> Result<Modality, KnowledgeError> {
    Ok(match name {
        "laboratory" => Modality::Laboratory,
        "imaging" => Modality::Imaging,
        "tracing" => Modality::Tracing,
        "bedside" => Modality::Bedside,
        "pathology" => Modality::Pathology,
        "function" => Modality::Function,
        other => return Err(place.error("modality", Problem::UnknownId(other.into()))),
    })
}

/// Parses `exam(parameter=value, ..)`; parameters left out match any value.
fn parse_call(place: Place<'_>, field: &str, catalogue: &Catalogue, text: &str) -> Result<CallPattern, KnowledgeError> {
    catalogue.parse_pattern(text).map_err(|error| place.error(field, Problem::Invalid(error.to_string())))
}

/// Per exam its views, most specific first, then in the order of the file.
fn index_views(views: &[View], catalogue: &Catalogue) -> Vec<Vec<(CallPattern, u16)>> {
    let mut by_exam: Vec<Vec<(CallPattern, u16)>> = alloc::vec![Vec::new(); catalogue.exams().len()];
    for (index, view) in views.iter().enumerate() {
        for &call in &view.calls {
            by_exam[call.exam()].push((call, index as u16));
        }
    }
    let values = |call: &CallPattern| (0..MAX_PARAMETERS).filter(|&position| call.value(position).is_some()).count();
    for list in &mut by_exam {
        list.sort_by_key(|(call, _)| core::cmp::Reverse(values(call)));
    }
    by_exam
}

/// Checks that limits make sense.
fn check_applies(place: Place<'_>, applies: &Applies) -> Result<(), KnowledgeError> {
    match (applies.min_age, applies.max_age) {
        (Some(min), Some(max)) if min > max => {
            Err(place.error("applies", Problem::Invalid(alloc::format!("min_age `{min}` is above max_age `{max}`"))))
        }
        _ => Ok(()),
    }
}
