//! Findings and what can be told about them.

use alloc::{string::String, vec::Vec};

use crate::knowledge::schema::{Applies, FindingKind};

/// A finding.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Identity.
    pub id: String,
    /// FNV-1a-64 of the id: the key of its draws.
    pub key: u64,
    /// Kind.
    pub kind: FindingKind,
    /// Clinical term.
    pub term: String,
    /// First-person noun phrase.
    pub noun: String,
    /// First-person clauses when present.
    pub present: Vec<String>,
    /// First-person clauses when absent.
    pub absent: Vec<String>,
    /// Report texts, present and absent.
    pub report: [String; 2],
    /// Word sequences that ask for it.
    pub ask: Vec<String>,
    /// Hard zeros.
    pub applies: Applies,
    /// Findings it may be mixed up with (indexes).
    pub neighbours: Vec<u16>,
    /// The finding without which it cannot be (index).
    pub requires: Option<u16>,
    /// Findings that cannot be without it (indexes).
    pub implied_by: Vec<u16>,
    /// Its attributes (indexes).
    pub attributes: Vec<u16>,
    /// Panels whose pattern depends on it (indexes).
    pub panels: Vec<u16>,
}

impl Finding {
    /// True when a patient is asked for it as history: past illness, medicine, habit.
    pub const fn is_history(&self) -> bool {
        matches!(self.kind, FindingKind::Antecedent | FindingKind::Risk)
    }
}

/// A place on the body.
#[derive(Clone, Debug)]
pub struct Site {
    /// Identity.
    pub id: String,
    /// The patient's words, to stand after "in".
    pub lay: String,
    /// Neighbouring sites (indexes).
    pub adjacent: Vec<u16>,
}

/// What an attribute tells about its finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// Where it is.
    Site,
    /// What it is like.
    Character,
    /// How bad, 1 to 10.
    Severity,
    /// How it began.
    Onset,
    /// How long it has lasted.
    Duration,
    /// Where it spreads.
    Radiation,
    /// What makes it worse.
    Aggravating,
    /// What makes it better.
    Relieving,
    /// When it comes.
    Timing,
}

impl Aspect {
    /// All aspects in their fixed order.
    pub const ALL: [Self; 9] = [
        Self::Site,
        Self::Character,
        Self::Severity,
        Self::Onset,
        Self::Duration,
        Self::Radiation,
        Self::Aggravating,
        Self::Relieving,
        Self::Timing,
    ];

    /// The name used in files, codes and flags.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Site => "site",
            Self::Character => "character",
            Self::Severity => "severity",
            Self::Onset => "onset",
            Self::Duration => "duration",
            Self::Radiation => "radiation",
            Self::Aggravating => "aggravating",
            Self::Relieving => "relieving",
            Self::Timing => "timing",
        }
    }

    /// The aspect of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|aspect| aspect.name() == name)
    }
}

/// What an open question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// The complaint and what goes with it.
    Complaint,
    /// Past illness and operations.
    History,
    /// Medicines.
    Medication,
    /// Allergies.
    Allergy,
    /// Illness in the family.
    Family,
    /// Habits, work, home.
    Social,
}

impl Topic {
    /// All topics in their fixed order.
    pub const ALL: [Self; 6] =
        [Self::Complaint, Self::History, Self::Medication, Self::Allergy, Self::Family, Self::Social];

    /// The name used in files, codes and flags.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Complaint => "complaint",
            Self::History => "history",
            Self::Medication => "medication",
            Self::Allergy => "allergy",
            Self::Family => "family",
            Self::Social => "social",
        }
    }
}
