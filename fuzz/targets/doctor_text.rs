//! Any text, one message a line, said by a doctor: the encounter goes on or ends, its reward is finite, its code replays to the
//! same digest, and the patient never falls silent.
#![no_main]
use workup_core::{
    dialogue::Dialogue,
    observation::ReplyKind,
    scenario::Scenario,
    scenario_code::{MAX_ACTIONS, ScenarioCode},
};
use workup_fuzz::{bounded_target, clinic};

bounded_target!(|text: &str| {
    let seed = u64::from(text.bytes().next().unwrap_or(0));
    let scenario = Scenario { max_doctor_turns: 12, ..Scenario::headline(seed) };
    let Ok(mut dialogue) = Dialogue::new(clinic().clone(), scenario) else { return };
    for message in text.lines().take(MAX_ACTIONS) {
        let reply = dialogue.send(message);
        assert!(reply.kind == ReplyKind::End || !reply.text.is_empty(), "{message:?}");
        if reply.ending.is_some() {
            break;
        }
    }
    assert!(dialogue.episode().reward().total.is_finite());
    let code = ScenarioCode::decode(&ScenarioCode::of_dialogue(&dialogue).encode()).expect("its own code");
    let replayed = code.replay(clinic().clone()).expect("its own code");
    assert_eq!(replayed.digest(), dialogue.digest());
});
