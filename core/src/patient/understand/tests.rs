use super::*;
use crate::wording::describe;

fn fixture() -> (KnowledgeBase, PhraseIndex) {
    let base = KnowledgeBase::core24().unwrap();
    let index = PhraseIndex::new(&base);
    (base, index)
}

/// What `text` is heard as with complaint chest pain, in ids.
fn heard(base: &KnowledgeBase, index: &PhraseIndex, text: &str, last: Option<&str>) -> String {
    let id = |id: &str| base.finding_index(id).unwrap();
    let context = Context { complaint: id("chest_pain"), last: last.map(id) };
    describe(base, &index.understand(base, text, context).question)
}

#[test]
fn questions_are_understood_as_a_doctor_means_them() {
    let (base, index) = fixture();
    let mut wrong = Vec::new();
    for (text, expected) in [
        ("Hello, I'm Dr. Lee. What brings you in today?", "open(complaint)"),
        ("Can you tell me more about that?", "open(complaint)"),
        ("Tell me about your chest pain.", "open(complaint)"),
        ("Anything else?", "open(complaint)"),
        ("Do you have any chest pain?", "chest_pain"),
        ("Have you been coughing or short of breath?", "cough + dyspnoea"),
        ("Any nausea, vomiting or fever?", "nausea + vomiting"),
        ("chest pain", "chest_pain"),
        ("fever or chills", "fever + chills"),
        ("Where is the pain?", "chest_pain.site"),
        ("where exactly does it hurt", "chest_pain.site"),
        ("Does it spread anywhere, like your arm or jaw?", "chest_pain.radiation"),
        ("Where does the pain spread to?", "chest_pain.radiation"),
        ("Where is it and does it spread?", "chest_pain.site + chest_pain.radiation"),
        ("How long have you had this?", "chest_pain.duration"),
        ("When did it start?", "chest_pain.duration"),
        ("How did it start?", "chest_pain.onset"),
        ("Did it come on suddenly or gradually?", "chest_pain.onset"),
        ("When did the pain start and how bad is it?", "chest_pain.duration + chest_pain.severity"),
        ("On a scale from 1 to 10, how severe is the pain?", "chest_pain.severity"),
        ("What does the pain feel like?", "chest_pain.character"),
        ("What makes it better or worse?", "chest_pain.relieving + chest_pain.aggravating"),
        ("Does it get worse when you walk?", "chest_pain.aggravating"),
        ("Does the pain come and go?", "chest_pain.timing"),
        ("How long have you had the cough?", "cough.duration"),
        ("I'd like to know how long the fever has lasted.", "fever.duration"),
        ("Do you take any medications for your chest pain?", "open(medication)"),
        ("Are you taking any medicines regularly?", "open(medication)"),
        ("Are you on blood thinners?", "anticoagulant"),
        ("Do you have any allergies?", "open(allergy)"),
        ("Are you allergic to penicillin?", "penicillin_allergy"),
        ("Any past medical history I should know about?", "open(history)"),
        ("Is there any diabetes in your family?", "open(family)"),
        ("Does heart disease run in your family?", "family_heart_disease"),
        ("Do you smoke?", "smoking"),
        ("Do you have a history of asthma?", "asthma_history"),
        ("You mentioned a cough. How long has it lasted?", "cough.duration"),
        ("Your blood pressure is fine. Now, any fever?", "fever"),
        ("Thank you. That helps a lot.", "not understood"),
        ("I will order a test for your chest pain.", "not understood"),
        ("Your chest pain is most likely harmless, it will get better.", "not understood"),
        ("What is your name?", "not understood"),
        ("", "not understood"),
        ("???", "not understood"),
        ("bonjour, ça va", "not understood"),
    ] {
        let heard = heard(&base, &index, text, None);
        if heard != expected {
            wrong.push(alloc::format!("`{text}` is heard as {heard}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_cue_alone_goes_with_what_was_talked_about_if_that_has_it() {
    let (base, index) = fixture();
    assert_eq!(heard(&base, &index, "How long have you had it?", Some("cough")), "cough.duration");
    assert_eq!(heard(&base, &index, "How bad is the pain?", Some("cough")), "chest_pain.severity");
    assert_eq!(heard(&base, &index, "Where is it?", Some("cough")), "chest_pain.site");
    assert_eq!(heard(&base, &index, "Where is it?", None), "chest_pain.site");
}

#[test]
fn mentions_and_kinds_tell_more_than_two_items() {
    let (base, index) = fixture();
    let context = Context { complaint: 0, last: None };
    let understood = index.understand(&base, "Any fever, cough, nausea, or vomiting? Any allergies?", context);
    assert_eq!(understood.num_mentions, 4);
    assert!(understood.kinds.has_topic(Topic::Allergy) && !understood.kinds.has_topic(Topic::Family));
    let understood = index.understand(&base, "How bad is the chest pain?", context);
    assert!(understood.kinds.has_aspect(Aspect::Severity));
}

#[test]
fn context_outside_the_base_is_ignored() {
    let (base, index) = fixture();
    let context = Context { complaint: u16::MAX, last: Some(u16::MAX) };
    index.understand(&base, "How bad is the pain?", context);
}

#[test]
fn any_bytes_are_understood_as_something() {
    let (base, index) = fixture();
    let pieces = [
        "how", "long", " ", "?", ".", ",", "\u{2019}", "\u{2014}", "é", "\u{e2}", "pain", "chest", "'", "\n", "s",
        "ss", "a", "and",
    ];
    for key in 0..20_000 {
        let mut rng = crate::random::KeyedRng::new(9, crate::random::Purpose::Auxiliary, key, 0);
        let num = rng.below(30);
        let text: String = (0..num).map(|_| pieces[rng.below(pieces.len() as u32) as usize]).collect();
        let context = Context { complaint: 3, last: None };
        assert_eq!(index.understand(&base, &text, context), index.understand(&base, &text, context));
    }
    let long = "Do you have chest pain? ".repeat(10_000);
    assert_eq!(heard(&base, &index, &long, None), "chest_pain");
    let cut = alloc::format!("{}\u{e9}", "a".repeat(MAX_TEXT - 1));
    assert_eq!(heard(&base, &index, &cut, None), "not understood");
}
