use alloc::{format, vec::Vec};

use super::*;
use crate::{
    knowledge::{TimeUnit, Topic},
    persona::{Personality, Proficiency, Recall},
};

fn direct(item: ItemId, value: Value) -> Reading {
    Reading {
        item,
        value,
        clean: value,
        noise: None,
        source: Source::Direct { asked: item, occurrence: 0, repeat: false },
    }
}

fn said(
    base: &KnowledgeBase,
    question: Question,
    kind: ReplyKind,
    readings: &[Reading],
    persona: Persona,
    seed: u64,
) -> String {
    let mut out = String::new();
    speak(base, &Speaking { seed, persona, turn: 0, question: &question, kind, readings, guess: None }, &mut out);
    out
}

fn answered(base: &KnowledgeBase, reading: Reading, seed: u64) -> String {
    said(base, Question::item(reading.item), ReplyKind::Answer, &[reading], Persona::PLAIN, seed)
}

fn item(base: &KnowledgeBase, finding: &str, aspect: Aspect) -> ItemId {
    base.attribute_item(base.attribute_of(base.finding_index(finding).unwrap(), aspect).unwrap())
}

#[test]
fn presence_and_absence_are_said_in_the_phrases_of_the_finding() {
    let base = KnowledgeBase::core24().unwrap();
    for finding in 0..base.findings.len() as u16 {
        let entry = &base.findings[usize::from(finding)];
        for seed in 0..4 {
            let yes = answered(&base, direct(base.finding_item(finding), Value::Present), seed);
            assert!(entry.present.iter().any(|clause| yes == format!("Yes, {clause}.")), "{yes}");
            let no = answered(&base, direct(base.finding_item(finding), Value::Absent), seed);
            assert!(entry.absent.iter().any(|clause| no == format!("No, {clause}.")), "{no}");
        }
    }
}

#[test]
fn values_of_attributes_are_said() {
    let base = KnowledgeBase::core24().unwrap();
    let has = |aspect, value, words: &str| {
        for seed in 0..8 {
            let text = answered(&base, direct(item(&base, "chest_pain", aspect), value), seed);
            assert!(text.contains(words) && text.ends_with('.'), "{text}");
        }
    };
    let nowhere = base.sites.iter().position(|site| site.id == "nowhere").unwrap() as u16;
    has(Aspect::Site, Value::Choice(0), &base.sites[0].lay);
    has(Aspect::Radiation, Value::Choice(0), &format!(" to {}", base.sites[0].lay));
    has(Aspect::Radiation, Value::Choice(nowhere), "s nowhere else");
    has(Aspect::Severity, Value::Severity(7), " 7 out of 10");
    has(Aspect::Duration, Value::Duration(1, TimeUnit::Day), " 1 day.");
    has(Aspect::Duration, Value::Duration(10_000, TimeUnit::Minute), " 10000 minutes.");
    has(Aspect::Duration, Value::Awhile, "a while");
    has(Aspect::Character, Value::Choice(0), "It ");
}

#[test]
fn an_attribute_of_an_absent_finding_is_answered_by_its_absence() {
    let base = KnowledgeBase::core24().unwrap();
    let text = answered(&base, direct(item(&base, "cough", Aspect::Duration), Value::NotApplicable), 3);
    let cough = &base.findings[usize::from(base.finding_index("cough").unwrap())];
    assert!(cough.absent.iter().any(|clause| text.eq_ignore_ascii_case(&format!("{clause}."))), "{text}");
}

#[test]
fn a_confused_answer_is_about_the_neighbour_without_yes_or_no() {
    let base = KnowledgeBase::core24().unwrap();
    let (asked, told) = (base.finding_index("nausea").unwrap(), base.finding_index("vomiting").unwrap());
    let source = Source::Direct { asked: base.finding_item(asked), occurrence: 0, repeat: false };
    for value in [Value::Present, Value::Absent] {
        let text = answered(&base, Reading { source, ..direct(base.finding_item(told), value) }, 1);
        assert!(text.starts_with("Well, "), "{text}");
    }
}

#[test]
fn open_answers_name_what_is_there_and_skip_what_was_passed_over() {
    let base = KnowledgeBase::core24().unwrap();
    let reading = |finding: &str, value, source| {
        let item = base.finding_item(base.finding_index(finding).unwrap());
        Reading { item, value, clean: value, noise: None, source }
    };
    let open = Question::Open(Topic::Complaint);
    let readings = [
        reading("cough", Value::Absent, Source::PassedOver),
        reading("nausea", Value::Present, Source::Volunteered),
        reading("fever", Value::Present, Source::Volunteered),
    ];
    let text = said(&base, open, ReplyKind::OpenAnswer, &readings, Persona::PLAIN, 5);
    assert!(text.contains(", and ") && !text.contains("cough"), "{text}");
    let text = said(&base, open, ReplyKind::OpenAnswer, &readings[..1], Persona::PLAIN, 5);
    assert!(phrase::NOTHING_ELSE.contains(&text.as_str()), "{text}");
    let vague = [reading("cough", Value::Vague, Source::Volunteered)];
    let text = said(&base, open, ReplyKind::OpenAnswer, &vague, Persona::PLAIN, 5);
    assert!(phrase::VAGUE_OPEN.contains(&text.as_str()), "{text}");
}

#[test]
fn two_answers_about_different_findings_name_them() {
    let base = KnowledgeBase::core24().unwrap();
    let readings = [
        direct(item(&base, "chest_pain", Aspect::Severity), Value::Severity(4)),
        direct(item(&base, "cough", Aspect::Duration), Value::Duration(2, TimeUnit::Week)),
    ];
    let question = Question::About([Some(readings[0].item), Some(readings[1].item)]);
    let text = said(&base, question, ReplyKind::Answer, &readings, Persona::PLAIN, 5);
    assert!(text.contains("pain in my chest") && text.contains("cough") && text.contains("2 weeks"), "{text}");
}

#[test]
fn frames_and_remarks_do_not_depend_on_the_value() {
    let base = KnowledgeBase::core24().unwrap();
    let severity = item(&base, "chest_pain", Aspect::Severity);
    for personality in Personality::ALL {
        let persona = Persona { personality, proficiency: Proficiency::LevelB, recall: Recall::High };
        for seed in 0..50 {
            let template = |value: u8| {
                let reading = direct(severity, Value::Severity(value));
                said(&base, Question::item(severity), ReplyKind::Answer, &[reading], persona, seed)
                    .replace(&format!("{value}"), "#")
            };
            assert_eq!(template(2), template(9));
        }
    }
}

#[test]
fn every_persona_speaks_and_some_can_be_told_apart() {
    let base = KnowledgeBase::core24().unwrap();
    let mut texts = Vec::new();
    for personality in Personality::ALL {
        for proficiency in Proficiency::ALL {
            let persona = Persona { personality, proficiency, recall: Recall::High };
            let mut all = String::new();
            for finding in 0..20 {
                let reading = direct(base.finding_item(finding), Value::Present);
                all += &said(&base, Question::item(reading.item), ReplyKind::Answer, &[reading], persona, 1);
                opening(&base, 0, u64::from(finding), persona, &mut all);
            }
            texts.push(all);
        }
    }
    texts.sort();
    texts.dedup();
    assert!(texts.len() >= 12, "{} of 18 personas differ", texts.len());
}

#[test]
fn first_sentences_begin_with_a_capital_after_every_greeting() {
    let base = KnowledgeBase::core24().unwrap();
    for seed in 0..300 {
        let mut out = String::new();
        opening(&base, (seed % 6) as u16, seed, Persona::draw(seed), &mut out);
        let starts = core::iter::once(out.as_str()).chain(out.split(". ").skip(1));
        assert!(starts.clone().all(|part| part.starts_with(char::is_uppercase)), "{out}");
    }
}

#[test]
fn a_guess_is_added_as_a_question() {
    let base = KnowledgeBase::core24().unwrap();
    let reading = direct(base.finding_item(0), Value::Present);
    let question = Question::item(reading.item);
    let mut out = String::new();
    let speaking = Speaking {
        seed: 1,
        persona: Persona::PLAIN,
        turn: 0,
        question: &question,
        kind: ReplyKind::Answer,
        readings: &[reading],
        guess: Some(0),
    };
    speak(&base, &speaking, &mut out);
    assert!(out.ends_with(&format!("{}?", base.diseases[0].lay)), "{out}");
}

#[test]
fn values_that_fit_no_item_are_survived() {
    let base = KnowledgeBase::core24().unwrap();
    for item in [0, base.findings.len() as u16, u16::MAX, base.num_items() as u16 - 1] {
        for value in
            [Value::Choice(u16::MAX), Value::Number { band: 9, ticks: -1 }, Value::Severity(255), Value::Awhile]
        {
            answered(&base, direct(ItemId(item), value), 0);
        }
    }
    opening(&base, u16::MAX, 0, Persona::PLAIN, &mut String::new());
}
