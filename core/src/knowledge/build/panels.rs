//! Panels, their analytes and patterns.

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
        Analyte, FieldValue, KnowledgeError, Numeric, Panel, Pattern, Problem, Scale,
        schema::{AnalyteEntry, BandEntry, KnowledgeFile, PanelEntry, PatternEntry},
    },
};

/// Share of a named field value's weight; the rest is spread evenly over the other values.
const NAMED_SHARE: f64 = 0.92;
/// Share of the normal value of a field that a pattern does not mention.
const NORMAL_SHARE: f64 = 0.97;
/// Band weights of an analyte that a pattern does not mention: one in twenty healthy values lies outside the reference range.
const NORMAL_BANDS: [f64; 6] = [1.0, 24.0, 475.0, 475.0, 24.0, 1.0];

pub(super) fn compile(
    file: &KnowledgeFile,
    indexes: &Indexes<'_>,
) -> Result<(Vec<Panel>, Vec<Analyte>), KnowledgeError> {
    let mut panels = Vec::new();
    let mut analytes: Vec<Analyte> = Vec::new();
    for (panel_index, entry) in file.panels.iter().enumerate() {
        let place = Place { section: "panels", entry: &entry.id };
        place.not_empty("analytes", entry.analytes.is_empty())?;
        place.not_empty("patterns", entry.patterns.is_empty())?;
        let first = analytes.len();
        for (position, analyte) in entry.analytes.iter().enumerate() {
            analytes.push(compile_analyte(place, analyte, panel_index as u16, position as u16)?);
        }
        panels.push(compile_panel(place, entry, &analytes[first..], first, indexes)?);
    }
    Ok((panels, analytes))
}

fn compile_panel(
    place: Place<'_>,
    entry: &PanelEntry,
    analytes: &[Analyte],
    first: usize,
    indexes: &Indexes<'_>,
) -> Result<Panel, KnowledgeError> {
    for pattern in &entry.patterns {
        if entry.parent.is_none() && pattern.when.is_some() {
            return Err(place
                .error("patterns", Problem::Invalid(format!("`{}` has `when` but the panel no parent", pattern.id))));
        }
        if let Some(unknown) = pattern.bands.keys().find(|id| !entry.analytes.iter().any(|analyte| analyte.id == **id))
        {
            return Err(place.error(format!("patterns.{}", pattern.id), Problem::UnknownId(unknown.clone())));
        }
    }
    let compile = |pattern: &PatternEntry| {
        let bands = analytes.iter().map(|analyte| bands(place, pattern, analyte)).collect::<Result<_, _>>()?;
        Ok(Pattern { id: pattern.id.clone(), bands })
    };
    Ok(Panel {
        id: entry.id.clone(),
        key: key(&entry.id),
        label: entry.label.clone(),
        parent: entry.parent.as_ref().map(|id| place.find("parent", &indexes.findings, id)).transpose()?,
        analytes: (first..first + analytes.len()).map(|index| index as u16).collect(),
        patterns: entry.patterns.iter().map(compile).collect::<Result<_, KnowledgeError>>()?,
    })
}

fn bands(place: Place<'_>, pattern: &PatternEntry, analyte: &Analyte) -> Result<Vec<u32>, KnowledgeError> {
    let field = format!("patterns.{}.{}", pattern.id, analyte.id);
    let weights = match (pattern.bands.get(&analyte.id), analyte.numeric.is_some()) {
        (None, true) => NORMAL_BANDS.to_vec(),
        (None, false) => spread(analyte.values.len(), 0, NORMAL_SHARE),
        (Some(BandEntry::Named(name)), true) => {
            named_bands(name).ok_or_else(|| place.error(&field, Problem::UnknownId(name.clone())))?.to_vec()
        }
        (Some(BandEntry::Named(name)), false) => {
            let position = field_position(place, &field, analyte, name)?;
            spread(analyte.values.len(), position, NAMED_SHARE)
        }
        (Some(BandEntry::Bands(weights)), true) => weights.to_vec(),
        (Some(BandEntry::Values(map)), false) => {
            let mut weights = vec![0.0; analyte.values.len()];
            for (id, &weight) in map {
                weights[field_position(place, &field, analyte, id)?] = weight;
            }
            weights
        }
        (Some(_), _) => {
            return Err(place.error(
                field,
                Problem::Invalid("numbers take band names or six weights, fields take value ids".to_string()),
            ));
        }
    };
    place.weights(&field, &weights)
}

/// Band weights of the shorthands, in permille.
fn named_bands(name: &str) -> Option<[f64; 6]> {
    Some(match name {
        "normal" => NORMAL_BANDS,
        "very_low" => [600.0, 290.0, 80.0, 20.0, 8.0, 2.0],
        "low" => [70.0, 640.0, 200.0, 70.0, 18.0, 2.0],
        "high" => [2.0, 18.0, 70.0, 200.0, 640.0, 70.0],
        "very_high" => [2.0, 8.0, 20.0, 80.0, 290.0, 600.0],
        _ => return None,
    })
}

fn spread(num_values: usize, position: usize, share: f64) -> Vec<f64> {
    if num_values == 1 {
        return vec![1.0];
    }
    let rest = (1.0 - share) / (num_values - 1) as f64;
    (0..num_values).map(|index| if index == position { share } else { rest }).collect()
}

fn field_position(place: Place<'_>, field: &str, analyte: &Analyte, id: &str) -> Result<usize, KnowledgeError> {
    let position = analyte.values.iter().position(|value| value.id == id);
    position.ok_or_else(|| place.error(field, Problem::UnknownId(id.into())))
}

fn compile_analyte(
    place: Place<'_>,
    entry: &AnalyteEntry,
    panel: u16,
    position: u16,
) -> Result<Analyte, KnowledgeError> {
    check_applies(place, &entry.applies)?;
    let numeric = numeric(place, entry)?;
    if numeric.is_none() && (entry.values.is_empty() || entry.derived.is_some()) {
        return Err(
            place.error(&entry.id, Problem::Invalid("needs `edges` (derived values too) or `values`".to_string()))
        );
    }
    if let Some(derived) = &entry.derived
        && !crate::examination::derived::is_known(derived)
    {
        return Err(place.error(&entry.id, Problem::UnknownId(derived.clone())));
    }
    let values = field_values(place, entry)?;
    let num_values = match (&numeric, &entry.derived) {
        (Some(_), None) => 6,
        (_, Some(_)) => 1,
        (None, None) => values.len(),
    };
    Ok(Analyte {
        id: entry.id.clone(),
        key: key(&entry.id),
        label: entry.label.clone(),
        panel,
        position,
        numeric,
        values,
        site: entry.site,
        derived: entry.derived.clone(),
        applies: entry.applies.clone(),
        num_values,
    })
}

fn field_values(place: Place<'_>, entry: &AnalyteEntry) -> Result<Vec<FieldValue>, KnowledgeError> {
    let find = |id: &String| {
        let position = entry.values.iter().position(|value| value.id == *id);
        position.map(|index| index as u16).ok_or_else(|| place.error(&entry.id, Problem::UnknownId(id.clone())))
    };
    let compile = |value: &crate::knowledge::schema::FieldValueEntry| {
        let adjacent = value.adjacent.iter().map(find).collect::<Result<_, _>>()?;
        Ok(FieldValue { id: value.id.clone(), text: value.text.clone(), adjacent })
    };
    entry.values.iter().map(compile).collect()
}

fn numeric(place: Place<'_>, entry: &AnalyteEntry) -> Result<Option<Numeric>, KnowledgeError> {
    let Some(edges) = entry.edges else { return Ok(None) };
    if entry.decimals > 4 {
        return Err(place.error(&entry.id, Problem::BadNumber(entry.decimals.to_string(), "0 to 4 decimals")));
    }
    let scale = |edges: [f64; 7]| scale(place, &entry.id, edges, entry.decimals);
    Ok(Some(Numeric {
        unit: entry.unit.clone().unwrap_or_default(),
        decimals: entry.decimals,
        scales: [
            scale(edges)?,
            scale(entry.edges_female.unwrap_or(edges))?,
            scale(entry.edges_child.unwrap_or(edges))?,
        ],
        si: entry.si.clone(),
    }))
}

fn scale(place: Place<'_>, id: &str, edges: [f64; 7], decimals: u32) -> Result<Scale, KnowledgeError> {
    let factor = f64::from(10u32.pow(decimals));
    let ticks = edges.map(|edge| libm::round(edge * factor));
    let usable = ticks.iter().all(|tick| tick.abs() < 1e9) && ticks.windows(2).all(|pair| pair[0] < pair[1]);
    if !usable {
        let problem = Problem::BadNumber(format!("{edges:?}"), "edges ascend by at least one printed step");
        return Err(place.error(format!("{id}.edges"), problem));
    }
    Ok(Scale { edges: ticks.map(|tick| tick as i32) })
}
