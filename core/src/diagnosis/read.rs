//! A diagnosis text -> the set of conditions it lists.
//!
//! The text is cut at commas, semicolons, slashes, line ends, `and`, `or`, `versus`, but names may contain all of these, so
//! the longest run of pieces that is a name is taken first. What stands in brackets is read only when what stands before it
//! says nothing. Words that only qualify (side, certainty, course) never make a condition or change one.

use alloc::{string::String, vec::Vec};

use super::{
    Condition,
    index::{DiagnosisIndex, Target},
    name::{loose_key, normalize_name},
};
use crate::digest::key;

/// Most pieces that one name may be cut into.
const MAX_PIECES: usize = 4;

/// Conditions beyond this are not collected: the score has long been 0.
const MAX_CONDITIONS: usize = 32;

/// Pieces beyond this are not read one by one: together they count as one condition that is no name.
const MAX_PIECES_READ: usize = 256;

/// Words between conditions.
const CONJUNCTIONS: &[&str] = &["and", "or", "versus", "vs", "plus", "possibly"];

/// Words that say how sure, how bad, where or since when, never what.
const QUALIFIERS: &[&str] = &[
    "a",
    "an",
    "the",
    "acute",
    "bilateral",
    "classic",
    "clinical",
    "clinically",
    "confirmed",
    "definite",
    "diagnosis",
    "early",
    "episode",
    "final",
    "first",
    "is",
    "left",
    "likely",
    "mild",
    "moderate",
    "most",
    "my",
    "new",
    "of",
    "onset",
    "ongoing",
    "possible",
    "presumed",
    "presumptive",
    "primary",
    "probable",
    "probably",
    "right",
    "severe",
    "sided",
    "suspected",
    "typical",
    "uncomplicated",
    "unspecified",
    "working",
];

/// Texts that decline to name anything.
const UNDETERMINED: &[&str] = &[
    "none",
    "unknown",
    "undetermined",
    "undifferentiated",
    "unclear",
    "uncertain",
    "inconclusive",
    "no diagnosis",
    "not sure",
    "i do not know",
    "i don t know",
    "i dont know",
    "cannot be determined",
    "n a",
    "to be determined",
    "tbd",
];

/// Words after which only circumstances follow.
const CIRCUMSTANCES: &[&str] =
    &[" due to ", " secondary to ", " caused by ", " complicated by ", " with ", " without ", " consistent with "];

/// What a diagnosis text lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiagnosisReading {
    /// Distinct conditions in the order in which they are named; a group gives all its members.
    pub conditions: Vec<Condition>,
    /// Fragments that are no name of a disease or group.
    pub unmatched: Vec<String>,
    /// Whether something in the text declined to name a condition.
    pub undetermined: bool,
}

impl DiagnosisReading {
    fn add(&mut self, condition: Condition) {
        if self.conditions.len() < MAX_CONDITIONS && !self.conditions.contains(&condition) {
            self.conditions.push(condition);
        }
    }
}

/// A piece of the text between separators, normalised: outside brackets and inside them.
#[derive(Default)]
struct Piece {
    outside: String,
    inside: String,
    /// The conjunction before it, empty for punctuation.
    joint: &'static str,
}

impl DiagnosisIndex {
    /// Reads a diagnosis text as a set of conditions.
    pub fn read(&self, text: &str) -> DiagnosisReading {
        let mut reading = DiagnosisReading::default();
        let whole = normalize_name(text);
        if let Some(target) = self.find(&whole) {
            self.take(&mut reading, target);
            return reading;
        }
        if UNDETERMINED.contains(&whole.as_str()) {
            reading.undetermined = true;
            return reading;
        }
        let pieces = cut(text);
        let mut at = 0;
        while at < pieces.len().min(MAX_PIECES_READ) && reading.conditions.len() < MAX_CONDITIONS {
            at += self.read_pieces(&mut reading, &pieces[at..]);
        }
        if at < pieces.len() && reading.conditions.len() < MAX_CONDITIONS {
            reading.add(Condition::Unmatched(key("the rest of a very long list")));
        }
        reading
    }

    /// Reads one condition at the start of the pieces; returns how many pieces it took.
    fn read_pieces(&self, reading: &mut DiagnosisReading, pieces: &[Piece]) -> usize {
        for len in (2..=pieces.len().min(MAX_PIECES)).rev() {
            if let Some(target) = self.find(&joined(&pieces[..len])) {
                self.take(reading, target);
                return len;
            }
        }
        self.read_piece(reading, &pieces[0]);
        1
    }

    fn read_piece(&self, reading: &mut DiagnosisReading, piece: &Piece) {
        let found = self.find_qualified(&piece.outside).or_else(|| self.find_qualified(&piece.inside));
        if let Some(target) = found {
            return self.take(reading, target);
        }
        let fragment = if without_qualifiers(&piece.outside).is_empty() { &piece.inside } else { &piece.outside };
        let core = without_qualifiers(fragment);
        if UNDETERMINED.contains(&fragment.as_str()) || UNDETERMINED.contains(&core.as_str()) {
            reading.undetermined = true;
        } else if !core.is_empty() {
            let condition = Condition::Unmatched(key(&loose_key(&core)));
            if !reading.conditions.contains(&condition) && reading.unmatched.len() < MAX_CONDITIONS {
                reading.unmatched.push(fragment.clone());
            }
            reading.add(condition);
        }
    }

    /// A name as it stands, without qualifiers, and then without its circumstances.
    fn find_qualified(&self, name: &str) -> Option<Target> {
        if name.is_empty() {
            return None;
        }
        let find = |name: &str| self.find(name).or_else(|| self.find(&without_qualifiers(name)));
        find(name).or_else(|| {
            let cut = CIRCUMSTANCES.iter().filter_map(|words| name.find(words)).min()?;
            find(&name[..cut])
        })
    }

    fn take(&self, reading: &mut DiagnosisReading, target: Target) {
        match target {
            Target::Disease(disease) => reading.add(Condition::Disease(disease)),
            Target::Group(group) => {
                for member in self.members(group) {
                    reading.add(Condition::Disease(*member));
                }
            }
        }
    }
}

/// Pieces as one name, with the conjunctions between them.
fn joined(pieces: &[Piece]) -> String {
    let mut name = String::new();
    for piece in pieces {
        for part in [if name.is_empty() { "" } else { piece.joint }, &piece.outside] {
            if !part.is_empty() && !name.is_empty() {
                name.push(' ');
            }
            name.push_str(part);
        }
    }
    name
}

fn without_qualifiers(name: &str) -> String {
    let words: Vec<&str> = name.split(' ').filter(|word| !QUALIFIERS.contains(word)).collect();
    words.join(" ")
}

/// Cuts a text at separators outside brackets and at conjunctions.
fn cut(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut outside, mut inside) = (String::new(), String::new());
    let mut depth = 0_u32;
    for character in text.chars() {
        match character {
            '(' | '[' => {
                depth += 1;
                outside.push(' ');
                inside.push(' ');
            }
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' | ';' | '/' | '|' | '+' | '&' | '\n' if depth == 0 => {
                cut_at_conjunctions(&mut pieces, &core::mem::take(&mut outside), &core::mem::take(&mut inside));
            }
            _ if depth == 0 => outside.push(character),
            _ => inside.push(character),
        }
    }
    cut_at_conjunctions(&mut pieces, &outside, &inside);
    pieces
}

fn cut_at_conjunctions(pieces: &mut Vec<Piece>, outside: &str, inside: &str) {
    let mut found = Vec::new();
    let mut piece = Piece::default();
    let name = normalize_name(outside);
    for word in name.split(' ') {
        if let Some(joint) = CONJUNCTIONS.iter().copied().find(|joint| *joint == word) {
            let next = Piece { joint, ..Piece::default() };
            found.push(core::mem::replace(&mut piece, next));
        } else {
            if !piece.outside.is_empty() {
                piece.outside.push(' ');
            }
            piece.outside.push_str(word);
        }
    }
    piece.inside = normalize_name(inside);
    found.push(piece);
    pieces.extend(found.into_iter().filter(|piece| !piece.outside.is_empty() || !piece.inside.is_empty()));
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [(u16, &str); 10] = [
        (0, "Community-acquired pneumonia"),
        (0, "pneumonia"),
        (1, "Pulmonary embolism"),
        (1, "PE"),
        (2, "ST-elevation myocardial infarction"),
        (2, "heart attack"),
        (3, "Unstable angina"),
        (4, "Foot and mouth disease"),
        (5, "Acute pancreatitis"),
        (6, "Gastritis/duodenitis"),
    ];

    fn index() -> DiagnosisIndex {
        DiagnosisIndex::new(NAMES, [("acute coronary syndrome", [3, 2].as_slice())]).unwrap()
    }

    fn diseases(text: &str) -> Vec<u16> {
        let known = |condition: &Condition| match condition {
            Condition::Disease(disease) => Some(*disease),
            Condition::Unmatched(_) => None,
        };
        index().read(text).conditions.iter().filter_map(known).collect()
    }

    #[test]
    fn finds_names_in_many_forms() {
        for (text, expected) in [
            ("Pneumonia, community acquired", &[0_u16][..]),
            ("most likely a severe right-sided pneumonia", &[0]),
            ("PE", &[1]),
            ("Pulmonary embolism (PE)", &[1]),
            ("blood clot (pulmonary embolism)", &[1]),
            ("pulmonary embolism due to a broken leg", &[1]),
            ("foot and mouth disease", &[4]),
            ("gastritis / duodenitis", &[6]),
            ("PE and foot and mouth disease", &[1, 4]),
            ("pneumonia; PE or heart attack", &[0, 1, 2]),
            ("acute coronary syndrome", &[2, 3]),
            ("pneumonia, pneumonia", &[0]),
            ("chronic pancreatitis", &[]),
            ("no pneumonia", &[]),
            ("", &[]),
        ] {
            assert_eq!(diseases(text), expected, "{text}");
        }
    }

    #[test]
    fn an_unknown_fragment_counts_as_one_condition() {
        let reading = index().read("pneumonia and dragon pox");
        assert_eq!(reading.conditions.len(), 2);
        assert_eq!(reading.unmatched, ["dragon pox"]);
        assert_eq!(index().read("dragon pox").conditions, index().read("Dragon-pox").conditions);
    }

    #[test]
    fn declining_is_flagged_and_names_nothing() {
        for text in ["undetermined", "Unknown.", "none", "I don't know", "diagnosis unclear"] {
            let reading = index().read(text);
            assert!(reading.undetermined && reading.conditions.is_empty(), "{text}");
        }
    }

    #[test]
    fn qualifiers_make_no_condition_of_their_own() {
        let reading = index().read("pneumonia, right, severe");
        assert_eq!(reading.conditions, [Condition::Disease(0)]);
        assert!(reading.unmatched.is_empty());
    }

    #[test]
    fn one_name_for_two_diseases_is_an_error() {
        let clash = DiagnosisIndex::new([(0, "Flu"), (1, "flu")], []);
        assert_eq!(clash.unwrap_err().name, "flu");
        let clash = DiagnosisIndex::new([(0, "flu")], [("Flu", [0, 1].as_slice())]);
        assert!(clash.is_err());
    }

    #[test]
    fn a_very_long_list_stays_bounded() {
        let things: Vec<String> = (0..5_000).map(|number| alloc::format!("thing {number}")).collect();
        let reading = index().read(&things.join(", "));
        assert!(reading.conditions.len() <= MAX_CONDITIONS && reading.unmatched.len() <= MAX_CONDITIONS);
    }

    // Catches a list whose end goes unread for nothing: naming one disease a thousand times and then another is naming two things.
    #[test]
    fn a_list_that_repeats_itself_does_not_hide_its_end() {
        let index = index();
        let once = index.read("pneumonia").conditions;
        let repeated = index.read(&alloc::format!("{}influenza", "pneumonia, ".repeat(1_000))).conditions;
        assert_eq!((once.len(), repeated.len()), (1, 2));
        assert_eq!(once[0], repeated[0]);
    }
}
