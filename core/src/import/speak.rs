//! Facts and results as they are said.
//!
//! Facts are in the third person ("The patient reports .."). A patient who speaks for themself says them in the first person
//! where every word that has to change is known; otherwise, and where an informant speaks (small children), the words stand as
//! they are. Nothing is added to what is recorded.

use alloc::{string::String, vec::Vec};

use super::{
    ImportedCase,
    first_person::first_person,
    lexicon::{is_word_start, stands_at},
    perturb::ended,
    record::segments,
};

/// What stands for the name of the disease in the mouth of a patient.
const UNNAMED: &str = "this condition";
/// Youngest age, in years, at which patients speak for themselves.
const SPEAKING_AGE: u32 = 12;
/// Words of demographics that mean a small child.
const SMALL_CHILD: &[&str] = &[
    "newborn",
    "neonate",
    "infant",
    "toddler",
    "month-old",
    "week-old",
    "day-old",
    "month old",
    "week old",
    "day old",
    "gestation",
];
/// Last segments of a path that do not name anything.
const NAMELESS: &[&str] = &["Findings", "Finding", "Result", "Results", "Level", "Report"];

/// What the patient says when answering with `facts` (indexes of [`ImportedCase::ask`]): the words of the facts, in the first
/// person where a safe rule exists, else as they stand; the diagnosis is never named. Empty for no facts.
pub fn speak_facts(case: &ImportedCase, facts: &[u16]) -> String {
    let said: Vec<String> = facts.iter().filter_map(|&index| speak_fact(case, index)).collect();
    said.join(" ")
}

/// What the patient says for one fact; `None` when there is no such fact.
fn speak_fact(case: &ImportedCase, index: u16) -> Option<String> {
    let fact = case.facts.get(usize::from(index))?;
    Some(ended(&speak_text(case, &fact.text)))
}

/// Any text of a case as its patient says it.
pub fn speak_text(case: &ImportedCase, text: &str) -> String {
    let text = unnamed(case, text);
    let own_words = if speaks_for_themself(&case.demographics) { first_person(&text) } else { None };
    own_words.unwrap_or(text)
}

fn speaks_for_themself(demographics: &str) -> bool {
    let lower = demographics.to_lowercase();
    if SMALL_CHILD.iter().any(|word| lower.contains(word)) {
        return false;
    }
    let digits: String =
        lower.chars().skip_while(|letter| !letter.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.parse::<u32>().map_or(true, |age| age >= SPEAKING_AGE)
}

/// The text without the name of the disease.
fn unnamed(case: &ImportedCase, text: &str) -> String {
    let names: Vec<&str> = core::iter::once(&case.diagnosis)
        .chain(&case.synonyms)
        .map(|name| name.trim())
        .filter(|name| name.len() >= 2)
        .collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        let longest = names
            .iter()
            .filter(|name| is_word_start(text, at) && stands_at(text, at, name))
            .map(|name| name.len())
            .max();
        if let Some(len) = longest {
            out.push_str(UNNAMED);
            at += len;
        } else {
            out.push(letter);
            at += letter.len_utf8();
        }
    }
    out
}

/// The report of recorded exams (indexes of [`ImportedCase::exam`]): a line a recorded group, `Group: name: value; name: value`.
pub fn speak_exams(case: &ImportedCase, exams: &[u16]) -> String {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for exam in exams.iter().filter_map(|&index| case.exams.get(usize::from(index))) {
        let segments = segments(&exam.path);
        let (group, rest) = segments.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
        let names: Vec<String> = rest
            .iter()
            .filter(|name| !NAMELESS.contains(name) && !is_position(name))
            .map(|name| spaced(name))
            .collect();
        let entry =
            if names.is_empty() { exam.text.clone() } else { alloc::format!("{}: {}", names.join(", "), exam.text) };
        match groups.last_mut() {
            Some((last, entries)) if *last == group => entries.push(entry),
            _ => groups.push((group, alloc::vec![entry])),
        }
    }
    let lines: Vec<String> =
        groups.iter().map(|(group, entries)| alloc::format!("{}: {}", spaced(group), entries.join("; "))).collect();
    lines.join("\n")
}

fn is_position(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

fn spaced(name: &str) -> String {
    name.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Fact, RecordedExam},
        *,
    };

    fn case(demographics: &str, texts: &[&str]) -> ImportedCase {
        ImportedCase {
            demographics: demographics.into(),
            diagnosis: "Gout".into(),
            facts: texts.iter().map(|text| Fact { path: "f".into(), text: (*text).into() }).collect(),
            ..ImportedCase::default()
        }
    }

    #[test]
    fn adults_speak_of_themselves_and_informants_of_the_child() {
        let texts = ["The patient reports a 3-day history of fever.", "She has no cough"];
        let adult = case("40-year-old female", &texts);
        assert_eq!(speak_facts(&adult, &[0, 1]), "I have a 3-day history of fever. I have no cough.");
        for child in ["8-month-old girl", "5-year-old girl", "Newborn, 33 weeks of gestation"] {
            assert_eq!(speak_facts(&case(child, &texts), &[0]), texts[0]);
        }
        assert_eq!(speak_facts(&adult, &[]), "");
        assert_eq!(speak_facts(&adult, &[9]), "");
    }

    #[test]
    fn the_disease_is_never_named() {
        let said = speak_facts(&case("40-year-old male", &["Was told of GOUT, not goutweed"]), &[0]);
        assert_eq!(said, "Was told of this condition, not goutweed.");
    }

    #[test]
    fn results_are_grouped_by_recorded_name() {
        let exams = [
            ("Test_Results/Blood_Work/Na", "139"),
            ("Test_Results/Blood_Work/K", "4.1"),
            ("Test_Results/Chest_X-ray/Findings", "Clear."),
            ("Test_Results/ESR", "10 mm/h"),
            ("Physical_Examination_Findings/Skin/Findings/0", "Rash"),
        ];
        let exams =
            exams.iter().map(|&(path, text)| RecordedExam { path: path.into(), text: text.into(), bedside: false });
        let case = ImportedCase { exams: exams.collect(), ..ImportedCase::default() };
        let said = "Blood Work: Na: 139; K: 4.1\nChest X-ray: Clear.\nESR: 10 mm/h\nSkin: Rash";
        assert_eq!(speak_exams(&case, &[0, 1, 2, 3, 4, 99]), said);
    }
}
