//! The observation model of orders: what a report shows and how noise touches it. No words yet.

pub(crate) mod derived;
pub mod print;

use alloc::vec::Vec;

use crate::{
    case::Patient,
    exam::ExamCall,
    knowledge::{Analyte, ItemKind, KnowledgeBase, View},
    noise::{ExamNoise, Noise, exam_types},
    noise_plan::Plan,
    observation::{Reading, Source, Value},
    random::{KeyedRng, Purpose},
};

/// Whether a view has a field on which a site swap can act.
pub(crate) fn has_site(base: &KnowledgeBase, view: &View) -> bool {
    view.analytes.iter().any(|&analyte| base.analytes[usize::from(analyte)].site)
}

/// The exam noise types a view is open to, by schema.
pub(crate) fn view_types(base: &KnowledgeBase, view: &View) -> [ExamNoise; 3] {
    exam_types(has_site(base, view), view.analytes.len() + view.signs.len())
}

/// Executes a call for a generated patient and appends its readings; returns the noise that struck the report.
///
/// `done_before` counts earlier executions of the same call: same specimen, same values; noise as occurrence 1 from the second on.
pub(crate) fn report(
    base: &KnowledgeBase,
    patient: &Patient,
    plan: &Plan,
    call: &ExamCall,
    done_before: u16,
    readings: &mut Vec<Reading>,
) -> Option<ExamNoise> {
    let view = &base.views[usize::from(base.view_of(call)?)];
    let occurrence = done_before.min(1);
    let types = view_types(base, view);
    let mut rng = KeyedRng::new(patient.seed, Purpose::ExamNoise, call.key(), occurrence);
    let struck = plan.strike_report(&mut rng, call.exam(), types, occurrence);
    let start = readings.len();
    let source = Source::Exam { occurrence: occurrence as u8, repeat: done_before > 1 };
    let reading = |item, value| Reading { item, value, clean: value, noise: None, source };
    for &sign in &view.signs {
        let value = if patient.has(base, sign) { Value::Present } else { Value::Absent };
        readings.push(reading(base.finding_item(sign), value));
    }
    let mut pattern = (u16::MAX, 0);
    for &index in &view.analytes {
        let analyte = &base.analytes[usize::from(index)];
        if !patient.covered_by(&analyte.applies) {
            continue;
        }
        if pattern.0 != analyte.panel {
            pattern = (analyte.panel, patient.pattern(base, analyte.panel));
        }
        let value = analyte_value(base, patient, index, analyte, pattern.1);
        readings.push(reading(base.analyte_item(index), value));
    }
    let swaps = SiteSwaps { seed: patient.seed, call, occurrence, ppm: plan.site_swap_ppm(call.exam(), occurrence) };
    let swapped = swaps.apply(base, &mut readings[start..]);
    perturb(base, struck, &mut rng, &mut readings[start..]);
    struck.or(swapped.then_some(ExamNoise::BodyPartSwap))
}

fn analyte_value(base: &KnowledgeBase, patient: &Patient, index: u16, analyte: &Analyte, pattern: usize) -> Value {
    if analyte.derived.is_some() {
        return derived_value(base, patient, analyte);
    }
    let band = patient.band_of(base, index, pattern);
    if analyte.numeric.is_some() {
        Value::Number { band: band as u8, ticks: patient.ticks_of(base, index, band) }
    } else {
        Value::Choice(band as u16)
    }
}

fn derived_value(base: &KnowledgeBase, patient: &Patient, analyte: &Analyte) -> Value {
    let value_of = |id: &str| {
        let index = derived::analyte_by_id(base, id)?;
        let source = &base.analytes[usize::from(index)];
        let pattern = patient.pattern(base, source.panel);
        let band = patient.band_of(base, index, pattern);
        let scale = f64::from(10u32.pow(source.numeric.as_ref()?.decimals));
        Some(f64::from(patient.ticks_of(base, index, band)) / scale)
    };
    let (Some(name), Some(numeric)) = (&analyte.derived, &analyte.numeric) else { return Value::Missing };
    let Some(value) = derived::compute(name, patient.sex, patient.age, value_of) else { return Value::Missing };
    let ticks = libm::round(value * f64::from(10u32.pow(numeric.decimals))) as i32;
    let edges = &numeric.scales[patient.scale_index()].edges;
    let band = edges[1..6].iter().filter(|edge| ticks >= **edge).count();
    Value::Number { band: band as u8, ticks }
}

/// Applies the noise that struck. Every reading remembers it; only some change.
fn perturb(base: &KnowledgeBase, struck: Option<ExamNoise>, rng: &mut KeyedRng, readings: &mut [Reading]) {
    let Some(noise) = struck else { return };
    for reading in readings.iter_mut() {
        reading.noise = reading.noise.or(Some(Noise::Exam(noise)));
    }
    match noise {
        ExamNoise::Ambiguity | ExamNoise::BodyPartSwap => {}
        ExamNoise::Omission => drop_clause(base, rng, readings),
    }
}

/// Drops one clause uniformly. Derived values go with it: they would give away what was dropped.
fn drop_clause(base: &KnowledgeBase, rng: &mut KeyedRng, readings: &mut [Reading]) {
    let is_derived = |reading: &Reading| match base.item_kind(reading.item) {
        Some(ItemKind::Analyte(index)) => base.analytes[usize::from(index)].derived.is_some(),
        _ => false,
    };
    let clauses = readings.iter().filter(|reading| !is_derived(reading)).count();
    let dropped = rng.below(clauses as u32) as usize;
    let mut position = 0;
    for reading in readings {
        if is_derived(reading) {
            reading.value = Value::Missing;
            continue;
        }
        if position == dropped {
            reading.value = Value::Missing;
        }
        position += 1;
    }
}

/// Site swaps of one execution of a call: each site field has a stream of its own.
struct SiteSwaps<'a> {
    seed: u64,
    call: &'a ExamCall,
    occurrence: u16,
    ppm: u32,
}

impl SiteSwaps<'_> {
    /// Swaps fields to adjacent sites; true when a swap struck, changed or not.
    fn apply(&self, base: &KnowledgeBase, readings: &mut [Reading]) -> bool {
        let mut struck = false;
        for reading in readings {
            let Some(ItemKind::Analyte(index)) = base.item_kind(reading.item) else { continue };
            let analyte = &base.analytes[usize::from(index)];
            let (true, Value::Choice(value)) = (analyte.site, reading.value) else { continue };
            let key = self.call.key() ^ analyte.key;
            let mut rng = KeyedRng::new(self.seed, Purpose::ExamNoise, key, self.occurrence);
            if !rng.happens(self.ppm) {
                continue;
            }
            struck = true;
            reading.noise = Some(Noise::Exam(ExamNoise::BodyPartSwap));
            let adjacent = &analyte.values[usize::from(value)].adjacent;
            if !adjacent.is_empty() {
                reading.value = Value::Choice(adjacent[rng.below(adjacent.len() as u32) as usize]);
            }
        }
        struck
    }
}
