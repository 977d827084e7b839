//! What can be wrong with a call, and with the catalogue itself.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

/// Longest piece of outside text repeated in an error, in characters.
const MAX_QUOTE: usize = 60;

/// Why a call cannot be executed. Every message says what would have been right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// No exam of this name.
    #[error("unknown exam `{name}`: {}", advice(.nearest.as_deref()))]
    UnknownExam {
        /// The name as written, shortened.
        name: String,
        /// The most similar exam name, when one is near.
        nearest: Option<String>,
    },
    /// The exam has no such parameter.
    #[error("exam `{exam}` has no parameter `{parameter}`: {}", parameters(.allowed))]
    UnknownParameter {
        /// The exam.
        exam: String,
        /// The parameter as written, shortened.
        parameter: String,
        /// The parameters it has.
        allowed: Vec<String>,
    },
    /// A parameter given twice.
    #[error("exam `{exam}` got parameter `{parameter}` twice: give it once")]
    RepeatedParameter {
        /// The exam.
        exam: String,
        /// The parameter.
        parameter: String,
    },
    /// A required parameter left out or empty.
    #[error("exam `{exam}` needs parameter `{parameter}`: {}", values(.allowed))]
    MissingParameter {
        /// The exam.
        exam: String,
        /// The parameter.
        parameter: String,
        /// Its values; empty when any text will do.
        allowed: Vec<String>,
    },
    /// A value outside the list.
    #[error("exam `{exam}` parameter `{parameter}` has no value `{value}`: {}", values(.allowed))]
    UnknownValue {
        /// The exam.
        exam: String,
        /// The parameter.
        parameter: String,
        /// The value as written, shortened.
        value: String,
        /// Its values.
        allowed: Vec<String>,
    },
    /// A value that fits several of the list.
    #[error("exam `{exam}` parameter `{parameter}` value `{value}` is ambiguous: {}", values(.candidates))]
    AmbiguousValue {
        /// The exam.
        exam: String,
        /// The parameter.
        parameter: String,
        /// The value as written, shortened.
        value: String,
        /// What it could mean.
        candidates: Vec<String>,
    },
    /// Text that is not of the form `exam(parameter=value, ..)`.
    #[error("`{text}` is not a call: write it as `exam(parameter=value)`")]
    NotACall {
        /// The text as written, shortened.
        text: String,
    },
}

fn advice(nearest: Option<&str>) -> String {
    match nearest {
        Some(name) => alloc::format!("did you mean `{name}`?"),
        None => "use a name of the exam list".to_string(),
    }
}

fn parameters(allowed: &[String]) -> String {
    if allowed.is_empty() {
        return "it takes none".to_string();
    }
    alloc::format!("it takes {}", listed(allowed))
}

fn values(allowed: &[String]) -> String {
    if allowed.is_empty() {
        return "say it in a few words".to_string();
    }
    alloc::format!("use one of {}", listed(allowed))
}

fn listed(items: &[String]) -> String {
    let quoted: Vec<String> = items.iter().map(|item| alloc::format!("`{item}`")).collect();
    quoted.join(", ")
}

/// Outside text, shortened for an error message.
pub(super) fn quote(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(MAX_QUOTE) {
        Some((end, _)) => alloc::format!("{}..", &text[..end]),
        None => text.to_string(),
    }
}

/// What is wrong with a catalogue file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("exam catalogue, entry `{entry}`, field `{field}`: {problem}")]
pub struct CatalogueError {
    /// Name of the exam, or `file`.
    pub entry: String,
    /// Field of the entry.
    pub field: String,
    /// What is wrong, in words.
    pub problem: String,
}

impl CatalogueError {
    pub(super) fn new(entry: &str, field: &str, problem: impl Into<String>) -> Self {
        Self { entry: entry.to_string(), field: field.to_string(), problem: problem.into() }
    }
}
