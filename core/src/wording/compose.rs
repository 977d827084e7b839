//! Candidates for questions; [`super::Wording`] keeps those that are understood.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::person::{second_person, without_article};
use crate::knowledge::{Aspect, Finding, FindingKind, Topic};

/// Marks a candidate that is taken only where better ones are too few.
pub(super) const LAST_RESORT: char = '~';

/// Past participles that do not end in "ed", after "I have".
const PARTICIPLES: &[&str] = &[
    "been", "had", "felt", "lost", "gone", "put", "seen", "taken", "broken", "come", "become", "begun", "got", "grown",
    "made", "run", "thrown", "fallen", "given", "kept", "known", "lain", "eaten", "drunk", "slept", "spent", "caught",
    "hardly", "not",
];
/// Past tenses with their base forms.
const PASTS: &[(&str, &str)] = &[
    ("threw", "throw"),
    ("broke", "break"),
    ("got", "get"),
    ("lost", "lose"),
    ("felt", "feel"),
    ("went", "go"),
    ("came", "come"),
    ("took", "take"),
    ("woke", "wake"),
    ("ate", "eat"),
    ("fell", "fall"),
    ("saw", "see"),
    ("had", "have"),
    ("sat", "sit"),
    ("flew", "fly"),
    ("spent", "spend"),
    ("drank", "drink"),
    ("caught", "catch"),
    ("gave", "give"),
    ("began", "begin"),
    ("lay", "lie"),
    ("ran", "run"),
    ("made", "make"),
    ("hurt", "hurt"),
];
/// Words after "I" that leave no simple question.
const ADVERBS: &[&str] = &[
    "hardly",
    "often",
    "always",
    "sometimes",
    "never",
    "rarely",
    "usually",
    "once",
    "also",
    "just",
    "now",
    "still",
    "really",
    "both",
    "do",
    "did",
    "would",
    "could",
    "only",
    "no",
];

/// Questions whether a finding is there.
pub(super) fn finding_questions(finding: &Finding) -> Vec<String> {
    if finding.kind == FindingKind::Sign {
        return sign_questions(finding);
    }
    let mut questions: Vec<String> = finding.present.iter().filter_map(|clause| inverted(clause)).collect();
    let noun = second_person(&finding.noun);
    let bare = without_article(&noun);
    if finding.is_history() {
        questions.push(format!("What about {noun}?"));
        questions.push(format!("Can I ask about {noun}?"));
        questions.push(format!("And {noun}?"));
    } else if noun.starts_with("your ") {
        questions.push(format!("Any trouble with {noun}?"));
        questions.push(format!("What about {noun}?"));
        questions.push(format!("Have you noticed a change in {noun}?"));
    } else {
        questions.push(format!("Have you noticed {noun}?"));
        questions.push(format!("Any trouble with {bare}?"));
        questions.push(format!("What about {noun}?"));
    }
    for clause in finding.present.iter().filter(|clause| !clause.starts_with("I ") && !clause.starts_with("they ")) {
        questions.push(format!("{LAST_RESORT}Would you say that {}?", second_person(clause)));
    }
    for ask in &finding.ask {
        let first = ask.split(' ').next().unwrap_or_default();
        questions.push(match first {
            "do" | "does" | "did" | "have" | "has" | "are" | "is" | "how" | "was" | "were" | "could" => {
                format!("{}?", capitalised(ask))
            }
            _ => format!("{LAST_RESORT}Any {ask}?"),
        });
    }
    questions
}

/// Questions about a sign, which a patient cannot answer but may be asked.
fn sign_questions(finding: &Finding) -> Vec<String> {
    let mut questions = Vec::new();
    for (index, ask) in finding.ask.iter().chain([&finding.term]).enumerate() {
        let mark = if index == 0 { "" } else { "~" };
        questions.push(format!("{mark}Has a doctor ever mentioned {ask}?"));
        questions.push(format!("{mark}Were you ever told of {ask}?"));
        questions.push(format!("{mark}Do you know of any {ask}?"));
    }
    questions
}

/// "I am short of breath" -> "Are you short of breath?"; `None` where no rule fits.
fn inverted(clause: &str) -> Option<String> {
    let rest = clause.strip_prefix("I ")?;
    let (verb, after) = rest.split_once(' ').unwrap_or((rest, ""));
    let after = second_person(after);
    let join = |start: &str, verb: &str| {
        let space = if after.is_empty() { "" } else { " " };
        Some(format!("{start} you {verb}{space}{after}?"))
    };
    if ADVERBS.contains(&verb) {
        return None;
    }
    match verb {
        "am" => Some(format!("Are you {after}?")),
        "was" => Some(format!("Were you {after}?")),
        "can" => Some(format!("Can you {after}?")),
        "cannot" => Some(format!("Do you find you cannot {after}?")),
        "may" | "might" => Some(format!("Could you {after}?")),
        "must" => Some(format!("Do you have to {after}?")),
        "have" => {
            let next = after.split(' ').next().unwrap_or_default();
            let perfect =
                PARTICIPLES.contains(&next) || next.ends_with("ed") && !matches!(next, "need" | "bed" | "red");
            Some(if perfect { format!("Have you {after}?") } else { format!("Do you have {after}?") })
        }
        past if PASTS.iter().any(|(form, _)| *form == past) => {
            if after.contains(" and ") {
                return None;
            }
            let base = PASTS.iter().find(|(form, _)| *form == past)?.1;
            join("Did", base)
        }
        past if past.ends_with("ed") && past != "need" && past != "feed" => join("Have", past),
        present => join("Do", present),
    }
}

/// Questions about an aspect of a finding.
pub(super) fn attribute_questions(finding: &Finding, aspect: Aspect) -> Vec<String> {
    let noun = definite(&second_person(&finding.noun));
    let plural = is_plural(&noun);
    let (is, does) = if plural { ("are", "do") } else { ("is", "does") };
    let does_upper = capitalised(does);
    match aspect {
        Aspect::Site => [
            format!("Where {is} {noun}?"),
            format!("Where exactly do you feel {noun}?"),
            format!("Can you show me where {noun} {is}?"),
        ]
        .into(),
        Aspect::Character => [
            format!("What {is} {noun} like?"),
            format!("How would you describe {noun}?"),
            format!("Can you describe {noun} for me?"),
        ]
        .into(),
        Aspect::Severity => {
            [format!("How bad {is} {noun}?"), format!("How severe {is} {noun}?"), format!("How would you rate {noun}?")]
                .into()
        }
        Aspect::Onset => [
            format!("How did {noun} start?"),
            format!("Did {noun} start suddenly or slowly?"),
            format!("Did {noun} begin all at once?"),
        ]
        .into(),
        Aspect::Duration => [
            format!("How long have you had {noun}?"),
            format!("When did {noun} start?"),
            format!("Since when have you had {noun}?"),
        ]
        .into(),
        Aspect::Radiation => [
            format!("{does_upper} {noun} spread anywhere?"),
            format!("{does_upper} {noun} go anywhere else?"),
            format!("Where {does} {noun} spread to?"),
        ]
        .into(),
        Aspect::Aggravating => [
            format!("What makes {noun} worse?"),
            format!("Does anything make {noun} worse?"),
            format!("What triggers {noun}?"),
        ]
        .into(),
        Aspect::Relieving => [
            format!("What makes {noun} better?"),
            format!("Does anything ease {noun}?"),
            format!("What helps with {noun}?"),
        ]
        .into(),
        Aspect::Timing => [
            format!("{does_upper} {noun} come and go?"),
            format!("When do you get {noun}?"),
            format!("How often do you get {noun}?"),
        ]
        .into(),
    }
}

/// Open questions.
pub(super) fn topic_questions(topic: Topic) -> impl Iterator<Item = &'static str> {
    let questions: &[&str] = match topic {
        Topic::Complaint => &[
            "Can you tell me more about it?",
            "Is there anything else bothering you?",
            "What else have you noticed?",
            "Any other symptoms?",
        ],
        Topic::History => &[
            "Do you have any other medical problems?",
            "What illnesses have you had before?",
            "Tell me about your past medical history.",
        ],
        Topic::Medication => {
            &["Do you take any medicines?", "Which tablets do you take?", "Are you on any medication at the moment?"]
        }
        Topic::Allergy => {
            &["Do you have any allergies?", "Are you allergic to anything?", "Have you ever had an allergic reaction?"]
        }
        Topic::Family => &[
            "Do any illnesses run in your family?",
            "Can you tell me about your family history?",
            "How is the health of your parents?",
        ],
        Topic::Social => &[
            "Can you tell me about your daily life?",
            "What are your habits and your work?",
            "How do you live, day to day?",
        ],
    };
    questions.iter().copied()
}

/// A noun phrase as something already talked about: "the cough", "the trouble with your breathing".
fn definite(noun: &str) -> String {
    let bare = without_article(noun);
    if bare.len() < noun.len() {
        return format!("the {bare}");
    }
    match noun.split(' ').next().unwrap_or_default() {
        "your" => format!("the trouble with {noun}"),
        "feeling" | "losing" | "putting" | "being" | "how" | "what" => noun.to_string(),
        _ => format!("the {noun}"),
    }
}

/// Whether a noun phrase takes "are": the last word of its head ends in a plural `s`, or two are joined.
fn is_plural(noun: &str) -> bool {
    let head = [" in ", " of ", " on ", " at ", " with ", " for "]
        .iter()
        .filter_map(|preposition| noun.find(preposition))
        .min()
        .map_or(noun, |end| &noun[..end]);
    let last = head.rsplit(' ').next().unwrap_or_default();
    head.contains(" and ")
        || last.ends_with('s') && !last.ends_with("ss") && !last.ends_with("us") && !last.ends_with("is")
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_of_the_patient_become_questions_of_the_doctor() {
        for (clause, question) in [
            ("I am short of breath", Some("Are you short of breath?")),
            ("I have pain in my chest", Some("Do you have pain in your chest?")),
            ("I have been coughing", Some("Have you been coughing?")),
            ("I have noticed a rash on my skin", Some("Have you noticed a rash on your skin?")),
            ("I feel sick to my stomach", Some("Do you feel sick to your stomach?")),
            ("I fainted", Some("Have you fainted?")),
            ("I threw up several times", Some("Did you throw up several times?")),
            ("I need extra clothes", Some("Do you need extra clothes?")),
            ("I hardly sleep", None),
            ("my chest hurts", None),
        ] {
            assert_eq!(inverted(clause).as_deref(), question);
        }
    }

    #[test]
    fn nouns_take_article_and_number() {
        assert_eq!(definite("a racing heart"), "the racing heart");
        assert_eq!(definite("your breathing"), "the trouble with your breathing");
        assert!(is_plural("the swollen ankles") && is_plural("the chills and shivering"));
        assert!(!is_plural("the pain in your joints") && !is_plural("the tiredness"));
    }
}
