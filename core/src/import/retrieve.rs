//! A question in free words -> the facts it is about, by words alone: no learned part, no randomness.
//!
//! A fact scores by the topic of its section, by words of that topic, and by words (or words of the same meaning) that
//! question and fact share. The best fact answers, with a second one when it is nearly as good and both are short.

use alloc::{string::String, vec::Vec};

use super::{
    Fact, ImportedCase,
    topics::{Breadth, GENERIC, MORE_CUES, OPEN_CUES, SAME, TOPICS, Topic},
    words::{contains_run, phrases, stems, stop_words, words},
};

/// Least score that answers.
const THRESHOLD: u32 = 8;
/// A fact of the topic's section.
const SECTION_SCORE: u32 = 12;
/// The first and every further word of the topic in a fact.
const TERM_SCORES: [u32; 3] = [8, 3, 1];
/// A meaning shared by question and fact.
const WORD_SCORE: u32 = 10;
/// The same for a word that says little.
const GENERIC_SCORE: u32 = 3;
/// A word of the question in the fact's path.
const PATH_SCORE: u32 = 4;
/// Two facts are said together only up to this many bytes.
const SHORT_LEN: usize = 160;
/// Longest part of a question that is read, in words.
const MAX_QUESTION_WORDS: usize = 80;

/// Sections that do not tell details of the complaint.
const NOT_COMPLAINT: [&str; 7] = [
    "Demographics",
    "Past_Medical_History",
    "Social_History",
    "Medications",
    "Current_Medications",
    "Drug_History",
    "Family_History",
];

/// A question as it is compared with facts.
struct Question {
    topics: Vec<AskedTopic>,
    meanings: Vec<Meaning>,
    content: Vec<String>,
    is_open: bool,
    wants_more: bool,
}

/// A topic the question cues.
struct AskedTopic {
    topic: &'static Topic,
    terms: Vec<Vec<String>>,
}

/// Something a fact can share with the question: one of the runs of words must occur.
struct Meaning {
    runs: Vec<Vec<String>>,
    worth: u32,
}

impl ImportedCase {
    /// The indexes of the facts (one or two) that answer `text`, and adds them to `told`; empty when the case holds nothing on
    /// it (the patient does not know, or has nothing to add). Asked again, it moves on to facts not yet told; when there are
    /// none it repeats, unless more was asked for. Deterministic: a function of the case, the text and what was told.
    pub fn ask(&self, text: &str, told: &mut Vec<u16>) -> Vec<u16> {
        let question = Question::read(text);
        let scores: Vec<u32> = self.facts.iter().map(|fact| question.score(fact)).collect();
        let mut answer = self.choose(&scores, told, question.wants_more);
        if answer.is_empty() && question.is_open {
            answer.extend(self.next_untold(told));
        }
        for index in &answer {
            if !told.contains(index) {
                told.push(*index);
            }
        }
        answer
    }

    /// The facts with the best scores: new ones first, except where a told one answers far better.
    fn choose(&self, scores: &[u32], told: &[u16], wants_more: bool) -> Vec<u16> {
        let best = |is_told: bool, other: Option<u16>| {
            let fits = |index: &u16| told.contains(index) == is_told && Some(*index) != other;
            let indexes = (0..scores.len().min(usize::from(u16::MAX)) as u16).filter(fits);
            indexes
                .filter(|&index| scores[usize::from(index)] >= THRESHOLD)
                .max_by_key(|&index| (scores[usize::from(index)], core::cmp::Reverse(index)))
        };
        let score = |index: u16| scores[usize::from(index)];
        let (new, old) = (best(false, None), if wants_more { None } else { best(true, None) });
        match (new, old) {
            (None, None) => Vec::new(),
            (None, Some(old)) => alloc::vec![old],
            (Some(new), Some(old)) if score(old) >= 2 * score(new) => alloc::vec![old, new],
            (Some(new), _) => {
                let second = best(false, Some(new)).filter(|&second| {
                    5 * score(second) >= 4 * score(new) && self.spoken_len(new) + self.spoken_len(second) <= SHORT_LEN
                });
                let mut answer: Vec<u16> = [Some(new), second].into_iter().flatten().collect();
                answer.sort_unstable();
                answer
            }
        }
    }

    fn spoken_len(&self, index: u16) -> usize {
        self.facts[usize::from(index)].text.len()
    }

    /// The first fact not yet told; who the patient is comes last.
    fn next_untold(&self, told: &[u16]) -> Option<u16> {
        let untold = |index: &u16| !told.contains(index);
        let count = self.facts.len().min(usize::from(u16::MAX)) as u16;
        let is_introduction = |index: &u16| has_segment(&self.facts[usize::from(*index)].path, "Demographics");
        (0..count).filter(untold).find(|index| !is_introduction(index)).or_else(|| (0..count).find(untold))
    }
}

impl Question {
    fn read(text: &str) -> Self {
        let mut all = words(text);
        all.truncate(MAX_QUESTION_WORDS);
        let has = |cues: &[&str]| cues.iter().any(|cue| contains_run(&all, &words(cue)));
        let stops = stop_words();
        let mut content: Vec<String> = all.iter().filter(|word| !stops.contains(word)).cloned().collect();
        content.sort_unstable();
        content.dedup();
        let asked = |topic: &'static Topic| AskedTopic { topic, terms: phrases(topic.terms) };
        Self {
            topics: keep_narrowest(TOPICS.iter().filter(|topic| has(topic.cues)).collect())
                .into_iter()
                .map(asked)
                .collect(),
            meanings: meanings(&all, &content),
            content,
            is_open: has(OPEN_CUES),
            wants_more: has(MORE_CUES),
        }
    }

    fn score(&self, fact: &Fact) -> u32 {
        let text = words(&fact.text);
        let topic = self.topics.iter().map(|asked| asked.score(fact, &text)).max().unwrap_or(0);
        let is_shared = |meaning: &&Meaning| meaning.runs.iter().any(|run| contains_run(&text, run));
        let shared: u32 = self.meanings.iter().filter(is_shared).map(|meaning| meaning.worth).sum();
        let path = words(&fact.path);
        let in_path = self.content.iter().filter(|word| path.contains(word)).count() as u32;
        topic + shared + PATH_SCORE * in_path
    }
}

/// The meanings of a question with these words, of which `content` say something.
fn meanings(all: &[String], content: &[String]) -> Vec<Meaning> {
    let generic = stems(GENERIC);
    let worth_of = |is_generic: bool| if is_generic { GENERIC_SCORE } else { WORD_SCORE };
    let mut meanings: Vec<Meaning> = Vec::new();
    let mut covered: Vec<String> = Vec::new();
    for group in SAME {
        let runs = phrases(group);
        let asked: Vec<&Vec<String>> = runs.iter().filter(|run| contains_run(all, run)).collect();
        if asked.is_empty() {
            continue;
        }
        let worth = worth_of(asked.iter().copied().flatten().all(|word| generic.contains(word)));
        covered.extend(asked.into_iter().flatten().cloned());
        meanings.push(Meaning { runs, worth });
    }
    for word in content.iter().filter(|word| !covered.contains(word)) {
        meanings
            .push(Meaning { runs: alloc::vec![alloc::vec![word.clone()]], worth: worth_of(generic.contains(word)) });
    }
    if let [only] = meanings.as_mut_slice() {
        only.worth = WORD_SCORE;
    }
    meanings
}

/// The topics that do not give way to another of them.
fn keep_narrowest(mut topics: Vec<&'static Topic>) -> Vec<&'static Topic> {
    let has_family = topics.iter().any(|topic| topic.breadth == Breadth::Family);
    let has_narrower = topics.iter().any(|topic| topic.breadth != Breadth::Broad);
    topics.retain(|topic| match topic.breadth {
        Breadth::Broad => !has_narrower,
        Breadth::Past => !has_family,
        Breadth::Family | Breadth::Detail | Breadth::Narrow => true,
    });
    topics
}

impl AskedTopic {
    fn score(&self, fact: &Fact, text: &[String]) -> u32 {
        let section = self.topic.sections.iter().any(|section| has_segment(&fact.path, section));
        let is_off =
            self.topic.breadth == Breadth::Detail && NOT_COMPLAINT.iter().any(|name| has_segment(&fact.path, name));
        let terms = if is_off { 0 } else { self.terms.iter().filter(|term| contains_run(text, term)).count() };
        let is_near = self.topic.breadth == Breadth::Detail && terms > 0 && has_segment(&fact.path, "History");
        let terms: u32 = TERM_SCORES.iter().take(terms).sum();
        u32::from(section) * SECTION_SCORE + terms + u32::from(is_near) * PATH_SCORE
    }
}

/// True when `path` has this segment, sentence numbers aside.
fn has_segment(path: &str, segment: &str) -> bool {
    path.split('/').any(|part| part.split('#').next() == Some(segment))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case() -> ImportedCase {
        let facts = [
            ("Patient_Actor/Demographics", "61-year-old male"),
            ("Patient_Actor/History#1", "The patient woke with a hot swollen knee two days ago."),
            ("Patient_Actor/History#2", "He cannot bear weight."),
            ("Patient_Actor/Symptoms/Primary_Symptom", "Knee pain"),
            ("Patient_Actor/Symptoms/Secondary_Symptoms/0", "Redness"),
            ("Patient_Actor/Past_Medical_History", "Kidney stones."),
            ("Patient_Actor/Medications/0", "Hydrochlorothiazide"),
            ("Patient_Actor/Social_History#1", "Drinks beer daily."),
            ("Patient_Actor/Social_History#2", "Works as a roofer."),
            ("Patient_Actor/Review_of_Systems", "Denies chills or diarrhea."),
        ];
        let facts = facts.iter().map(|(path, text)| Fact { path: (*path).into(), text: (*text).into() }).collect();
        ImportedCase { facts, diagnosis: "Gout".into(), complaint: "Knee pain".into(), ..ImportedCase::default() }
    }

    #[test]
    fn questions_find_the_fact_they_are_about() {
        let case = case();
        let first = |text: &str| case.ask(text, &mut Vec::new()).first().copied();
        assert_eq!(first("How old are you?"), Some(0));
        assert_eq!(first("How long has this been going on?"), Some(1));
        assert_eq!(first("Do you have any medical conditions?"), Some(5));
        assert_eq!(first("Are you on any medicines?"), Some(6));
        assert_eq!(first("Do you drink alcohol?"), Some(7));
        assert_eq!(first("What is your job?"), Some(8));
        assert_eq!(first("Any shivering?"), Some(9));
        assert_eq!(first("Loose stools lately?"), Some(9));
    }

    #[test]
    fn what_the_case_does_not_hold_is_not_answered() {
        let case = case();
        for text in
            ["", "Is there an illness in your family?", "qwx zzk", "Do you have allergies?", "Are you a smoker?"]
        {
            assert!(case.ask(text, &mut Vec::new()).is_empty(), "{text}");
        }
        assert!(ImportedCase::default().ask("How are you?", &mut Vec::new()).is_empty());
    }

    #[test]
    fn asking_again_moves_on_and_then_repeats() {
        let case = case();
        let mut told = Vec::new();
        assert_eq!(case.ask("Tell me about your social history", &mut told), [8]);
        assert_eq!(case.ask("Tell me about your social history", &mut told), [7]);
        assert_eq!(case.ask("Do you drink alcohol?", &mut told), [7]);
        assert!(case.ask("Any other alcohol?", &mut told).is_empty());
    }

    #[test]
    fn going_on_reaches_every_fact_and_then_stops() {
        let case = case();
        let mut told = Vec::new();
        while !case.ask("Anything else?", &mut told).is_empty() {}
        told.sort_unstable();
        assert_eq!(told, (0..10).collect::<Vec<u16>>());
    }

    #[test]
    fn no_answer_holds_more_than_two_facts() {
        let case = case();
        for text in ["symptoms history medication social past beer knee chills", "Tell me everything about you"] {
            assert!(case.ask(text, &mut Vec::new()).len() <= 2);
        }
    }
}
