//! The catalogue in the form the clinic runs on: dense indexes, sorted words, price rules by specificity.

use alloc::{string::String, vec::Vec};

use super::call::{ABSENT, ExamCall, MAX_PARAMETERS};
use crate::{digest::Digest, knowledge::Sex};

/// What one call costs and how much it bothers the patient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// US cents at Medicare rates.
    pub usd_cents_medicare: u32,
    /// US cents at the median hospital cash price.
    pub usd_cents_cash: u32,
    /// 1 (none) to 3.
    pub discomfort: u32,
}

/// A parameter of an exam.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Name, for example `region`.
    pub name: String,
    /// Whether a call without it is refused.
    pub required: bool,
    /// Allowed values; empty when any text will do.
    pub values: Vec<String>,
    /// Index of the value taken when it is left out.
    pub default: Option<u8>,
    /// Every word for a value, normalised and sorted, with the value's index.
    pub(super) words: Vec<(String, u8)>,
    /// Number of words in the longest of `words`.
    pub(super) longest_word: usize,
    /// Aliases of the published normaliser in its order; `None` where it knows no values.
    pub(super) published_aliases: Option<Vec<(String, u8)>>,
}

impl Parameter {
    /// Whether the parameter takes free text, which does not change what is done or what it costs.
    pub fn is_free_text(&self) -> bool {
        self.values.is_empty()
    }
}

/// Values a rule asks for; [`ABSENT`] matches anything.
pub(super) type Condition = [u8; MAX_PARAMETERS];

/// An exam.
#[derive(Clone, Debug)]
pub struct Exam {
    /// Name in calls.
    pub name: String,
    /// Name for people.
    pub label: String,
    /// Heading under which it is listed: `imaging`, `laboratory`, ...
    pub group: String,
    /// Whether it exists for imported cases only.
    pub imported_only: bool,
    /// Published money and discomfort levels, each 1 to 3; `None` where the published table has no entry.
    pub levels: Option<(u32, u32)>,
    /// Parameters, at most [`MAX_PARAMETERS`].
    pub parameters: Vec<Parameter>,
    /// Price where no rule matches.
    pub price: Price,
    /// Where its prices come from: tags of [`Catalogue::sources`] joined by `+`.
    pub source: String,
    /// Most specific first.
    pub(super) prices: Vec<(Condition, Price)>,
    pub(super) collections: Vec<(Condition, ExamCall)>,
    pub(super) only_for: Vec<(Condition, Sex)>,
    /// Index of the exam of which this is another name.
    pub(super) same_as: Option<u8>,
}

/// Everything that can be ordered.
#[derive(Clone, Debug)]
pub struct Catalogue {
    pub(super) exams: Vec<Exam>,
    /// Names and other names, normalised and sorted.
    pub(super) names: Vec<(String, u8)>,
    pub(super) sources: Vec<(String, String)>,
    pub(super) digest: u64,
}

impl Catalogue {
    /// The exams, in catalogue order; a position is the index of [`ExamCall::exam`].
    pub fn exams(&self) -> &[Exam] {
        &self.exams
    }

    /// Index of the exam of this name or other name; case and separators do not matter.
    pub fn find(&self, name: &str) -> Option<usize> {
        let search = |name: &str| self.names.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok();
        let found = search(name).or_else(|| search(&super::value::normalize(name)))?;
        Some(usize::from(self.names[found].1))
    }

    /// The exam of exactly this name, as the published reward looks it up.
    pub fn exam_named(&self, name: &str) -> Option<&Exam> {
        let found = self.names.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
        let exam = &self.exams[usize::from(self.names[found].1)];
        (exam.name == name).then_some(exam)
    }

    /// The exam a call orders.
    ///
    /// # Panics
    /// When the call was made by a larger catalogue.
    pub fn exam(&self, call: &ExamCall) -> &Exam {
        &self.exams[call.exam()]
    }

    /// What a call costs: the most specific matching rule, else the exam's own price.
    pub fn price(&self, call: &ExamCall) -> Price {
        let exam = self.exam(call);
        first_match(&exam.prices, call).unwrap_or(exam.price)
    }

    /// The call that collects the specimen which this call analyses; `None` when it needs no collection of its own.
    pub fn collection(&self, call: &ExamCall) -> Option<ExamCall> {
        first_match(&self.exam(call).collections, call)
    }

    /// The collection that must be charged with this call: the specimen it needs, unless an earlier call of the same kind
    /// collected one.
    pub fn collection_due(&self, call: &ExamCall, earlier: &[ExamCall]) -> Option<ExamCall> {
        let needed = self.collection(call)?;
        let collects = |done: &ExamCall| done.exam() == needed.exam() && needed.is_covered_by(done);
        (!earlier.iter().any(collects)).then_some(needed)
    }

    /// The sex without which the exam is anatomically impossible; `None` when everybody can have it.
    pub fn only_for(&self, call: &ExamCall) -> Option<Sex> {
        first_match(&self.exam(call).only_for, call)
    }

    /// The identity under which repeats are counted: an exam with two names becomes the first of them.
    pub fn identity(&self, call: &ExamCall) -> ExamCall {
        let exam = self.exam(call);
        let Some(target) = exam.same_as else { return *call };
        let mut same = self.bare(usize::from(target));
        for (position, parameter) in self.exams[usize::from(target)].parameters.iter().enumerate() {
            let Some(from) = exam.parameters.iter().position(|other| other.name == parameter.name) else { continue };
            let value = call.value(from).and_then(|index| exam.parameters[from].values.get(index));
            let value = value.and_then(|value| parameter.values.iter().position(|other| other == value));
            if let Some(value) = value {
                same.set(position, value as u8);
            }
        }
        same
    }

    /// The call of an exam with every optional parameter at its default and required ones left out, which only rules and
    /// imported records may use.
    pub fn bare(&self, exam: usize) -> ExamCall {
        let mut call = ExamCall::new(exam as u8);
        for (position, parameter) in self.exams[exam].parameters.iter().enumerate() {
            call.set(position, parameter.default.unwrap_or(ABSENT));
        }
        call
    }

    /// Whether a stored call is what parsing could have given: an exam and values of this catalogue in canonical form.
    pub fn holds(&self, call: &ExamCall) -> bool {
        let Some(exam) = self.exams.get(call.exam()) else { return false };
        let is_canonical = |position: usize| match (exam.parameters.get(position), call.value(position)) {
            (None, None) => true,
            (Some(parameter), Some(value)) => value < parameter.values.len(),
            (Some(parameter), None) => parameter.is_free_text() || (!parameter.required && parameter.default.is_none()),
            (None, Some(_)) => false,
        };
        let has_text = call.text_key() != 0;
        (0..super::MAX_PARAMETERS).all(is_canonical) && has_text == exam.imported_only
    }

    /// Tags of price sources with what they stand for, sorted.
    pub fn sources(&self) -> &[(String, String)] {
        &self.sources
    }

    /// Digest of the catalogue's text.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    pub(super) fn digest_of(text: &str) -> u64 {
        let mut digest = Digest::new();
        digest.text(text);
        digest.value()
    }
}

/// The entry of the first rule that a call satisfies.
fn first_match<T: Copy>(rules: &[(Condition, T)], call: &ExamCall) -> Option<T> {
    rules.iter().find(|(condition, _)| call.satisfies(*condition)).map(|(_, entry)| *entry)
}
