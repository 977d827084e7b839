use super::*;

fn fixture() -> (KnowledgeBase, PhraseIndex, Wording) {
    let base = KnowledgeBase::core24().unwrap();
    let index = PhraseIndex::new(&base);
    let wording = Wording::new(&base, &index).unwrap_or_else(|error| panic!("{error}"));
    (base, index, wording)
}

fn heard(base: &KnowledgeBase, index: &PhraseIndex, text: &str, complaint: u16) -> Question {
    index.understand(base, text, Context { complaint, last: None }).question
}

#[test]
fn every_question_of_the_pack_is_understood_as_what_it_asks() {
    let (base, index, wording) = fixture();
    let items = (0..(base.findings.len() + base.attributes.len()) as u16).map(|item| Question::item(ItemId(item)));
    let questions = items.chain(Topic::ALL.into_iter().map(Question::Open));
    let mut few = Vec::new();
    for question in questions {
        let num = wording.num_variants(&question);
        if num < 3 {
            few.push(describe(&base, &question));
        }
        for variant in 0..num as u32 {
            for complaint in base.complaints.iter().map(|complaint| complaint.finding) {
                let mut text = String::new();
                wording.write_question(&base, &question, variant, &mut text);
                assert_eq!(heard(&base, &index, &text, complaint), question, "{text}");
                let polite = format!("Thank you, that helps me. {text}");
                assert_eq!(heard(&base, &index, &polite, complaint), question, "{polite}");
            }
        }
    }
    assert!(few.is_empty(), "fewer than three ways of asking for {few:?}");
}

#[test]
fn two_items_are_asked_in_one_message() {
    let (base, index, wording) = fixture();
    let num = (base.findings.len() + base.attributes.len()) as u16;
    for first in 0..num {
        let second = (first * 7 + 3) % num;
        if first == second {
            continue;
        }
        for variant in 0..6 {
            let question = Question::About([Some(ItemId(first)), Some(ItemId(second))]);
            let mut text = String::new();
            wording.write_question(&base, &question, variant, &mut text);
            assert_eq!(heard(&base, &index, &text, 0), question, "{text}");
        }
    }
}

#[test]
fn no_two_ways_of_asking_clash() {
    let (base, index, _) = fixture();
    let names: Vec<String> = index
        .clashes()
        .iter()
        .map(|clash| {
            let id = |finding: u16| base.findings[usize::from(finding)].id.clone();
            format!("`{}` is `{}`, not `{}`", clash.phrase, id(clash.kept), id(clash.lost))
        })
        .collect();
    assert!(names.is_empty(), "{names:#?}");
}

#[test]
fn greetings_and_screenings_are_open_questions_and_closings_are_not() {
    let (base, index, _) = fixture();
    for variant in 0..4 {
        for (piece, expected) in [
            (Piece::Greeting, Question::Open(Topic::Complaint)),
            (Piece::Screening, Question::Open(Topic::Complaint)),
            (Piece::Closing, Question::NotUnderstood),
        ] {
            let mut text = String::new();
            write_piece(piece, variant, &mut text);
            assert_eq!(heard(&base, &index, &text, 0), expected, "{text}");
        }
    }
}

#[test]
fn summaries_and_explanations_ask_nothing() {
    let (base, index, _) = fixture();
    for variant in 0..3 {
        let mut text = String::new();
        write_summary(&base, &[(0, true), (1, false), (2, true), (3, false), (4, true)], variant, &mut text);
        text.push(' ');
        write_explanation("Electrocardiogram", variant, &mut text);
        assert_eq!(heard(&base, &index, &text, 0), Question::NotUnderstood, "{text}");
    }
}

#[test]
fn unknown_items_write_nothing() {
    let (base, _, wording) = fixture();
    let mut text = String::new();
    wording.write_question(&base, &Question::item(ItemId(u16::MAX)), 0, &mut text);
    wording.write_question(&base, &Question::NotUnderstood, 0, &mut text);
    assert_eq!(text, "");
}
