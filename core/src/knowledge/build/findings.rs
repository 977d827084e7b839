//! Findings and their attributes.

use alloc::{
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use super::{Indexes, Place, check_applies};
use crate::{
    digest::key,
    knowledge::{
        Aspect, Attribute, AttributeValues, Finding, FindingKind, KnowledgeError, NamedValue, Problem, TimeUnit, Topic,
        schema::{AttributeEntry, FindingEntry, KnowledgeFile, ValueEntry},
    },
};

/// Longest duration number: `temporal_change` can double it, and every outcome is weighed. Longer ones have longer units.
const MAX_DURATION: u32 = 400;

pub(super) fn compile(
    file: &KnowledgeFile,
    indexes: &Indexes<'_>,
) -> Result<(Vec<Finding>, Vec<Attribute>), KnowledgeError> {
    let mut findings = Vec::new();
    let mut attributes = Vec::new();
    for (position, entry) in file.findings.iter().enumerate() {
        let place = Place { section: "findings", entry: &entry.id };
        let mut finding = compile_finding(place, entry, file, indexes)?;
        for aspect in Aspect::ALL {
            let Some(attribute) = entry.attributes.get(aspect.name()) else { continue };
            finding.attributes.push(attributes.len() as u16);
            attributes.push(compile_attribute(place, position as u16, &entry.id, aspect, attribute, indexes)?);
        }
        if finding.attributes.len() != entry.attributes.len() {
            let known = |name: &&String| Aspect::from_name(name).is_none();
            let unknown = entry.attributes.keys().find(known).cloned().unwrap_or_default();
            return Err(place.error("attributes", Problem::UnknownId(unknown)));
        }
        findings.push(finding);
    }
    link_required(&mut findings)?;
    Ok((findings, attributes))
}

/// Tells required findings who requires them. One step only: what is required requires nothing itself and can be had by everyone
/// who can have the other, and what requires has neither attributes nor panels.
fn link_required(findings: &mut [Finding]) -> Result<(), KnowledgeError> {
    for index in 0..findings.len() {
        let Some(parent) = findings[index].requires else { continue };
        let (child, other) = (&findings[index], &findings[usize::from(parent)]);
        let problem = if other.requires.is_some() {
            Some(format!("`{}` requires another itself", other.id))
        } else if usize::from(parent) == index {
            Some("it requires itself".to_string())
        } else if !child.attributes.is_empty() {
            Some("it has attributes: give them to what it requires".to_string())
        } else if other.kind == FindingKind::Sign && child.kind != FindingKind::Sign {
            Some(format!("`{}` is a sign", other.id))
        } else {
            None
        };
        if let Some(problem) = problem {
            let place = Place { section: "findings", entry: &child.id };
            return Err(place.error("requires", Problem::Invalid(problem)));
        }
        findings[usize::from(parent)].implied_by.push(index as u16);
    }
    Ok(())
}

/// An id must not look like an attribute's name, nor be that of a topic: both name streams of random numbers.
fn check_id(place: Place<'_>, id: &str) -> Result<(), KnowledgeError> {
    let is_topic = Topic::ALL.iter().any(|topic| topic.name() == id);
    if id.contains('.') || is_topic {
        let problem = format!("`{id}` has a dot or is the name of a topic: choose another id");
        return Err(place.error("id", Problem::Invalid(problem)));
    }
    Ok(())
}

/// A patient can only mix up what a patient can tell: other findings that are no signs.
fn check_neighbours(place: Place<'_>, entry: &FindingEntry, file: &KnowledgeFile) -> Result<(), KnowledgeError> {
    for neighbour in &entry.neighbours {
        let other = file.findings.iter().find(|other| other.id == *neighbour);
        if *neighbour == entry.id || other.is_some_and(|other| other.kind == FindingKind::Sign) {
            let problem = format!("`{neighbour}` is the finding itself or a sign: a neighbour is another symptom");
            return Err(place.error("neighbours", Problem::Invalid(problem)));
        }
    }
    Ok(())
}

fn compile_finding(
    place: Place<'_>,
    entry: &FindingEntry,
    file: &KnowledgeFile,
    indexes: &Indexes<'_>,
) -> Result<Finding, KnowledgeError> {
    place.not_empty("present", entry.present.is_empty())?;
    place.not_empty("absent", entry.absent.is_empty())?;
    place.not_empty("noun", entry.noun.is_empty())?;
    check_id(place, &entry.id)?;
    check_applies(place, &entry.applies)?;
    if !entry.background.is_probability() {
        return Err(place.error("background", Problem::BadNumber(format!("{:?}", entry.background), "0 to 1")));
    }
    let report = entry.report.clone().unwrap_or_else(|| {
        let term = &entry.term;
        [format!("{term} present"), format!("No {term}")]
    });
    let neighbours = place.find_all("neighbours", &indexes.findings, &entry.neighbours)?;
    check_neighbours(place, entry, file)?;
    Ok(Finding {
        id: entry.id.clone(),
        key: key(&entry.id),
        kind: entry.kind,
        term: entry.term.clone(),
        noun: entry.noun.clone(),
        present: entry.present.clone(),
        absent: entry.absent.clone(),
        report,
        ask: entry.ask.clone(),
        applies: entry.applies.clone(),
        neighbours,
        requires: entry.requires.as_ref().map(|id| place.find("requires", &indexes.findings, id)).transpose()?,
        implied_by: Vec::new(),
        attributes: Vec::new(),
        panels: Vec::new(),
    })
}

fn compile_attribute(
    place: Place<'_>,
    finding: u16,
    finding_id: &str,
    aspect: Aspect,
    entry: &AttributeEntry,
    indexes: &Indexes<'_>,
) -> Result<Attribute, KnowledgeError> {
    let field = format!("attributes.{}", aspect.name());
    let (values, confused) = match (aspect, entry) {
        (Aspect::Severity, AttributeEntry::Severity(range)) => {
            check_severity(place, &field, *range)?;
            (AttributeValues::Severity, vec![Vec::new(); 10])
        }
        (Aspect::Site | Aspect::Radiation, AttributeEntry::Weights(weights)) => {
            let sites = place.find_all(&field, &indexes.sites, weights.keys())?;
            let num = sites.len();
            (AttributeValues::Sites(sites), vec![Vec::new(); num])
        }
        (Aspect::Duration, AttributeEntry::Weights(weights)) => {
            let mut values: Vec<(u32, TimeUnit)> =
                weights.keys().map(|text| duration(place, &field, text)).collect::<Result<_, _>>()?;
            values.sort_unstable_by_key(|&(number, unit)| (unit, number));
            let num = values.len();
            (AttributeValues::Duration(values), vec![Vec::new(); num])
        }
        (_, AttributeEntry::Values(values))
            if !matches!(aspect, Aspect::Site | Aspect::Radiation | Aspect::Severity | Aspect::Duration) =>
        {
            named(place, &field, values)?
        }
        _ => {
            return Err(place
                .error(field, Problem::Invalid("this aspect is written in another form: see the schema".to_string())));
        }
    };
    let num_values = confused.len();
    place.not_empty(&field, num_values == 0)?;
    Ok(Attribute {
        finding,
        aspect,
        key: key(&format!("{finding_id}.{}", aspect.name())),
        values,
        confused,
        num_values,
    })
}

pub(super) fn check_severity(place: Place<'_>, field: &str, range: [u32; 3]) -> Result<(), KnowledgeError> {
    let [lowest, mode, highest] = range;
    if 1 <= lowest && lowest <= mode && mode <= highest && highest <= 10 {
        return Ok(());
    }
    Err(place.error(field, Problem::BadNumber(format!("{range:?}"), "severity ascends from 1 to 10")))
}

fn named(
    place: Place<'_>,
    field: &str,
    entries: &[ValueEntry],
) -> Result<(AttributeValues, Vec<Vec<u16>>), KnowledgeError> {
    let find = |id: &String| {
        let position = entries.iter().position(|entry| entry.id == *id);
        position.map(|index| index as u16).ok_or_else(|| place.error(field, Problem::UnknownId(id.clone())))
    };
    let mut confused = Vec::new();
    for entry in entries {
        confused.push(entry.confused_with.iter().map(find).collect::<Result<Vec<_>, _>>()?);
    }
    let values = entries.iter().map(|entry| NamedValue { id: entry.id.clone(), lay: entry.lay.clone() }).collect();
    Ok((AttributeValues::Named(values), confused))
}

/// Parses `3 days`.
pub(super) fn duration(place: Place<'_>, field: &str, text: &str) -> Result<(u32, TimeUnit), KnowledgeError> {
    let wrong = || place.error(field, Problem::BadNumber(text.into(), "a duration is like `3 days`, 1 to 400"));
    let (number, unit) = text.split_once(' ').ok_or_else(wrong)?;
    let number: u32 = number.parse().map_err(|_| wrong())?;
    let unit = unit.strip_suffix('s').unwrap_or(unit);
    let unit = TimeUnit::ALL.into_iter().find(|candidate| candidate.word() == unit).ok_or_else(wrong)?;
    if (1..=MAX_DURATION).contains(&number) { Ok((number, unit)) } else { Err(wrong()) }
}

/// Position of a value id (site id, duration text, value id) in an attribute.
pub(super) fn value_position(
    place: Place<'_>,
    field: &str,
    attribute: &Attribute,
    site_ids: &super::Index<'_>,
    id: &str,
) -> Result<usize, KnowledgeError> {
    let position = match &attribute.values {
        AttributeValues::Severity => None,
        AttributeValues::Sites(sites) => {
            let site = place.find(field, site_ids, id)?;
            sites.iter().position(|&other| other == site)
        }
        AttributeValues::Duration(values) => {
            let wanted = duration(place, field, id)?;
            values.iter().position(|&value| value == wanted)
        }
        AttributeValues::Named(values) => values.iter().position(|value| value.id == id),
    };
    position.ok_or_else(|| place.error(field, Problem::UnknownId(id.into())))
}

/// Weights of an attribute as its finding gives them, by value position.
pub(super) fn default_weights(
    place: Place<'_>,
    attribute: &Attribute,
    entry: &AttributeEntry,
    site_ids: &super::Index<'_>,
) -> Result<Vec<f64>, KnowledgeError> {
    let field = attribute.aspect.name();
    match entry {
        AttributeEntry::Severity(range) => Ok(crate::knowledge::tables::triangular(*range).to_vec()),
        AttributeEntry::Values(values) => Ok(values.iter().map(|value| value.weight).collect()),
        AttributeEntry::Weights(weights) => weights_by_position(place, field, attribute, weights, site_ids),
    }
}

/// Weights by value id -> weights by value position.
pub(super) fn weights_by_position(
    place: Place<'_>,
    field: &str,
    attribute: &Attribute,
    weights: &alloc::collections::BTreeMap<String, f64>,
    site_ids: &super::Index<'_>,
) -> Result<Vec<f64>, KnowledgeError> {
    let mut result = vec![0.0; attribute.num_values];
    for (id, &weight) in weights {
        if !(weight >= 0.0 && weight.is_finite()) {
            return Err(place.error(field, Problem::BadNumber(weight.to_string(), "a weight is not negative")));
        }
        result[value_position(place, field, attribute, site_ids, id)?] = weight;
    }
    Ok(result)
}
