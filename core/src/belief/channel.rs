//! P(observed | true) of every noise row of CLINIC 3, read as a likelihood of the true value.

use alloc::{vec, vec::Vec};

use crate::{
    knowledge::{Analyte, AttributeValues, KnowledgeBase},
    noise::{DENIAL_PPM, Noise, PatientNoise},
    noise_plan::{Plan, Rates},
    observation::{Reading, Source, Value},
    random::PPM,
};

/// Share of omissions that deny.
const DENIAL: f64 = DENIAL_PPM as f64 / PPM as f64;

fn indicator(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// Whether the patient added a guess of their own to this answer: everybody hears it, and then the answer itself is clean.
fn with_guess(reading: &Reading) -> bool {
    reading.noise == Some(Noise::Patient(PatientNoise::SelfDiagnosis))
}

fn rate(rates: &Rates, noise: PatientNoise) -> f64 {
    rates[noise as usize]
}

/// Likelihood of absent and present.
pub(super) fn finding(base: &KnowledgeBase, reading: &Reading, plan: &Plan, patient_turn: u32) -> [f64; 2] {
    let forgotten = f64::from(plan.forgotten_ppm()) / f64::from(PPM);
    match reading.source {
        Source::Volunteered => [0.0, 1.0 - forgotten],
        Source::PassedOver => [1.0, forgotten],
        Source::Exam { .. } => [indicator(reading.value == Value::Absent), indicator(reading.value == Value::Present)],
        // Under symptom confusion the neighbour's answer is never false.
        Source::Direct { asked, .. } if asked != reading.item => {
            [indicator(reading.value == Value::Absent), indicator(reading.value == Value::Present)]
        }
        Source::Direct { asked, occurrence, .. } => {
            let Some(class) = base.question_class(asked) else { return [1.0, 1.0] };
            let rates = plan.answer_rates(asked, class, u16::from(occurrence), patient_turn);
            let vague = rate(&rates, PatientNoise::VagueAnswer);
            let omission = rate(&rates, PatientNoise::Omission);
            let confusion = rate(&rates, PatientNoise::SymptomConfusion);
            let guess = rate(&rates, PatientNoise::SelfDiagnosis);
            let present = reading.value == Value::Present;
            if with_guess(reading) {
                return [guess * indicator(!present), guess * indicator(present)];
            }
            let clean = 1.0 - vague - omission - confusion - guess;
            if present { [0.0, clean] } else { [clean + DENIAL * omission, DENIAL * omission] }
        }
    }
}

/// Likelihood of each value of an attribute, and of "not applicable".
pub(super) fn attribute(
    base: &KnowledgeBase,
    attribute: u16,
    reading: &Reading,
    plan: &Plan,
    patient_turn: u32,
) -> (Vec<f64>, f64) {
    let entry = &base.attributes[usize::from(attribute)];
    let Source::Direct { asked, occurrence, .. } = reading.source else { return (vec![1.0; entry.num_values], 1.0) };
    let Some(class) = base.question_class(asked) else { return (vec![1.0; entry.num_values], 1.0) };
    let rates = plan.answer_rates(asked, class, u16::from(occurrence), patient_turn);
    let vague = rate(&rates, PatientNoise::VagueAnswer);
    let guess = rate(&rates, PatientNoise::SelfDiagnosis);
    if with_guess(reading) {
        let clean = |value| guess * indicator(tells(&entry.values, value, reading.value));
        let absent = guess * indicator(reading.value == Value::NotApplicable);
        return ((0..entry.num_values).map(clean).collect(), absent);
    }
    if reading.value == Value::NotApplicable {
        return (vec![0.0; entry.num_values], 1.0 - vague - guess);
    }
    let own = [
        PatientNoise::BodyPartSwap,
        PatientNoise::SymptomConfusion,
        PatientNoise::SeverityChange,
        PatientNoise::TemporalChange,
    ]
    .iter()
    .map(|&noise| rate(&rates, noise))
    .sum::<f64>();
    let clean = 1.0 - vague - own - guess;
    let likelihood = |value: usize| {
        let shifted = shifted(base, &entry.values, &entry.confused, value, reading.value);
        clean * indicator(tells(&entry.values, value, reading.value)) + own * shifted
    };
    ((0..entry.num_values).map(likelihood).collect(), 0.0)
}

/// Whether `observed` is what a clean answer would say for the value at `index`.
fn tells(values: &AttributeValues, index: usize, observed: Value) -> bool {
    match (values, observed) {
        (AttributeValues::Severity, Value::Severity(severity)) => usize::from(severity) == index + 1,
        (AttributeValues::Duration(values), Value::Duration(number, unit)) => values[index] == (number, unit),
        (AttributeValues::Sites(sites), Value::Choice(site)) => sites[index] == site,
        (AttributeValues::Named(_), Value::Choice(value)) => usize::from(value) == index,
        _ => false,
    }
}

/// P(observed | true value, the attribute's own noise type struck).
fn shifted(
    base: &KnowledgeBase,
    values: &AttributeValues,
    confused: &[Vec<u16>],
    index: usize,
    observed: Value,
) -> f64 {
    match (values, observed) {
        (AttributeValues::Severity, Value::Severity(severity)) => severity_shift(index as u8 + 1, severity),
        (AttributeValues::Duration(values), Value::Duration(number, unit)) => {
            let (truth, true_unit) = values[index];
            if unit == true_unit && number != truth { duration_shift(truth, number) } else { 0.0 }
        }
        (AttributeValues::Duration(values), Value::Awhile) => duration_shift(values[index].0, values[index].0),
        (AttributeValues::Sites(sites), Value::Choice(site)) => {
            among(&base.sites[usize::from(sites[index])].adjacent, site, sites[index] == site)
        }
        (AttributeValues::Named(_), Value::Choice(value)) => {
            among(&confused[index], value, usize::from(value) == index)
        }
        _ => 0.0,
    }
}

/// Uniform over `neighbours`; identity where there are none.
pub(super) fn among(neighbours: &[u16], observed: u16, same: bool) -> f64 {
    if neighbours.is_empty() {
        return indicator(same);
    }
    neighbours.iter().filter(|&&neighbour| neighbour == observed).count() as f64 / neighbours.len() as f64
}

/// P(y | v) of `severity_change`: y = max(1, v - delta), delta uniform on 1, 2, 3.
pub(super) fn severity_shift(truth: u8, observed: u8) -> f64 {
    let hits = (1..=3).filter(|&delta| truth.saturating_sub(delta).max(1) == observed).count();
    hits as f64 / 3.0
}

/// q(y | N) of `temporal_change`: N is scaled by a factor uniform on [0.3, 2) and rounded down, at least 1.
pub fn duration_shift(truth: u32, observed: u32) -> f64 {
    let truth = f64::from(truth);
    let low = if observed <= 1 { 0.0 } else { f64::from(observed) / truth };
    let high = (f64::from(observed) + 1.0) / truth;
    (high.min(2.0) - low.max(0.3)).max(0.0) / 1.7
}

/// Likelihood of each band or value of an analyte.
pub(super) fn analyte(entry: &Analyte, reading: &Reading, plan: &Plan, exam: Option<usize>) -> Vec<f64> {
    let observed = match reading.value {
        Value::Number { band, .. } => u16::from(band),
        Value::Choice(value) => value,
        _ => return vec![1.0; entry.num_values],
    };
    let swap = match (reading.source, exam) {
        (Source::Exam { occurrence, .. }, Some(exam)) if entry.site => {
            f64::from(plan.site_swap_ppm(exam, u16::from(occurrence))) / f64::from(PPM)
        }
        _ => 0.0,
    };
    let likelihood = |value: usize| {
        let same = usize::from(observed) == value;
        let adjacent = entry.values.get(value).map_or(&[][..], |value| &value.adjacent);
        (1.0 - swap) * indicator(same) + swap * among(adjacent, observed, same)
    };
    (0..entry.num_values).map(likelihood).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_duration_shift_sums_to_one() {
        for truth in 1..=40 {
            let total: f64 = (1..=truth * 2).map(|number| duration_shift(truth, number)).sum();
            assert!((total - 1.0).abs() < 1e-12, "{truth}: {total}");
        }
    }

    #[test]
    fn every_severity_shift_sums_to_one_and_never_rises() {
        for truth in 1..=10 {
            let total: f64 = (1..=10).map(|observed| severity_shift(truth, observed)).sum();
            assert!((total - 1.0).abs() < 1e-12);
            assert!((truth + 1..=10).all(|observed| severity_shift(truth, observed) < 1e-12));
        }
    }
}
