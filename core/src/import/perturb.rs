//! Noise on spans of free text, found by lexicon.
//!
//! The draws are keyed by the path of the fact or recorded exam (`digest::key(&fact.path)`), so they do not depend on the
//! order of questions. A type that finds no span gives `None`; the caller falls back to a vague answer (to ambiguity for a
//! report) and records that.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use core::ops::Range;

use super::{
    lexicon::{
        BODY_PARTS, LAY_GUESSES, NUMBER_WORDS, REPORT_SITES, SEVERITIES, SYMPTOMS, TIME_UNITS, find, is_word_start,
        stands_at,
    },
    sentence::sentences,
};
use crate::{
    noise::{ExamNoise, PatientNoise},
    random::KeyedRng,
};

/// What a vague patient says.
const VAGUE: &[&str] =
    &["It is hard to say.", "I could not tell you exactly.", "I have not paid much attention to that, to be honest."];
/// What flags a whole report as uncertain.
const UNCERTAIN: &str = "Quality limited, interpret with caution.";

/// The patient's answer `text` after `noise`; `None` when the lexicon finds nothing for this type to act on.
pub fn perturb_text(text: &str, noise: PatientNoise, rng: &mut KeyedRng) -> Option<String> {
    match noise {
        PatientNoise::BodyPartSwap => swap(text, BODY_PARTS, rng),
        PatientNoise::SymptomConfusion => swap(text, SYMPTOMS, rng),
        PatientNoise::SeverityChange => lower_score(text, rng).or_else(|| swap(text, SEVERITIES, rng)),
        PatientNoise::TemporalChange => change_duration(text, rng),
        PatientNoise::Omission => drop_clause(text, rng),
        PatientNoise::SelfDiagnosis => {
            let guess = LAY_GUESSES[rng.below(LAY_GUESSES.len() as u32) as usize];
            Some(alloc::format!("{} I think it may be {guess}.", ended(text)))
        }
        PatientNoise::VagueAnswer => Some(VAGUE[rng.below(VAGUE.len() as u32) as usize].into()),
    }
}

/// The report `text` after `noise`; `None` when the type finds nothing to act on.
pub fn perturb_report(text: &str, noise: ExamNoise, rng: &mut KeyedRng) -> Option<String> {
    match noise {
        ExamNoise::BodyPartSwap => swap(text, REPORT_SITES, rng).or_else(|| swap(text, BODY_PARTS, rng)),
        ExamNoise::Omission => drop_part(text, rng),
        ExamNoise::Ambiguity => Some(alloc::format!("{} {UNCERTAIN}", ended(text))),
    }
}

/// The text with a full stop at its end.
pub(super) fn ended(text: &str) -> String {
    let text = text.trim_end();
    if text.is_empty() || text.ends_with(['.', '!', '?']) { text.to_string() } else { alloc::format!("{text}.") }
}

/// One of the spans, drawn uniformly.
fn draw<T: Clone>(items: &[T], rng: &mut KeyedRng) -> Option<T> {
    items.get(rng.below(items.len() as u32) as usize).cloned()
}

/// One span of `table` in `text` replaced by a neighbour.
fn swap(text: &str, table: &[(&str, &[&str])], rng: &mut KeyedRng) -> Option<String> {
    let (span, entry) = draw(&find(text, table), rng)?;
    let other = draw(table[entry].1, rng)?;
    Some(replaced(text, span, other))
}

/// `text` with `span` replaced, in capitals where the span begins with one.
fn replaced(text: &str, span: Range<usize>, other: &str) -> String {
    let is_capital = text[span.clone()].chars().next().is_some_and(char::is_uppercase);
    let mut out = String::from(&text[..span.start]);
    let mut letters = other.chars();
    match letters.next() {
        Some(first) if is_capital => out.extend(first.to_uppercase()),
        first => out.extend(first),
    }
    out.push_str(letters.as_str());
    out.push_str(&text[span.end..]);
    out
}

/// Numbers in `text`: span and value, in digits or words, up to four digits.
fn numbers(text: &str) -> Vec<(Range<usize>, u32)> {
    let mut found = Vec::new();
    for (start, letter) in text.char_indices().filter(|(start, _)| is_word_start(text, *start)) {
        if letter.is_ascii_digit() {
            let len = text[start..].bytes().take_while(u8::is_ascii_digit).count();
            if let Ok(value) = text[start..start + len].parse()
                && len <= 4
            {
                found.push((start..start + len, value));
            }
        } else if let Some(index) = NUMBER_WORDS.iter().position(|word| stands_at(text, start, word)) {
            found.push((start..start + NUMBER_WORDS[index].len(), index as u32 + 1));
        }
    }
    found
}

/// A duration of N units misjudged: N times a factor uniform in [0.3, 2), rounded down; none or no change gives "a while".
fn change_duration(text: &str, rng: &mut KeyedRng) -> Option<String> {
    let unit_after = |span: &Range<usize>| {
        let rest = &text[span.end..];
        let gap = rest.len() - rest.trim_start_matches([' ', '-']).len();
        let start = span.end + gap;
        let unit = TIME_UNITS.iter().find(|unit| stands_at(text, start, unit))?;
        let is_age = text[start + unit.len()..].trim_start_matches([' ', '-']).starts_with("old");
        (gap > 0 && !is_age).then_some(start + unit.len())
    };
    let durations: Vec<(Range<usize>, u32, usize)> =
        numbers(text).into_iter().filter_map(|(span, value)| unit_after(&span).map(|end| (span, value, end))).collect();
    let (span, value, end) = draw(&durations, rng)?;
    // Thousandths of the factor: 300 to 1999.
    let changed = (u64::from(value) * u64::from(300 + rng.below(1_700)) / 1_000) as u32;
    if changed == 0 || changed == value {
        let words = if text[span.end..].starts_with('-') { "long" } else { "some time" };
        return Some(replaced(text, span.start..end, words));
    }
    let mut out = replaced(text, span.clone(), &changed.to_string());
    fix_plural(&mut out, span.start, changed);
    Some(out)
}

/// Singular or plural of the unit after the number at `start`.
fn fix_plural(text: &mut String, start: usize, value: u32) {
    let after = text[start..].bytes().take_while(u8::is_ascii_digit).count() + start;
    if !text[after..].starts_with(' ') {
        return;
    }
    let len = text[after + 1..].bytes().take_while(u8::is_ascii_alphabetic).count();
    let end = after + 1 + len;
    match (value == 1, text[..end].ends_with('s')) {
        (true, true) => text.replace_range(end - 1..end, ""),
        (false, false) => text.insert(end, 's'),
        _ => {}
    }
}

/// `N/10` lowered by 1 to 3, never below 1.
fn lower_score(text: &str, rng: &mut KeyedRng) -> Option<String> {
    let scores: Vec<(Range<usize>, u32)> = numbers(text)
        .into_iter()
        .filter(|(span, value)| (1..=10).contains(value) && stands_at(text, span.end, "/10"))
        .collect();
    let (span, value) = draw(&scores, rng)?;
    let lower = value.saturating_sub(1 + rng.below(3)).max(1);
    Some(replaced(text, span, &lower.to_string()))
}

/// One clause after the first dropped; the first carries the verb and any denial.
fn drop_clause(text: &str, rng: &mut KeyedRng) -> Option<String> {
    let body = text.trim_end().trim_end_matches(['.', '!']);
    let mut cuts: Vec<usize> =
        [", ", "; ", " and "].iter().flat_map(|joint| body.match_indices(joint).map(|(at, _)| at)).collect();
    cuts.sort_unstable();
    // ", and " is one joint, not two.
    cuts.dedup_by(|later, earlier| *later <= *earlier + 2);
    if cuts.is_empty() {
        return None;
    }
    let chosen = rng.below(cuts.len() as u32) as usize;
    let end = cuts.get(chosen + 1).copied().unwrap_or(body.len());
    Some(alloc::format!("{}{}{}", &body[..cuts[chosen]], &body[end..], &text.trim_end()[body.len()..]))
}

/// One of several values (`; `, line) or sentences dropped.
fn drop_part(text: &str, rng: &mut KeyedRng) -> Option<String> {
    let (parts, joint): (Vec<&str>, &str) = if text.contains("; ") || text.contains('\n') {
        (text.split("; ").flat_map(str::lines).collect(), "; ")
    } else {
        (sentences(text), " ")
    };
    if parts.len() < 2 {
        return None;
    }
    let dropped = rng.below(parts.len() as u32) as usize;
    let kept: Vec<&str> =
        parts.iter().enumerate().filter(|(index, _)| *index != dropped).map(|(_, part)| *part).collect();
    Some(kept.join(joint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    fn rng(key: u64) -> KeyedRng {
        KeyedRng::new(5, Purpose::PatientNoise, key, 0)
    }

    fn all(text: &str, noise: PatientNoise) -> Vec<Option<String>> {
        (0..40).map(|key| perturb_text(text, noise, &mut rng(key))).collect()
    }

    #[test]
    fn each_type_changes_its_own_span_and_nothing_else() {
        for said in all("Severe pain in the Wrist for 6 days", PatientNoise::BodyPartSwap) {
            assert!(said.is_some_and(|said| said.starts_with("Severe pain in the ") && said.ends_with(" for 6 days")));
        }
        for said in all("Severe pain", PatientNoise::SeverityChange) {
            assert!(matches!(said.as_deref(), Some("Moderate pain" | "Mild pain")), "{said:?}");
        }
        for said in all("It is 8/10 bad", PatientNoise::SeverityChange) {
            assert!(
                matches!(said.as_deref(), Some("It is 7/10 bad" | "It is 6/10 bad" | "It is 5/10 bad")),
                "{said:?}"
            );
        }
    }

    #[test]
    fn durations_stay_within_their_factor_and_ages_are_left_alone() {
        for said in all("It began two days ago", PatientNoise::TemporalChange).into_iter().flatten() {
            let fine = ["It began 1 day ago", "It began 3 days ago", "It began some time ago"].contains(&said.as_str());
            assert!(fine, "{said}");
        }
        assert!(all("A 35-year-old man", PatientNoise::TemporalChange).iter().all(Option::is_none));
        let said = all("A 10-month history", PatientNoise::TemporalChange);
        assert!(said.iter().flatten().any(|said| said == "A 4-month history"), "{said:?}");
    }

    #[test]
    fn omission_keeps_the_first_clause_and_so_every_denial() {
        let said = all("Denies fever, chills, and cough.", PatientNoise::Omission);
        assert!(said.iter().flatten().all(|said| said.starts_with("Denies fever") && said.ends_with('.')), "{said:?}");
        assert!(
            said.contains(&Some("Denies fever, and cough.".into()))
                && said.contains(&Some("Denies fever, chills.".into()))
        );
    }

    #[test]
    fn text_without_a_span_is_left_to_the_caller() {
        for noise in [
            PatientNoise::BodyPartSwap,
            PatientNoise::SymptomConfusion,
            PatientNoise::SeverityChange,
            PatientNoise::TemporalChange,
            PatientNoise::Omission,
        ] {
            for text in ["", "Kidney stones.", "Ärzte é 7", "99999999999 days"] {
                assert_eq!(perturb_text(text, noise, &mut rng(1)), None, "{noise:?} {text}");
            }
        }
        assert_eq!(perturb_report("Clear.", ExamNoise::Omission, &mut rng(1)), None);
    }

    #[test]
    fn reports_lose_one_part_or_gain_a_flag() {
        let said = perturb_report("Sodium: 139; Potassium: 4.1", ExamNoise::Omission, &mut rng(2));
        assert!(matches!(said.as_deref(), Some("Sodium: 139" | "Potassium: 4.1")));
        assert!(
            perturb_report("Clear", ExamNoise::Ambiguity, &mut rng(2)).is_some_and(|said| said.starts_with("Clear. Q"))
        );
    }
}
