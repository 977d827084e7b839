//! Exam readings -> the words of a report: one clause per reading, flags and reference ranges beside what is abnormal.

use alloc::string::String;

use crate::{
    knowledge::{Analyte, ItemKind, KnowledgeBase, Modality, Numeric, View},
    observation::{Reading, Value},
};

/// How much a report says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Reference ranges beside abnormal numbers only.
    #[default]
    Compact,
    /// Reference ranges beside every number.
    Full,
}

/// A report to be printed.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// Heading: the exam's name for people.
    pub label: &'a str,
    /// The view shown; fixes the wording of an ambiguous report.
    pub view: Option<&'a View>,
    /// What is reported, in order; missing clauses are simply not there.
    pub readings: &'a [Reading],
    /// Which scale applies: 0 men, 1 women, 2 children ([`crate::case::Patient::scale_index`]).
    pub scale: usize,
    /// The whole report is flagged as uncertain.
    pub ambiguous: bool,
    /// How much is said.
    pub detail: Detail,
}

/// Appends the report to `out`: `Cardiac enzymes: Troponin 61 ng/L (HH, 4-14); Creatine kinase MB 3.1 ng/mL.`
///
/// Flags: `L` and `H` outside the reference range, `LL` and `HH` in the outermost bands.
pub fn print_report(base: &KnowledgeBase, report: &Report<'_>, out: &mut String) {
    out.push_str(report.label);
    out.push_str(": ");
    let start = out.len();
    for reading in report.readings {
        let before = out.len();
        if before > start {
            out.push_str("; ");
        }
        let clause = out.len();
        push_reading(base, report, reading, out);
        if out.len() == clause {
            out.truncate(before);
        }
    }
    if out.len() == start {
        out.push_str("no result");
    }
    out.push('.');
    if report.ambiguous {
        out.push_str(ambiguity(report.view.map(|view| view.modality)));
    }
}

/// Appends one clause, or nothing.
fn push_reading(base: &KnowledgeBase, report: &Report<'_>, reading: &Reading, out: &mut String) {
    match (base.item_kind(reading.item), reading.value) {
        (Some(ItemKind::Finding(index)), Value::Present) => out.push_str(&base.findings[usize::from(index)].report[0]),
        (Some(ItemKind::Finding(index)), Value::Absent) => out.push_str(&base.findings[usize::from(index)].report[1]),
        (Some(ItemKind::Analyte(index)), value) => push_analyte(&base.analytes[usize::from(index)], report, value, out),
        _ => {}
    }
}

fn push_analyte(analyte: &Analyte, report: &Report<'_>, value: Value, out: &mut String) {
    match (value, &analyte.numeric) {
        (Value::Number { band, ticks }, Some(numeric)) => {
            out.push_str(&analyte.label);
            out.push(' ');
            push_decimal(ticks, numeric.decimals, out);
            push_unit(&numeric.unit, out);
            push_reference(numeric, report, band, out);
        }
        (Value::Choice(index), None) => {
            if let Some(value) = analyte.values.get(usize::from(index)) {
                out.push_str(&value.text);
            }
        }
        _ => {}
    }
}

fn push_unit(unit: &str, out: &mut String) {
    if unit.is_empty() {
        return;
    }
    if !unit.starts_with(['%', '/']) {
        out.push(' ');
    }
    out.push_str(unit);
}

/// Appends flag and reference range, the third to the fifth edge.
fn push_reference(numeric: &Numeric, report: &Report<'_>, band: u8, out: &mut String) {
    let flag = match band {
        0 => "LL, ",
        1 => "L, ",
        2 | 3 => "",
        4 => "H, ",
        _ => "HH, ",
    };
    if flag.is_empty() && report.detail == Detail::Compact {
        return;
    }
    let edges = &numeric.scales[report.scale.min(2)].edges;
    out.push_str(" (");
    out.push_str(flag);
    push_decimal(edges[2], numeric.decimals, out);
    out.push('-');
    push_decimal(edges[4], numeric.decimals, out);
    out.push(')');
}

/// Appends `ticks` of `10^-decimals` with all decimals.
fn push_decimal(ticks: i32, decimals: u32, out: &mut String) {
    if ticks < 0 {
        out.push('-');
    }
    let mut digits = [b'0'; 24];
    let mut rest = ticks.unsigned_abs();
    let point = decimals.min(9) as usize;
    let mut len = 0;
    while rest > 0 || len <= point {
        digits[len] = b'0' + (rest % 10) as u8;
        rest /= 10;
        len += 1;
    }
    for index in (0..len).rev() {
        out.push(char::from(digits[index]));
        if index == point && point > 0 {
            out.push('.');
        }
    }
}

/// What the flag of an uncertain report says, by modality.
const fn ambiguity(modality: Option<Modality>) -> &'static str {
    match modality {
        Some(Modality::Laboratory) => " Sample partly haemolysed: interpret with caution.",
        Some(Modality::Imaging) => " Image quality limited: interpret with caution.",
        Some(Modality::Tracing) => " Artefacts in the tracing: interpret with caution.",
        Some(Modality::Bedside) => " Examination limited by discomfort: findings uncertain.",
        Some(Modality::Pathology) => " Scanty material: interpret with caution.",
        Some(Modality::Function) => " Effort variable: interpret with caution.",
        None => " Result uncertain: interpret with caution.",
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::{knowledge::ItemId, observation::Source};

    fn printed(base: &KnowledgeBase, report: &Report<'_>) -> String {
        let mut out = String::new();
        print_report(base, report, &mut out);
        out
    }

    fn reading(item: ItemId, value: Value) -> Reading {
        let source = Source::Exam { occurrence: 0, repeat: false };
        Reading { item, value, clean: value, noise: None, source }
    }

    fn analyte(base: &KnowledgeBase, id: &str) -> (ItemId, u16) {
        let index = base.analytes.iter().position(|analyte| analyte.id == id).unwrap() as u16;
        (base.analyte_item(index), index)
    }

    fn report(readings: &[Reading]) -> Report<'_> {
        Report { label: "Exam", view: None, readings, scale: 0, ambiguous: false, detail: Detail::Compact }
    }

    #[test]
    fn decimals_are_exact() {
        for (ticks, decimals, expected) in [
            (0, 0, "0"),
            (5, 2, "0.05"),
            (-5, 1, "-0.5"),
            (1234, 2, "12.34"),
            (100, 0, "100"),
            (i32::MIN, 3, "-2147483.648"),
            (7, 30, "0.000000007"),
        ] {
            let mut out = String::new();
            push_decimal(ticks, decimals, &mut out);
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn abnormal_numbers_carry_flag_and_reference_and_normal_ones_do_not() {
        let base = KnowledgeBase::core24().unwrap();
        let (potassium, index) = analyte(&base, "potassium");
        let edges = base.analytes[usize::from(index)].numeric.as_ref().unwrap().scales[0].edges;
        let value = |band: u8| Value::Number { band, ticks: edges[usize::from(band)] };
        let text = printed(&base, &report(&[reading(potassium, value(2)), reading(potassium, value(4))]));
        assert_eq!(text.matches('(').count(), 1, "{text}");
        assert!(text.contains(" (H, ") && text.ends_with(")."), "{text}");
        let full = [reading(potassium, value(2))];
        let full = Report { detail: Detail::Full, ..report(&full) };
        assert_eq!(printed(&base, &full).matches('(').count(), 1);
    }

    #[test]
    fn missing_clauses_leave_no_trace() {
        let base = KnowledgeBase::core24().unwrap();
        let (first, _) = analyte(&base, "ecg_rhythm");
        let (second, _) = analyte(&base, "ecg_st_segment");
        let all = [reading(first, Value::Choice(0)), reading(second, Value::Missing), reading(first, Value::Choice(1))];
        assert_eq!(printed(&base, &report(&all)), "Exam: Normal sinus rhythm; Sinus tachycardia.");
        assert_eq!(printed(&base, &report(&all[1..2])), "Exam: no result.");
    }

    #[test]
    fn signs_are_printed_in_their_report_texts() {
        let base = KnowledgeBase::core24().unwrap();
        let wheeze = base.finding_item(base.finding_index("wheeze").unwrap());
        let readings = [reading(wheeze, Value::Present), reading(wheeze, Value::Absent)];
        assert_eq!(printed(&base, &report(&readings)), "Exam: Expiratory wheeze in both lungs; No wheeze.");
    }

    #[test]
    fn an_ambiguous_report_says_so_in_the_words_of_its_modality() {
        let base = KnowledgeBase::core24().unwrap();
        let mut texts: Vec<String> = Vec::new();
        for view in &base.views {
            let report = Report { view: Some(view), ambiguous: true, ..report(&[]) };
            texts.push(printed(&base, &report));
        }
        texts.sort();
        texts.dedup();
        assert!(texts.len() >= 4, "{texts:?}");
    }

    #[test]
    fn readings_that_fit_no_item_are_left_out() {
        let base = KnowledgeBase::core24().unwrap();
        let readings: Vec<Reading> = [0, base.findings.len() as u16, base.num_items() as u16 - 1, u16::MAX]
            .into_iter()
            .flat_map(|item| {
                [Value::Choice(u16::MAX), Value::Vague, Value::Number { band: 200, ticks: i32::MIN }]
                    .map(|value| reading(ItemId(item), value))
            })
            .collect();
        printed(&base, &Report { scale: 99, ..report(&readings) });
    }
}
