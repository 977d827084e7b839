//! Words of outside text in one form: lower case, American spelling, light stems.

use alloc::{string::String, vec::Vec};

/// Words that carry no meaning of their own in questions and names.
const STOP_WORDS: &[&str] = &[
    "a",
    "about",
    "again",
    "all",
    "also",
    "am",
    "an",
    "and",
    "any",
    "anything",
    "are",
    "as",
    "at",
    "be",
    "been",
    "before",
    "being",
    "but",
    "by",
    "can",
    "could",
    "current",
    "currently",
    "did",
    "do",
    "does",
    "doing",
    "down",
    "ever",
    "feel",
    "feeling",
    "felt",
    "for",
    "from",
    "get",
    "getting",
    "go",
    "got",
    "had",
    "has",
    "have",
    "having",
    "he",
    "hello",
    "her",
    "him",
    "his",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "just",
    "kind",
    "know",
    "let",
    "like",
    "lot",
    "me",
    "more",
    "most",
    "much",
    "my",
    "no",
    "not",
    "notice",
    "noticed",
    "now",
    "of",
    "off",
    "often",
    "ok",
    "okay",
    "on",
    "or",
    "other",
    "our",
    "out",
    "please",
    "she",
    "should",
    "so",
    "some",
    "something",
    "tell",
    "than",
    "thank",
    "thanks",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "this",
    "those",
    "to",
    "too",
    "up",
    "us",
    "very",
    "want",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "while",
    "who",
    "why",
    "will",
    "with",
    "would",
    "you",
    "your",
    "yourself",
    "experience",
    "experienced",
    "experiencing",
    "been",
    "any",
    "s",
    "t",
    "ve",
    "re",
    "m",
    "ll",
    "d",
];

/// British and other spellings by part of a word, and what they become.
const SPELLINGS: &[(&str, &str)] = &[
    ("haem", "hem"),
    ("aemia", "emia"),
    ("oedema", "edema"),
    ("oesoph", "esoph"),
    ("diarrhoea", "diarrhea"),
    ("dyspnoea", "dyspnea"),
    ("paed", "ped"),
    ("gynaec", "gynec"),
    ("faec", "fec"),
    ("anaes", "anes"),
    ("foet", "fet"),
    ("tumour", "tumor"),
    ("colour", "color"),
    ("behaviour", "behavior"),
    ("manoeuvre", "maneuver"),
    ("apnoea", "apnea"),
    ("leuko", "leuco"),
    ("caesar", "cesar"),
    ("oestr", "estr"),
];

/// The words of a text: lower case, letters and digits, apostrophes dropped, `x-ray` as one word, spelling unified, stemmed.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for letter in text.chars().chain([' ']) {
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        } else if letter != '\'' && letter != '’' && !word.is_empty() {
            push(&mut words, core::mem::take(&mut word));
        }
    }
    words
}

fn push(words: &mut Vec<String>, word: String) {
    let word = stem(&respell(word));
    match words.last_mut() {
        Some(last) if last == "x" && word == "ray" => last.push_str("ray"),
        _ => words.push(word),
    }
}

fn respell(mut word: String) -> String {
    if !["ae", "oe", "our", "leuko"].iter().any(|hint| word.contains(hint)) {
        return word;
    }
    for (other, ours) in SPELLINGS {
        if word.contains(other) {
            word = word.replace(other, ours);
        }
    }
    word
}

/// A light stem: plural, past and gerund endings and a final `e` off words long enough to bear it.
fn stem(word: &str) -> String {
    if !word.is_ascii() || word.len() < 4 || word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return word.into();
    }
    let cut = |ending: &str, least: usize| word.strip_suffix(ending).filter(|rest| rest.len() >= least);
    if let Some(rest) = cut("ies", 2) {
        return alloc::format!("{rest}y");
    }
    let rest = cut("ings", 3)
        .or_else(|| cut("ing", 3))
        .or_else(|| cut("ed", 3))
        .or_else(|| {
            if word.ends_with("oes") || word.ends_with("shes") || word.ends_with("ches") { cut("es", 3) } else { None }
        })
        .or_else(|| cut("s", 3))
        .unwrap_or(word);
    let rest = match rest.as_bytes() {
        [.., before, last]
            if rest.len() < word.len() && before == last && !matches!(last, b'l' | b's' | b'e' | b'o') =>
        {
            &rest[..rest.len() - 1]
        }
        _ => rest,
    };
    rest.strip_suffix('e').filter(|short| short.len() >= 3).unwrap_or(rest).into()
}

/// The stems of words without a meaning of their own.
pub(super) fn stop_words() -> Vec<String> {
    stems(STOP_WORDS)
}

/// A list of phrases, each as its words.
pub(super) fn phrases(list: &[&str]) -> Vec<Vec<String>> {
    list.iter().map(|phrase| words(phrase)).collect()
}

/// All words of a list of phrases.
pub(super) fn stems(list: &[&str]) -> Vec<String> {
    list.iter().flat_map(|phrase| words(phrase)).collect()
}

/// True when `part` occurs in `words` as a run.
pub(super) fn contains_run(words: &[String], part: &[String]) -> bool {
    !part.is_empty() && words.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_plurals_and_endings_meet_in_one_stem() {
        assert_eq!(words("Haemorrhages"), words("hemorrhage"));
        assert_eq!(words("smoking"), words("smokes"));
        assert_eq!(words("X-Rays"), ["xray"]);
        assert_eq!(words("the patient's allergies"), ["the", "patient", "allergy"]);
        assert_eq!(words("stopped"), words("stop"));
        assert_eq!(words("mass"), ["mass"]);
    }

    #[test]
    fn any_text_is_split_without_panic() {
        for text in ["", "   ", "µ°É–x", "'’'", "a\u{301}bc", "ß İ"] {
            let _ = words(text);
        }
        assert!(words("—").is_empty());
    }
}
