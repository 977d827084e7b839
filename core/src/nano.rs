//! The `nano` prompt: one special token per speaker, complaint, age and sex in front, no instructions and no schemas.
//!
//! ```text
//! <|system|>54-year-old woman, chest pain<|end|>
//! <|doctor|>Hello, what brings you in?<|end|><|patient|>..<|end|>
//! <|doctor|><tool_call>{"name": "ecg", "arguments": {}}</tool_call><|end|><|result|>..<|end|><|doctor|>..
//! ```

use alloc::{format, string::String};

use crate::{dialogue::Dialogue, episode::Truth, observation::ReplyKind};

/// Opens the system part.
pub const SYSTEM: &str = "<|system|>";
/// Opens a message of the doctor.
pub const DOCTOR: &str = "<|doctor|>";
/// Opens the patient's words.
pub const PATIENT: &str = "<|patient|>";
/// Opens an exam report, a refusal or a format error.
pub const RESULT: &str = "<|result|>";
/// Closes every part.
pub const END: &str = "<|end|>";
/// All special tokens, in the order of their ids.
pub const SPECIAL_TOKENS: [&str; 5] = [SYSTEM, DOCTOR, PATIENT, RESULT, END];
/// Longest episode, in tokens.
pub const MAX_TOKENS: usize = 512;
/// Longest message of the doctor, in tokens, end token included.
pub const MAX_MESSAGE_TOKENS: usize = 48;

/// The system part in words: age, sex and complaint; for an imported case its own words.
pub fn system_text(dialogue: &Dialogue) -> String {
    let presentation = dialogue.presentation();
    match dialogue.episode().truth() {
        Truth::Generated(patient) => {
            let base = dialogue.clinic().base();
            let complaint = &base.complaints[usize::from(patient.complaint)];
            format!("{presentation}, {}", base.findings[usize::from(complaint.finding)].term)
        }
        Truth::Imported(_) => format!("{presentation}, {}", dialogue.opening()),
    }
}

/// The special token that opens a reply of this kind.
pub const fn reply_token(kind: ReplyKind) -> &'static str {
    match kind {
        ReplyKind::Answer | ReplyKind::OpenAnswer | ReplyKind::NotUnderstood | ReplyKind::PatientTurnsUsedUp => PATIENT,
        ReplyKind::Report
        | ReplyKind::NotApplicable
        | ReplyKind::NotRecorded
        | ReplyKind::InvalidCall
        | ReplyKind::FormatError
        | ReplyKind::End => RESULT,
    }
}
