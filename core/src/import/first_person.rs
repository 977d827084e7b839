//! Third person -> first person, only where every word that has to change is known.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

/// Verbs in the third person and in the first.
const VERBS: &[(&str, &str)] = &[
    ("has", "have"),
    ("is", "am"),
    ("does", "do"),
    ("denies", "deny"),
    ("reports", "report"),
    ("notes", "note"),
    ("mentions", "mention"),
    ("states", "state"),
    ("describes", "describe"),
    ("recalls", "recall"),
    ("recounts", "recount"),
    ("presents", "present"),
    ("complains", "complain"),
    ("experiences", "experience"),
    ("feels", "feel"),
    ("takes", "take"),
    ("smokes", "smoke"),
    ("drinks", "drink"),
    ("lives", "live"),
    ("works", "work"),
    ("uses", "use"),
    ("admits", "admit"),
    ("believes", "believe"),
    ("thinks", "think"),
    ("says", "say"),
    ("needs", "need"),
    ("wants", "want"),
    ("enjoys", "enjoy"),
    ("exercises", "exercise"),
    ("consumes", "consume"),
    ("eats", "eat"),
    ("sleeps", "sleep"),
    ("wakes", "wake"),
    ("finds", "find"),
    ("tends", "tend"),
    ("continues", "continue"),
    ("suffers", "suffer"),
    ("struggles", "struggle"),
    ("reveals", "reveal"),
    ("acknowledges", "acknowledge"),
    ("indicates", "indicate"),
    ("expresses", "express"),
    ("attributes", "attribute"),
    ("remains", "remain"),
    ("claims", "claim"),
    ("adds", "add"),
    ("worries", "worry"),
    ("prefers", "prefer"),
    ("attends", "attend"),
    ("follows", "follow"),
    ("manages", "manage"),
    ("plays", "play"),
];
/// Verbs that are the same in both persons.
const SAME_VERBS: &[&str] = &[
    "had",
    "was",
    "can",
    "cannot",
    "could",
    "will",
    "would",
    "did",
    "may",
    "might",
    "must",
    "went",
    "woke",
    "began",
    "felt",
    "took",
    "got",
    "fell",
    "came",
    "ate",
    "drank",
    "became",
    "gave",
    "saw",
    "found",
    "lost",
    "left",
    "said",
    "told",
    "underwent",
    "never",
];
/// Words that may stand between subject and verb.
const ADVERBS: &[&str] =
    &["also", "then", "often", "now", "still", "sometimes", "always", "rarely", "further", "just", "first"];
/// People a pronoun could mean instead.
const OTHERS: &[&str] = &[
    "mother",
    "father",
    "mom",
    "dad",
    "parent",
    "parents",
    "wife",
    "husband",
    "partner",
    "partners",
    "brother",
    "sister",
    "son",
    "daughter",
    "child",
    "children",
    "friend",
    "friends",
    "family",
    "girlfriend",
    "boyfriend",
    "roommate",
    "teacher",
    "boy",
    "girl",
    "baby",
    "infant",
    "newborn",
    "uncle",
    "aunt",
    "cousin",
    "grandmother",
    "grandfather",
    "physician",
    "doctor",
    "man",
    "woman",
    "grandson",
    "granddaughter",
    "coworker",
    "boss",
    "neighbor",
    "caregiver",
    "member",
    "dog",
    "cat",
    "sibling",
    "fetus",
];
/// Words before which `her` is an object.
const AFTER_OBJECT: &[&str] = &[
    "to", "in", "on", "at", "when", "and", "after", "before", "from", "with", "by", "for", "as", "that", "but", "or",
    "since", "during", "while", "because", "if", "up", "down", "feel", "feeling", "for", "about",
];

/// The text as the patient says it; `None` where a word is not understood well enough.
pub(super) fn first_person(text: &str) -> Option<String> {
    let text = text.trim();
    if text.starts_with(|letter: char| letter.is_ascii_digit()) && text.contains("-year-old") {
        let article =
            if text.starts_with('8') || text.starts_with("11-") || text.starts_with("18-") { "an" } else { "a" };
        return Some(alloc::format!("I am {article} {text}"));
    }
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let mut speaker = Speaker { words: &words, at: 0, out: Vec::with_capacity(words.len()) };
    speaker.speak()?;
    let said = speaker.out.join(" ");
    Some(tidied(&said))
}

struct Speaker<'a> {
    words: &'a [&'a str],
    at: usize,
    out: Vec<String>,
}

impl Speaker<'_> {
    fn speak(&mut self) -> Option<()> {
        let has_other = self.words.iter().any(|word| OTHERS.contains(&bare(word).as_str()));
        let first = self.words.first().map(|word| bare(word)).unwrap_or_default();
        if VERBS.iter().any(|(third, _)| *third == first) {
            self.out.push("I".into());
            self.verb()?;
        }
        let mut is_new_clause = false;
        while let Some(&word) = self.words.get(self.at) {
            let plain = bare(word);
            let next = self.words.get(self.at + 1).map(|next| bare(next)).unwrap_or_default();
            match plain.as_str() {
                "the" if matches!(next.as_str(), "patient" | "patient's" | "patient’s") => {
                    self.at += 1;
                    self.patient()?;
                }
                "patient" | "patient's" | "patient’s" if self.at == 0 => self.patient()?,
                "patient" | "patient's" | "patient’s" => return None,
                "he" | "she" | "his" | "her" | "him" | "hers" | "himself" | "herself" if has_other => return None,
                "he" | "she" => {
                    self.push("I");
                    self.verb()?;
                }
                "his" => self.push("my"),
                "him" => self.push("me"),
                "hers" => self.push("mine"),
                "himself" | "herself" => self.push("myself"),
                "her" => {
                    let is_object =
                        word.len() > plain.len() || next.is_empty() || AFTER_OBJECT.contains(&next.as_str());
                    self.push(if is_object { "me" } else { "my" });
                }
                _ if is_new_clause && !self.out.is_empty() && VERBS.iter().any(|(third, _)| *third == plain) => {
                    if has_other || !self.is_about_self() {
                        return None;
                    }
                    self.verb()?;
                }
                _ => {
                    self.out.push(word.into());
                    self.at += 1;
                }
            }
            is_new_clause = word.ends_with([',', ';'])
                || matches!(plain.as_str(), "and" | "but" | "or")
                || (is_new_clause && is_adverb(&plain));
        }
        Some(())
    }

    /// True when a further verb can only be the patient's: an `I` and no clause about something else since.
    fn is_about_self(&self) -> bool {
        let subject = self.out.iter().rposition(|said| said == "I");
        let is_relative =
            |said: &String| matches!(bare(said).as_str(), "that" | "which" | "who" | "where" | "when" | "while");
        subject.is_some_and(|subject| !self.out[subject..].iter().any(is_relative))
    }

    /// The word here replaced, its punctuation kept.
    fn push(&mut self, other: &str) {
        let word = self.words[self.at];
        let end = word.trim_end_matches(|letter: char| !letter.is_alphanumeric()).len();
        self.out.push(alloc::format!("{other}{}", &word[end..]));
        self.at += 1;
    }

    /// `patient` as a subject or `patient's`.
    fn patient(&mut self) -> Option<()> {
        match bare(self.words.get(self.at)?).as_str() {
            "patient" => {
                self.push("I");
                self.verb()
            }
            "patient's" | "patient’s" => {
                let word = if self.out.is_empty() { "My" } else { "my" };
                self.push(word);
                Some(())
            }
            _ => None,
        }
    }

    /// The verb of an `I`, adverbs before it skipped.
    fn verb(&mut self) -> Option<()> {
        loop {
            let word = *self.words.get(self.at)?;
            let plain = bare(word);
            if let Some((_, ours)) = VERBS.iter().find(|(third, _)| *third == plain) {
                self.push(ours);
                return Some(());
            }
            let is_same = SAME_VERBS.contains(&plain.as_str()) || (plain.ends_with("ed") && plain.len() > 3);
            if !is_adverb(&plain) && !is_same {
                return None;
            }
            self.out.push(word.into());
            self.at += 1;
            if is_same {
                return Some(());
            }
        }
    }
}

fn is_adverb(word: &str) -> bool {
    ADVERBS.contains(&word) || (word.ends_with("ly") && word.len() > 4)
}

/// A word in lower case without punctuation around it.
fn bare(word: &str) -> String {
    word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase()
}

/// Phrases of records turned into phrases of people.
fn tidied(said: &str) -> String {
    const PHRASES: &[(&str, &str)] = &[
        ("I state I ", "I "),
        ("I state that I ", "I "),
        ("I report that I ", "I "),
        ("I present with ", "I have "),
        ("I complain of ", "I have "),
        ("I report experiencing ", "I have been experiencing "),
        ("I report having ", "I have "),
        ("I report a ", "I have a "),
        ("I report an ", "I have an "),
        ("I report no ", "I have no "),
        ("I deny experiencing any ", "I have not had any "),
        ("I deny having any ", "I have not had any "),
        ("I deny any ", "I have not had any "),
    ];
    let found = PHRASES.iter().find(|(record, _)| said.starts_with(record));
    found.map_or_else(|| said.to_string(), |(record, ours)| alloc::format!("{ours}{}", &said[record.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_sentences_change_person() {
        for (record, said) in [
            ("The patient presents with a sore toe.", "I have a sore toe."),
            ("She also notes that her foot swells.", "I also note that my foot swells."),
            ("Denies fever, reports chills, and has a rash.", "I deny fever, report chills, and have a rash."),
            ("The patient's pain woke him.", "My pain woke me."),
            ("He slowly developed a limp", "I slowly developed a limp"),
            ("61-year-old male", "I am a 61-year-old male"),
            ("83-year-old male", "I am an 83-year-old male"),
            ("Works nights, frequently plays golf.", "I work nights, frequently play golf."),
            ("Swelling", "Swelling"),
        ] {
            assert_eq!(first_person(record).as_deref(), Some(said));
        }
    }

    #[test]
    fn sentences_with_other_people_or_unknown_verbs_stand_as_they_are() {
        for record in [
            "She says her mother has gout.",
            "The patient yodels.",
            "Pain that makes the patient scream",
            "He",
            "She has pain that started today and has grown.",
        ] {
            assert_eq!(first_person(record), None, "{record}");
        }
    }
}
