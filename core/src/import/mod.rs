//! Foreign cases -> one type the clinic can play: facts in words and recorded exams.
//!
//! Import drops only what it cannot represent and says what, per row; a bad row never stops the rest. An imported case is
//! played by retrieval: [`ImportedCase::ask`] finds the one or two facts a question is about, [`ImportedCase::exam`] the
//! recorded results an order is about. Invariant: every fact is told by some question, every recorded result is returned
//! by some order.

mod agentclinic;
mod any;
mod diagnosis;
mod error;
mod exam_terms;
mod exams;
mod first_person;
mod jsonl;
mod lexicon;
mod node;
mod perturb;
mod record;
mod retrieve;
mod rows;
mod sentence;
mod speak;
mod topics;
mod words;

pub use agentclinic::{AgentClinic, read_agentclinic};
pub use any::{AnyFormat, read_any};
pub use diagnosis::{matches_diagnosis, score_diagnosis};
pub use error::{ImportError, ImportProblem, LeftOut};
pub use jsonl::{Jsonl, read_jsonl, to_line};
pub use perturb::{perturb_report, perturb_text};
pub use rows::{ImportReport, MAX_LINE_LEN, Reader, RowFormat, read_all};
pub use speak::{speak_exams, speak_facts, speak_text};

use alloc::{string::String, vec::Vec};

use serde::{Deserialize, Serialize};

/// A case in words, imported from outside: no knowledge base, no belief.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportedCase {
    /// Where it comes from and its position there: `agentclinic:3`.
    pub id: String,
    /// Age, sex and whatever else is said first.
    pub demographics: String,
    /// What the patient says first.
    pub complaint: String,
    /// What the doctor is told to do, where recorded.
    #[serde(default)]
    pub objective: String,
    /// The diagnosis.
    pub diagnosis: String,
    /// Other names of the diagnosis.
    #[serde(default)]
    pub synonyms: Vec<String>,
    /// What the patient knows.
    pub facts: Vec<Fact>,
    /// What exams found.
    pub exams: Vec<RecordedExam>,
    /// Reference workup as exam calls, where known.
    #[serde(default)]
    pub reference_workup: Vec<String>,
}

/// Something the patient knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// Path in the source, joined with `/`.
    pub path: String,
    /// The words.
    pub text: String,
}

/// Something an exam found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedExam {
    /// Path in the source, joined with `/`.
    pub path: String,
    /// The words.
    pub text: String,
    /// True for bedside findings, false for ordered tests.
    #[serde(default)]
    pub bedside: bool,
}
