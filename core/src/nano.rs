//! The `nano` prompt: one special token per speaker, complaint, age and sex in front, no instructions and no schemas.
//!
//! ```text
//! <|system|>54-year-old woman, chest pain<|end|>
//! <|doctor|>Hello, what brings you in?<|end|><|patient|>..<|end|>
//! <|doctor|><tool_call>{"name": "ecg", "arguments": {}}</tool_call><|end|><|result|>..<|end|><|doctor|>..
//! ```

use alloc::{borrow::Cow, format, string::String};

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

/// A reply as it stands in the prompt after `mark` ([`PATIENT`] or [`RESULT`]): a patient's words as they are, a report with what
/// is normal left out.
///
/// In a report, numbers inside their reference range and clauses that begin with "No " are dropped, numbers outside it are given
/// by name and flag alone. What is left empty says "normal".
pub fn reply_text<'a>(mark: &str, text: &'a str) -> Cow<'a, str> {
    if mark == RESULT { Cow::Owned(shorten_report(text)) } else { Cow::Borrowed(text) }
}

fn shorten_report(report: &str) -> String {
    let (heading, rest) = report.split_once(": ").unwrap_or(("", report));
    let end = rest.find(". ").unwrap_or(rest.trim_end_matches('.').len());
    let (body, remark) = rest.split_at(end);
    let mut text = String::with_capacity(report.len());
    text.push_str(heading);
    text.push(':');
    let start = text.len();
    for (name, flag) in body.split("; ").filter_map(noteworthy) {
        text.push_str(if text.len() > start { "; " } else { " " });
        text.push_str(name);
        if !flag.is_empty() {
            text.push(' ');
            text.push_str(flag);
        }
    }
    if text.len() == start {
        text.push_str(" normal");
    }
    text.push_str(remark);
    text
}

/// What is said of a clause, and its flag.
fn noteworthy(clause: &str) -> Option<(&str, &str)> {
    let flagged = clause.rsplit_once(" (").filter(|(_, flag)| flag.starts_with(['L', 'H']) && flag.contains(", "));
    match flagged {
        Some((value, flag)) => Some((measured(value).unwrap_or(value), flag.split(',').next().unwrap_or(""))),
        None if measured(clause).is_some() || clause.starts_with("No ") => None,
        None => Some((clause, "")),
    }
}

/// The name in a clause of name, number and at most one unit: "Temperature 36.4 °C", "Heart rate 65/min".
fn measured(clause: &str) -> Option<&str> {
    let (before, last) = clause.rsplit_once(' ')?;
    if starts_with_number(last) && !before.ends_with(|c: char| c.is_ascii_digit()) {
        return Some(before);
    }
    let (name, number) = before.rsplit_once(' ')?;
    starts_with_number(number).then_some(name)
}

fn starts_with_number(word: &str) -> bool {
    let number = word.split(['/', '%']).next().unwrap_or("");
    number.parse::<f32>().is_ok_and(f32::is_finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_normal_is_left_out_of_a_report() {
        let cases = [
            (
                "Complete blood count: White cell count 19.4 10^9/L (HH, 4.5-13.5); Neutrophils 81% (H, 32-70); No left shift; \
                 Haemoglobin 11.6 g/dL; Platelets 392 10^9/L. Haemolysed sample, read with caution.",
                "Complete blood count: White cell count HH; Neutrophils H. Haemolysed sample, read with caution.",
            ),
            ("Vital signs: Temperature 36.4 °C; Heart rate 65/min; Oxygen saturation 97%.", "Vital signs: normal."),
            ("Protein: Protein in 24 h urine 0.9 g (H, 0.0-0.2).", "Protein: Protein in 24 h urine H."),
            (
                "Spirometry: FEV1 improves by more than 12 % after bronchodilator; Flow normal.",
                "Spirometry: FEV1 improves by more than 12 % after bronchodilator; Flow normal.",
            ),
            ("ECG: not applicable to this patient, not charged.", "ECG: not applicable to this patient, not charged."),
        ];
        for (full, short) in cases {
            assert_eq!(reply_text(RESULT, full), short);
        }
        assert_eq!(reply_text(PATIENT, "No, 38.2."), "No, 38.2.");
    }
}
