//! Any bytes as the body of a code: what decodes is written back the same, and replays or gives a typed error.
//!
//! Format version, engine version, knowledge digest and checksum are put right first, or no input would get past them; the
//! bytes as they are, read as text, must give a typed error or a code.
#![no_main]
use workup_core::{
    digest::Digest,
    scenario_code::{ENGINE_VERSION, FORMAT_VERSION, ScenarioCode},
};
use workup_fuzz::{bounded_target, clinic};

bounded_target!(|bytes: &[u8]| {
    let _ = ScenarioCode::decode(&String::from_utf8_lossy(bytes));
    let mut body = vec![FORMAT_VERSION];
    body.extend(ENGINE_VERSION.to_le_bytes());
    body.extend(clinic().base().digest.to_le_bytes());
    body.extend(bytes);
    let mut digest = Digest::new();
    digest.bytes(&body);
    body.extend(((digest.value() ^ digest.value() >> 32) as u32).to_le_bytes());
    let text = base64url(&body);
    let Ok(code) = ScenarioCode::decode(&text) else { return };
    assert_eq!(code.encode(), text);
    let Ok(dialogue) = code.replay(clinic().clone()) else { return };
    assert!(dialogue.episode().reward().total.is_finite());
    let again = ScenarioCode::of_dialogue(&dialogue).replay(clinic().clone()).expect("its own code");
    assert_eq!(again.digest(), dialogue.digest());
});

fn base64url(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::with_capacity(bytes.len() * 4 / 3 + 3);
    for chunk in bytes.chunks(3) {
        let mut word = 0;
        for index in 0..3 {
            word = word << 8 | u32::from(chunk.get(index).copied().unwrap_or(0));
        }
        for index in 0..=chunk.len() {
            text.push(char::from(DIGITS[(word >> (18 - 6 * index) & 63) as usize]));
        }
    }
    text
}
