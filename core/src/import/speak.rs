//! Facts and results as they are said.

use alloc::string::String;

use super::ImportedCase;

/// What the patient says when answering with `facts` (indexes of [`ImportedCase::ask`]): the words of the facts, in the first
/// person where a safe rule exists, else as they stand; the diagnosis is never named. Empty for no facts.
pub fn speak_facts(case: &ImportedCase, facts: &[u16]) -> String {
    let _ = (case, facts);
    String::new()
}

/// The report of recorded exams (indexes of [`ImportedCase::exam`]): `Name: value; name: value`, one group a top-level name.
pub fn speak_exams(case: &ImportedCase, exams: &[u16]) -> String {
    let _ = (case, exams);
    String::new()
}
