//! Diseases, hypotheses and their probability tables.

use alloc::{collections::BTreeMap, format, string::String, vec, vec::Vec};

use super::{
    Indexes, Place,
    findings::{check_severity, default_weights, weights_by_position},
    parse_call,
};
use crate::exam::Catalogue;
use crate::knowledge::{
    Attribute, Disease, Hypothesis, KnowledgeBase, KnowledgeError, Problem, Sex,
    schema::{DiseaseEntry, DistributionEntry, KnowledgeFile, Share, VariantEntry},
    tables::{mixed, probability_ppm, triangular, weights_ppm},
};

/// How much of an attribute's or panel's distribution is the disease's own; the rest is everybody's.
const OWN_ATTRIBUTE: f64 = 0.97;
const OWN_PANEL: f64 = 0.99;

pub(super) fn compile(
    file: &KnowledgeFile,
    indexes: &Indexes<'_>,
    catalogue: &Catalogue,
) -> Result<(Vec<Disease>, Vec<Hypothesis>), KnowledgeError> {
    let mut diseases = Vec::new();
    let mut hypotheses = Vec::new();
    for (position, entry) in file.diseases.iter().enumerate() {
        let place = Place { section: "diseases", entry: &entry.id };
        check_sources(place, entry, indexes)?;
        let start = hypotheses.len();
        for variant in variants(entry) {
            hypotheses.push(hypothesis(place, position as u16, entry, variant, indexes)?);
        }
        normalise_variants(place, &mut hypotheses[start..])?;
        diseases.push(disease(place, entry, start..hypotheses.len(), catalogue)?);
    }
    Ok((diseases, hypotheses))
}

/// Every source that a disease names has to be listed.
fn check_sources(place: Place<'_>, entry: &DiseaseEntry, indexes: &Indexes<'_>) -> Result<(), KnowledgeError> {
    let check = |field: &str, source: Option<&str>| match source {
        Some(id) => place.find(field, &indexes.sources, id).map(|_| ()),
        None => Ok(()),
    };
    for row in entry.incidence.values() {
        check("incidence", row.source())?;
    }
    let variants = entry.variants.iter();
    for share in entry.findings.values().chain(variants.clone().flat_map(|variant| variant.findings.values())) {
        check("findings", share.source())?;
    }
    for weights in entry.panels.values().chain(variants.flat_map(|variant| variant.panels.values())) {
        check("panels", weights.source())?;
    }
    Ok(())
}

/// The variants of a disease; a disease without any has one, unnamed.
fn variants(entry: &DiseaseEntry) -> Vec<Option<&VariantEntry>> {
    if entry.variants.is_empty() { vec![None] } else { entry.variants.iter().map(Some).collect() }
}

fn disease(
    place: Place<'_>,
    entry: &DiseaseEntry,
    hypotheses: core::ops::Range<usize>,
    catalogue: &Catalogue,
) -> Result<Disease, KnowledgeError> {
    place.not_empty("name", entry.name.is_empty())?;
    place.not_empty("lay", entry.lay.is_empty())?;
    place.not_empty("sources", entry.sources.is_empty())?;
    if !(1..=5).contains(&entry.severity) {
        return Err(place.error("severity", Problem::BadNumber(format!("{}", entry.severity), "1 to 5")));
    }
    let row = |sex| entry.incidence.get(&sex).map(|row| *row.value()).unwrap_or_default();
    let rows = [row(Sex::Female), row(Sex::Male)];
    let flat: Vec<f64> = rows.iter().flatten().copied().collect();
    let ppm = place.weights("incidence", &flat)?;
    let mut incidence = [[0; 4]; 2];
    for (index, &value) in ppm.iter().enumerate() {
        incidence[index / 4][index % 4] = value;
    }
    Ok(Disease {
        id: entry.id.clone(),
        name: entry.name.clone(),
        synonyms: entry.synonyms.clone(),
        lay: entry.lay.clone(),
        icd10: entry.icd10.clone(),
        system: entry.system.clone(),
        severity: entry.severity,
        incidence,
        prevalence: ((flat.iter().sum::<f64>() * 1000.0) as u32).clamp(1, 10_000_000),
        clinical: entry.clinical,
        hypotheses,
        reference_workup: reference_workup(place, entry, catalogue)?,
        contraindicated: entry
            .contraindicated
            .iter()
            .map(|call| parse_call(place, "contraindicated", catalogue, call))
            .collect::<Result<_, _>>()?,
        sources: entry.sources.clone(),
    })
}

/// The reference workup, every call checked.
fn reference_workup(
    place: Place<'_>,
    entry: &DiseaseEntry,
    catalogue: &Catalogue,
) -> Result<Vec<String>, KnowledgeError> {
    for call in &entry.reference_workup {
        catalogue
            .parse_call_text(call)
            .map_err(|error| place.error("reference_workup", Problem::Invalid(format!("{error}"))))?;
    }
    Ok(entry.reference_workup.clone())
}

fn hypothesis(
    place: Place<'_>,
    disease: u16,
    entry: &DiseaseEntry,
    variant: Option<&VariantEntry>,
    indexes: &Indexes<'_>,
) -> Result<Hypothesis, KnowledgeError> {
    let complaints = variant.map(|variant| &variant.complaints).filter(|map| !map.is_empty());
    let mut weights = vec![0.0; indexes.complaints.len()];
    for (id, &weight) in complaints.unwrap_or(&entry.complaints) {
        weights[usize::from(place.find("complaints", &indexes.complaints, id)?)] = weight;
    }
    let share = variant.map_or(Share::All(1.0), |variant| variant.weight);
    if !share.is_weight() {
        return Err(
            place.error("variants.weight", Problem::BadNumber(format!("{share:?}"), "not negative, some above 0"))
        );
    }
    let heaviest = (0..4).map(|band| share.in_band(band)).fold(0.0, f64::max);
    Ok(Hypothesis {
        disease,
        variant: variant.map(|variant| variant.id.clone()).unwrap_or_default(),
        weight: [0, 1, 2, 3].map(|band| (share.in_band(band) / heaviest * 1e6) as u32),
        complaints: place.weights("complaints", &weights)?,
    })
}

/// Turns variant weights into parts per million within each age band.
fn normalise_variants(place: Place<'_>, variants: &mut [Hypothesis]) -> Result<(), KnowledgeError> {
    for band in 0..4 {
        let weights: Vec<f64> = variants.iter().map(|variant| f64::from(variant.weight[band])).collect();
        let ppm = weights_ppm(&weights).ok_or_else(|| {
            place.error("variants.weight", Problem::Invalid(format!("no variant has a weight in age band `{band}`")))
        })?;
        for (variant, value) in variants.iter_mut().zip(ppm) {
            variant.weight[band] = value;
        }
    }
    Ok(())
}

/// Entry and variant behind each hypothesis, in order.
fn by_hypothesis(file: &KnowledgeFile) -> Vec<(&DiseaseEntry, Option<&VariantEntry>)> {
    file.diseases.iter().flat_map(|entry| variants(entry).into_iter().map(move |variant| (entry, variant))).collect()
}

/// P(finding | band, hypothesis): `[finding][band][hypothesis]` in parts per million.
pub(super) fn finding_table(
    file: &KnowledgeFile,
    base: &KnowledgeBase,
    indexes: &Indexes<'_>,
) -> Result<Vec<u32>, KnowledgeError> {
    let num = base.hypotheses.len();
    let mut table = Vec::with_capacity(base.findings.len() * 4 * num);
    for entry in &file.findings {
        for band in 0..4 {
            table.resize(table.len() + num, probability_ppm(entry.background.in_band(band)));
        }
    }
    for (hypothesis, (entry, variant)) in by_hypothesis(file).into_iter().enumerate() {
        let place = Place { section: "diseases", entry: &entry.id };
        let overrides = variant.map(|variant| &variant.findings);
        for (id, share) in entry.findings.iter().chain(overrides.into_iter().flatten()) {
            let finding = usize::from(place.find("findings", &indexes.findings, id)?);
            let share = share.value();
            if !share.is_probability() {
                return Err(place.error(format!("findings.{id}"), Problem::BadNumber(format!("{share:?}"), "0 to 1")));
            }
            for band in 0..4 {
                table[(finding * 4 + band) * num + hypothesis] = probability_ppm(share.in_band(band));
            }
        }
    }
    condition_on_required(base, &mut table);
    Ok(table)
}

/// Rows of findings that require another -> probabilities given that the other is present.
fn condition_on_required(base: &KnowledgeBase, table: &mut [u32]) {
    let num = base.hypotheses.len();
    for (child, finding) in base.findings.iter().enumerate() {
        let Some(parent) = finding.requires.map(usize::from) else { continue };
        for cell in 0..4 * num {
            let given = f64::from(table[child * 4 * num + cell]) / f64::from(table[parent * 4 * num + cell]);
            table[child * 4 * num + cell] = probability_ppm(given.min(1.0));
        }
    }
}

/// P(value | hypothesis) per attribute: `[hypothesis][value]` in parts per million.
pub(super) fn attribute_tables(
    file: &KnowledgeFile,
    base: &KnowledgeBase,
    indexes: &Indexes<'_>,
) -> Result<Vec<Vec<u32>>, KnowledgeError> {
    check_attribute_names(file, base, indexes)?;
    let rows = by_hypothesis(file);
    let mut tables = Vec::new();
    for attribute in &base.attributes {
        let finding = &file.findings[usize::from(attribute.finding)];
        let place = Place { section: "findings", entry: &finding.id };
        let background =
            default_weights(place, attribute, &finding.attributes[attribute.aspect.name()], &indexes.sites)?;
        let mut table = Vec::with_capacity(rows.len() * attribute.num_values);
        for (entry, variant) in &rows {
            let own = variant.and_then(|variant| lookup(&variant.attributes, &finding.id, attribute));
            let own = own.or_else(|| lookup(&entry.attributes, &finding.id, attribute));
            let place = Place { section: "diseases", entry: &entry.id };
            let weights = match own {
                None => background.clone(),
                Some(entry) => mixed(&distribution(place, attribute, entry, indexes)?, &background, OWN_ATTRIBUTE),
            };
            table.extend(place.weights(&format!("attributes.{}.{}", finding.id, attribute.aspect.name()), &weights)?);
        }
        tables.push(table);
    }
    Ok(tables)
}

type AttributeMap = BTreeMap<String, BTreeMap<String, DistributionEntry>>;

fn lookup<'a>(map: &'a AttributeMap, finding: &str, attribute: &Attribute) -> Option<&'a DistributionEntry> {
    map.get(finding)?.get(attribute.aspect.name())
}

fn distribution(
    place: Place<'_>,
    attribute: &Attribute,
    entry: &DistributionEntry,
    indexes: &Indexes<'_>,
) -> Result<Vec<f64>, KnowledgeError> {
    match entry {
        DistributionEntry::Severity(range) => {
            check_severity(place, "attributes", *range)?;
            if attribute.num_values != 10 {
                return Err(place.error("attributes", Problem::Invalid("three numbers are for severity only".into())));
            }
            Ok(triangular(*range).to_vec())
        }
        DistributionEntry::Weights(weights) => {
            weights_by_position(place, "attributes", attribute, weights, &indexes.sites)
        }
    }
}

/// Every finding and aspect that a disease gives attributes for must exist.
fn check_attribute_names(
    file: &KnowledgeFile,
    base: &KnowledgeBase,
    indexes: &Indexes<'_>,
) -> Result<(), KnowledgeError> {
    for (entry, variant) in by_hypothesis(file) {
        let place = Place { section: "diseases", entry: &entry.id };
        let maps = [Some(&entry.attributes), variant.map(|variant| &variant.attributes)];
        for (id, aspects) in maps.into_iter().flatten().flatten() {
            let finding = place.find("attributes", &indexes.findings, id)?;
            for name in aspects.keys() {
                let aspect = crate::knowledge::Aspect::from_name(name);
                if aspect.and_then(|aspect| base.attribute_of(finding, aspect)).is_none() {
                    return Err(place.error(format!("attributes.{id}"), Problem::UnknownId(name.clone())));
                }
            }
        }
    }
    Ok(())
}

/// P(pattern | parent value, hypothesis) per panel: `[parent value][hypothesis][pattern]` in parts per million.
pub(super) fn pattern_tables(
    file: &KnowledgeFile,
    base: &KnowledgeBase,
    indexes: &Indexes<'_>,
) -> Result<Vec<Vec<u32>>, KnowledgeError> {
    let rows = by_hypothesis(file);
    for (entry, variant) in &rows {
        let place = Place { section: "diseases", entry: &entry.id };
        let own = variant.map(|variant| &variant.panels);
        place.find_all(
            "panels",
            &indexes.panels,
            entry.panels.keys().chain(own.into_iter().flat_map(BTreeMap::keys)),
        )?;
    }
    let mut tables = Vec::new();
    for (panel, entry) in base.panels.iter().zip(&file.panels) {
        let place = Place { section: "panels", entry: &panel.id };
        let healthy = pattern_weights(place, "healthy", panel, &entry.healthy)?;
        let parents: &[Option<bool>] = if panel.parent.is_some() { &[Some(false), Some(true)] } else { &[None] };
        let mut table = Vec::new();
        for &parent in parents {
            let allowed: Vec<bool> = entry
                .patterns
                .iter()
                .map(|pattern| parent.is_none() || pattern.when.is_none() || pattern.when == parent)
                .collect();
            for (disease, variant) in &rows {
                let own =
                    variant.and_then(|variant| variant.panels.get(&panel.id)).or_else(|| disease.panels.get(&panel.id));
                let place = Place { section: "diseases", entry: &disease.id };
                let field = format!("panels.{}", panel.id);
                let mut weights = match own {
                    None => healthy.clone(),
                    Some(map) => mixed(&pattern_weights(place, &field, panel, map.value())?, &healthy, OWN_PANEL),
                };
                restrict(&mut weights, &allowed);
                table.extend(place.weights(&field, &weights)?);
            }
        }
        tables.push(table);
    }
    Ok(tables)
}

/// Sets weights of patterns that cannot occur to 0; spreads evenly over those that can when nothing is left.
fn restrict(weights: &mut [f64], allowed: &[bool]) {
    for (weight, &allowed) in weights.iter_mut().zip(allowed) {
        if !allowed {
            *weight = 0.0;
        }
    }
    if weights.iter().sum::<f64>() <= 0.0 {
        for (weight, &allowed) in weights.iter_mut().zip(allowed) {
            *weight = f64::from(u8::from(allowed));
        }
    }
}

fn pattern_weights(
    place: Place<'_>,
    field: &str,
    panel: &crate::knowledge::Panel,
    map: &BTreeMap<String, f64>,
) -> Result<Vec<f64>, KnowledgeError> {
    let mut weights = vec![0.0; panel.patterns.len()];
    for (id, &weight) in map {
        let position = panel.patterns.iter().position(|pattern| pattern.id == *id);
        let position = position.ok_or_else(|| place.error(field, Problem::UnknownId(id.clone())))?;
        if !(weight >= 0.0 && weight.is_finite()) {
            return Err(place.error(field, Problem::BadNumber(format!("{weight}"), "a weight is not negative")));
        }
        weights[position] = weight;
    }
    Ok(weights)
}
