//! Attributes of findings and their values.

use alloc::{string::String, vec::Vec};

use super::Aspect;

/// An attribute of a finding.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The finding it belongs to (index).
    pub finding: u16,
    /// What it tells.
    pub aspect: Aspect,
    /// FNV-1a-64 of `finding.aspect`: the key of its draws.
    pub key: u64,
    /// Its values.
    pub values: AttributeValues,
    /// For each value the values a confused patient may say instead; empty lists for severity, duration and sites.
    pub confused: Vec<Vec<u16>>,
    /// Number of values.
    pub num_values: usize,
}

/// The values an attribute can take.
#[derive(Clone, Debug)]
pub enum AttributeValues {
    /// 1 to 10; value index `v` means `v + 1`.
    Severity,
    /// Number and unit.
    Duration(Vec<(u32, TimeUnit)>),
    /// Sites (indexes into the sites of the knowledge base).
    Sites(Vec<u16>),
    /// Words.
    Named(Vec<NamedValue>),
}

/// A value of a categorical attribute.
#[derive(Clone, Debug)]
pub struct NamedValue {
    /// Identity within the attribute.
    pub id: String,
    /// The patient's words, to stand after "it".
    pub lay: String,
}

/// Unit of a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum TimeUnit {
    /// Minutes.
    Minute,
    /// Hours.
    Hour,
    /// Days.
    Day,
    /// Weeks.
    Week,
    /// Months.
    Month,
    /// Years.
    Year,
}

impl TimeUnit {
    /// All units, shortest first.
    pub const ALL: [Self; 6] = [Self::Minute, Self::Hour, Self::Day, Self::Week, Self::Month, Self::Year];

    /// Singular word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }
}
