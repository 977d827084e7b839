//! What can be wrong with a row, and where.

use alloc::string::String;

/// Why a row was dropped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line `{line}`, `{}`: {problem}", if path.is_empty() { "row" } else { path.as_str() })]
pub struct ImportError {
    /// Line of the input, from 1.
    pub line: u32,
    /// Path inside the row, joined with `/`; empty for the row as a whole.
    pub path: String,
    /// What is wrong there.
    pub problem: ImportProblem,
}

/// What is wrong with a row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportProblem {
    /// Bytes that are no text.
    #[error("not UTF-8 after byte `{valid_up_to}`: save the file as UTF-8")]
    NotUtf8 {
        /// Bytes that are fine.
        valid_up_to: u32,
    },
    /// More bytes than a row may have.
    #[error("`{len}` bytes long: keep a row within `{limit}`")]
    TooLong {
        /// Bytes of the row.
        len: u64,
        /// Most allowed.
        limit: u32,
    },
    /// Text that is not one JSON value, or not of this format.
    #[error("column `{column}`: {message}")]
    Json {
        /// Column, from 1.
        column: u32,
        /// What the parser says.
        message: String,
    },
    /// Objects and arrays nested too deeply.
    #[error("nested more than `{limit}` deep: flatten it")]
    TooDeep {
        /// Most levels allowed.
        limit: u32,
    },
    /// More leaves than a case may have.
    #[error("more than `{limit}` entries: split the case")]
    TooMany {
        /// Most allowed.
        limit: u32,
    },
    /// A field that must be there.
    #[error("missing: add it")]
    Missing,
    /// A field that must hold words.
    #[error("`{found}` where words are needed: write a string")]
    NotText {
        /// What stands there: `object`, `array`, ..
        found: &'static str,
    },
    /// A field that must be an object.
    #[error("`{found}` where an object is needed: write `{{..}}`")]
    NotAnObject {
        /// What stands there.
        found: &'static str,
    },
    /// A field that must not be empty.
    #[error("empty: fill it in")]
    Empty,
}

impl ImportProblem {
    /// This problem at a place of the row; the line is filled in by the reader.
    pub(super) fn at(self, path: &str) -> ImportError {
        ImportError { line: 0, path: path.into(), problem: self }
    }
}

impl From<serde_json::Error> for ImportProblem {
    fn from(error: serde_json::Error) -> Self {
        Self::Json { column: error.column() as u32, message: alloc::format!("{error}") }
    }
}

/// A piece of an accepted row that the case does not carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Line of the input, from 1.
    pub line: u32,
    /// Path inside the row, joined with `/`.
    pub path: String,
    /// Why: `empty`, `null`, `unknown field`.
    pub reason: &'static str,
}
