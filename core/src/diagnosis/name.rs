//! Names of conditions in a form that can be compared: spelling, case, accents, possessives and numerals made alike.

use alloc::{string::String, vec::Vec};

/// British to American spelling, inside words.
const SPELLING: &[(&str, &str)] = &[
    ("haem", "hem"),
    ("aemi", "emi"),
    ("oede", "ede"),
    ("oeso", "eso"),
    ("rrhoea", "rrhea"),
    ("pnoea", "pnea"),
    ("tumour", "tumor"),
    ("coeli", "celi"),
    ("caec", "cec"),
    ("faec", "fec"),
    ("paed", "ped"),
    ("gynaec", "gynec"),
    ("foet", "fet"),
    ("leuc", "leuk"),
];

/// Words that carry no meaning in a name.
const FILLERS: &[&str] = &["a", "an", "and", "by", "disease", "disorder", "due", "from", "in", "of", "the", "to"];

/// Lower case words joined by single spaces: accents folded, possessive `'s` and other punctuation dropped, American spelling,
/// Roman numerals of types and stages as digits.
pub fn normalize_name(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in words(text) {
        let previous_counts = matches!(out.rsplit(' ').next(), Some("type" | "stage" | "grade" | "class"));
        let word = if previous_counts { digits(&word).into() } else { spelled(word) };
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&word);
    }
    out
}

/// A name without fillers, plurals and word order, to compare names that differ in nothing else: sorted distinct words.
pub(super) fn loose_key(normalized: &str) -> String {
    let mut words: Vec<&str> = normalized.split(' ').filter(|word| !FILLERS.contains(word)).map(singular).collect();
    words.sort_unstable();
    words.dedup();
    words.join(" ")
}

/// Folded lower-case words.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if is_apostrophe(character) {
            skip_possessive(&mut characters);
        } else if character.is_alphanumeric() {
            fold_into(&mut word, character);
        } else if !word.is_empty() {
            words.push(core::mem::take(&mut word));
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '\u{2019}' | '\u{2018}' | '`' | '\u{b4}')
}

/// Drops the `s` after an apostrophe when the word ends with it.
fn skip_possessive(characters: &mut core::iter::Peekable<core::str::Chars<'_>>) {
    let mut ahead = characters.clone();
    let is_s = matches!(ahead.next(), Some('s' | 'S'));
    if is_s && !ahead.next().is_some_and(char::is_alphanumeric) {
        characters.next();
    }
}

/// Lower case without the accents of Western European languages.
fn fold_into(out: &mut String, character: char) {
    let folded = match character {
        '\u{e0}'..='\u{e5}' | '\u{c0}'..='\u{c5}' => "a",
        '\u{e7}' | '\u{c7}' => "c",
        '\u{e8}'..='\u{eb}' | '\u{c8}'..='\u{cb}' => "e",
        '\u{ec}'..='\u{ef}' | '\u{cc}'..='\u{cf}' => "i",
        '\u{f1}' | '\u{d1}' => "n",
        '\u{f2}'..='\u{f6}' | '\u{f8}' | '\u{d2}'..='\u{d6}' | '\u{d8}' => "o",
        '\u{f9}'..='\u{fc}' | '\u{d9}'..='\u{dc}' => "u",
        '\u{e6}' | '\u{c6}' => "ae",
        '\u{153}' | '\u{152}' => "oe",
        '\u{df}' => "ss",
        other => return out.extend(other.to_lowercase()),
    };
    out.push_str(folded);
}

fn spelled(mut word: String) -> String {
    if !["ae", "oe", "ou", "leuc"].iter().any(|hint| word.contains(hint)) {
        return word;
    }
    for (british, american) in SPELLING {
        if word.contains(british) {
            word = word.replace(british, american);
        }
    }
    word
}

fn digits(word: &str) -> &str {
    match word {
        "i" => "1",
        "ii" => "2",
        "iii" => "3",
        "iv" => "4",
        other => other,
    }
}

/// A word without its plural `s`.
fn singular(word: &str) -> &str {
    let keep = word.len() < 4 || word.ends_with("ss") || word.ends_with("us") || word.ends_with("is");
    if keep { word } else { word.strip_suffix('s').unwrap_or(word) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_the_same_become_equal() {
        for (left, right) in [
            ("Crohn's disease", "CROHN\u{2019}S  Disease"),
            ("M\u{e9}ni\u{e8}re disease", "meniere-disease"),
            ("Iron deficiency anaemia", "iron-deficiency anemia"),
            ("Type II diabetes mellitus", "type 2 diabetes mellitus"),
            ("Gastro-oesophageal reflux", "gastro esophageal reflux"),
        ] {
            assert_eq!(normalize_name(left), normalize_name(right));
        }
    }

    #[test]
    fn loose_keys_ignore_order_plurals_and_fillers() {
        let key = |name: &str| loose_key(&normalize_name(name));
        assert_eq!(key("Pneumonia, community acquired"), key("community-acquired pneumonia"));
        assert_eq!(key("kidney stones"), key("kidney stone"));
        assert_eq!(key("Graves' disease"), key("Graves disease"));
        assert_ne!(key("acute pancreatitis"), key("chronic pancreatitis"));
    }
}
