//! Spans of free text that noise can act on: body parts, symptoms, severities, durations.

use alloc::vec::Vec;
use core::ops::Range;

/// Body parts as laymen name them, and the parts next to them.
pub(super) const BODY_PARTS: &[(&str, &[&str])] = &[
    ("head", &["face", "neck"]),
    ("forehead", &["temple", "face"]),
    ("face", &["forehead", "jaw"]),
    ("jaw", &["face", "neck"]),
    ("neck", &["throat", "shoulder"]),
    ("throat", &["neck", "chest"]),
    ("shoulder", &["neck", "upper arm"]),
    ("elbow", &["upper arm", "forearm"]),
    ("forearm", &["elbow", "wrist"]),
    ("wrist", &["forearm", "hand"]),
    ("hand", &["wrist", "fingers"]),
    ("fingers", &["hand", "wrist"]),
    ("finger", &["hand", "wrist"]),
    ("thumb", &["wrist", "hand"]),
    ("arm", &["shoulder", "hand"]),
    ("arms", &["shoulders", "hands"]),
    ("chest", &["shoulder", "upper belly"]),
    ("back", &["side", "shoulders"]),
    ("abdomen", &["chest", "side"]),
    ("belly", &["chest", "side"]),
    ("stomach", &["chest", "lower belly"]),
    ("abdominal", &["chest", "flank"]),
    ("flank", &["back", "belly"]),
    ("groin", &["hip", "thigh"]),
    ("hip", &["groin", "thigh"]),
    ("thigh", &["hip", "knee"]),
    ("knee", &["thigh", "shin"]),
    ("calf", &["knee", "ankle"]),
    ("shin", &["knee", "ankle"]),
    ("ankle", &["shin", "foot"]),
    ("foot", &["ankle", "toes"]),
    ("leg", &["thigh", "foot"]),
    ("legs", &["thighs", "feet"]),
    ("toes", &["foot"]),
];

/// Sites in reports, and the sites next to them.
pub(super) const REPORT_SITES: &[(&str, &[&str])] = &[
    ("upper lobe", &["middle lobe"]),
    ("lower lobe", &["middle lobe"]),
    ("right ventricle", &["right atrium"]),
    ("left ventricle", &["left atrium"]),
    ("ascending colon", &["transverse colon"]),
    ("sigmoid colon", &["descending colon"]),
    ("distal femur", &["proximal tibia"]),
    ("proximal tibia", &["distal femur"]),
    ("frontal", &["parietal"]),
    ("parietal", &["temporal"]),
    ("temporal", &["parietal"]),
    ("occipital", &["parietal"]),
    ("cervical", &["thoracic"]),
    ("thoracic", &["lumbar"]),
    ("lumbar", &["sacral"]),
];

/// Symptoms that laymen mix up.
pub(super) const SYMPTOMS: &[(&str, &[&str])] = &[
    ("numbness", &["tingling", "weakness"]),
    ("tingling", &["numbness"]),
    ("weakness", &["tiredness", "numbness"]),
    ("fatigue", &["weakness", "sleepiness"]),
    ("dizziness", &["lightheadedness", "unsteadiness"]),
    ("vertigo", &["lightheadedness"]),
    ("lightheadedness", &["dizziness"]),
    ("nausea", &["stomach ache", "heartburn"]),
    ("vomiting", &["nausea"]),
    ("double vision", &["blurred vision"]),
    ("blurred vision", &["double vision"]),
    ("shortness of breath", &["tightness in the chest"]),
    ("palpitations", &["shakiness"]),
    ("itching", &["burning"]),
    ("burning", &["stinging"]),
    ("sharp", &["burning", "stabbing"]),
    ("dull", &["pressing"]),
    ("swelling", &["stiffness"]),
    ("stiffness", &["soreness"]),
    ("chills", &["sweats"]),
    ("cramping", &["bloating"]),
    ("constipation", &["bloating"]),
    ("malaise", &["tiredness"]),
];

/// Severities and what they are played down to.
pub(super) const SEVERITIES: &[(&str, &[&str])] = &[
    ("excruciating", &["strong", "moderate"]),
    ("unbearable", &["strong", "moderate"]),
    ("intense", &["moderate", "mild"]),
    ("severe", &["moderate", "mild"]),
    ("severely", &["somewhat", "slightly"]),
    ("significant", &["some", "slight"]),
    ("marked", &["slight"]),
    ("extreme", &["moderate", "mild"]),
    ("profound", &["moderate"]),
    ("moderate", &["mild"]),
    ("worst", &["bad"]),
];

/// Units of time, singular and plural.
pub(super) const TIME_UNITS: &[&str] =
    &["minute", "minutes", "hour", "hours", "day", "days", "week", "weeks", "month", "months", "year", "years"];

/// Small numbers in words, from one.
pub(super) const NUMBER_WORDS: &[&str] =
    &["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// Guesses that laymen offer, independent of any case.
pub(super) const LAY_GUESSES: &[&str] = &[
    "stress",
    "a virus going around",
    "something I ate",
    "my nerves",
    "just getting older",
    "the weather",
    "a pulled muscle",
];

/// Where entries of `table` stand in `text` as whole words, whatever their case: spans and entry indexes in text order.
pub(super) fn find(text: &str, table: &[(&str, &[&str])]) -> Vec<(Range<usize>, usize)> {
    let mut found: Vec<(Range<usize>, usize)> = Vec::new();
    for (start, _) in text.char_indices().filter(|(start, _)| is_word_start(text, *start)) {
        if found.last().is_some_and(|(span, _)| start < span.end) {
            continue;
        }
        let longest = table.iter().enumerate().filter(|(_, (word, _))| stands_at(text, start, word));
        if let Some((entry, (word, _))) = longest.max_by_key(|(_, (word, _))| word.len()) {
            found.push((start..start + word.len(), entry));
        }
    }
    found
}

/// True when `word` stands in `text` at `start`, whatever its case, and ends there.
pub(super) fn stands_at(text: &str, start: usize, word: &str) -> bool {
    let end = start + word.len();
    text.get(start..end).is_some_and(|part| part.eq_ignore_ascii_case(word))
        && !text[end..].chars().next().is_some_and(char::is_alphanumeric)
}

/// True when no word goes on across `start`.
pub(super) fn is_word_start(text: &str, start: usize) -> bool {
    !text[..start].chars().next_back().is_some_and(char::is_alphanumeric)
}
