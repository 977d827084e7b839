//! What can be wrong with a knowledge base, and where.

use alloc::string::String;

/// An error in a knowledge base: section, entry and field, then what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{section} `{entry}`, field `{field}`: {problem}")]
pub struct KnowledgeError {
    /// Section of the base: `findings`, `diseases`, ...
    pub section: &'static str,
    /// Id of the entry, or its position when it has none.
    pub entry: String,
    /// Field of the entry.
    pub field: String,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The text is not JSON of the schema.
    #[error("not readable: {0}")]
    Syntax(String),
    /// A reference to something that is not there.
    #[error("`{0}` does not exist: add it or correct the id")]
    UnknownId(String),
    /// Two entries of one id, or two ids with one key.
    #[error("`{0}` is there twice: rename one")]
    Duplicate(String),
    /// A probability outside 0 to 1, a negative or missing weight.
    #[error("`{0}` is no usable number: {1}")]
    BadNumber(String, &'static str),
    /// A list that must not be empty.
    #[error("must not be empty")]
    Empty,
    /// Anything else, in words.
    #[error("{0}")]
    Invalid(String),
    /// More entries than indexes can hold.
    #[error("`{0}` entries are too many: the limit is `{1}`")]
    TooMany(usize, usize),
}
