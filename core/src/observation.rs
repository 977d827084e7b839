//! What comes back from an action: readings of items, and what kind of reply it was.

use crate::{
    knowledge::{ItemId, TimeUnit},
    noise::Noise,
};

/// A reported value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The finding is not there.
    Absent,
    /// The finding is there.
    Present,
    /// The finding an attribute belongs to is not there.
    NotApplicable,
    /// A value of a categorical attribute or report field (index; for sites the index of the site).
    Choice(u16),
    /// 1 to 10.
    Severity(u8),
    /// How long.
    Duration(u32, TimeUnit),
    /// "A while": a duration without a number.
    Awhile,
    /// A number in ticks of its analyte, and its band (0 to 5).
    Number {
        /// Band 0 to 5.
        band: u8,
        /// Printed number times ten to the analyte's decimals.
        ticks: i32,
    },
    /// No answer: vague.
    Vague,
    /// No answer: left out.
    LeftOut,
    /// No answer: withheld by a guarded patient.
    Withheld,
    /// No answer: not remembered.
    NotRemembered,
    /// No answer: a patient cannot know (a sign).
    Unknowable,
    /// A clause dropped from a report.
    Missing,
}

impl Value {
    /// True when the value tells nothing.
    #[inline]
    pub const fn is_no_answer(self) -> bool {
        matches!(
            self,
            Self::Vague | Self::LeftOut | Self::Withheld | Self::NotRemembered | Self::Unknowable | Self::Missing
        )
    }

    /// A number that identifies the value, for digests and observations.
    pub const fn code(self) -> u64 {
        match self {
            Self::Absent => 0,
            Self::Present => 1,
            Self::NotApplicable => 2,
            Self::Awhile => 3,
            Self::Vague => 4,
            Self::LeftOut => 5,
            Self::Withheld => 6,
            Self::NotRemembered => 7,
            Self::Unknowable => 8,
            Self::Missing => 9,
            Self::Choice(index) => 1 << 40 | index as u64,
            Self::Severity(value) => 2 << 40 | value as u64,
            Self::Duration(number, unit) => 3 << 40 | (unit as u64) << 32 | number as u64,
            Self::Number { band, ticks } => 4 << 40 | (band as u64) << 32 | ticks as u32 as u64,
        }
    }
}

/// How a reading came to be told, for the belief.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The patient was asked for `asked`; the number counts earlier askings of it (0, 1; later ones repeat 1).
    Direct {
        /// What was asked; differs from the reading's item under symptom confusion.
        asked: ItemId,
        /// 0, or 1 for every later asking.
        occurrence: u8,
        /// True from the third asking on: verbatim, worth nothing new.
        repeat: bool,
    },
    /// Volunteered in an open question.
    Volunteered,
    /// Passed over in an open question that went further down the public order. Never shown to an agent.
    PassedOver,
    /// Read off an exam report; the number as for direct questions.
    Exam {
        /// 0, or 1 for every later execution of the same call.
        occurrence: u8,
        /// True from the third execution on.
        repeat: bool,
    },
}

/// One item as reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What the value is about.
    pub item: ItemId,
    /// As reported.
    pub value: Value,
    /// As it would have been without noise; of the item asked. Referee only.
    pub clean: Value,
    /// Which noise fired, changed or not. Referee only.
    pub noise: Option<Noise>,
    /// How it was told.
    pub source: Source,
}

/// The kind of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyKind {
    /// The patient answers a direct question.
    Answer,
    /// The patient answers an open question.
    OpenAnswer,
    /// The patient did not understand.
    NotUnderstood,
    /// An exam report.
    Report,
    /// The exam cannot be done for this patient's anatomy; free.
    NotApplicable,
    /// The exam is not recorded in this imported case; charged.
    NotRecorded,
    /// The call names no tool or no allowed value.
    InvalidCall,
    /// The message has no usable form.
    FormatError,
    /// No patient turns are left.
    PatientTurnsUsedUp,
    /// The episode ended with this action.
    End,
}
