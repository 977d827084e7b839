//! One exam call in canonical form, and its text.

use alloc::{format, string::String, vec::Vec};
use core::fmt::Write;

use super::{
    catalogue::{Catalogue, Condition, Exam, Parameter},
    error::{CallError, quote},
    value::{ValueProblem, normalize},
};
use crate::digest::key;

/// Most parameters an exam can have.
pub const MAX_PARAMETERS: usize = 3;

/// Marks a parameter without value.
pub(super) const ABSENT: u8 = u8::MAX;

/// Texts that mean that an optional parameter is left out.
const NOTHING: &[&str] = &["", "none", "null", "n_a", "na", "any", "unspecified"];

/// Parameter names and values as written.
type Arguments<'a> = Vec<(&'a str, &'a str)>;

/// An exam call in canonical form: exam, and for each parameter the index of its value.
///
/// Equal values mean the same exam. Free text is part of it only where the exam is nothing but its text (`other`), as a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExamCall {
    exam: u8,
    values: [u8; MAX_PARAMETERS],
    text_key: u64,
}

impl ExamCall {
    pub(super) fn new(exam: u8) -> Self {
        Self { exam, values: [ABSENT; MAX_PARAMETERS], text_key: 0 }
    }

    /// Index of the exam in [`Catalogue::exams`].
    pub fn exam(&self) -> usize {
        usize::from(self.exam)
    }

    /// Index of the value of the parameter at `position`; `None` when it has none.
    pub fn value(&self, position: usize) -> Option<usize> {
        self.values.get(position).filter(|value| **value != ABSENT).map(|value| usize::from(*value))
    }

    /// Key of the free text of a required parameter, 0 when there is none.
    pub fn text_key(&self) -> u64 {
        self.text_key
    }

    /// A number that is different for different calls, to key random draws with.
    pub fn key(&self) -> u64 {
        let [first, second, third] = self.values;
        let packed = u64::from(u32::from_le_bytes([self.exam, first, second, third]));
        if self.text_key == 0 { packed } else { self.text_key ^ packed }
    }

    /// Exam, value indexes (255 for none) and text key, for storing.
    pub(crate) fn to_parts(self) -> ([u8; 1 + MAX_PARAMETERS], u64) {
        let [first, second, third] = self.values;
        ([self.exam, first, second, third], self.text_key)
    }

    /// The inverse of [`Self::to_parts`]; [`Catalogue::holds`] says whether such a call exists.
    pub(crate) fn from_parts([exam, first, second, third]: [u8; 1 + MAX_PARAMETERS], text_key: u64) -> Self {
        Self { exam, values: [first, second, third], text_key }
    }

    pub(super) fn set(&mut self, position: usize, value: u8) {
        self.values[position] = value;
    }

    pub(super) fn satisfies(&self, condition: Condition) -> bool {
        condition.into_iter().zip(self.values).all(|(wanted, value)| wanted == ABSENT || wanted == value)
    }

    /// Whether `other` has every value that this call has.
    pub(super) fn is_covered_by(&self, other: &Self) -> bool {
        other.satisfies(self.values)
    }
}

/// A call in which parameters left out match any value: `ct(region=chest)` is every chest CT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallPattern(ExamCall);

impl CallPattern {
    /// Whether the pattern covers a call.
    pub fn matches(&self, call: &ExamCall) -> bool {
        self.0.exam == call.exam
            && self.0.is_covered_by(call)
            && (self.0.text_key == 0 || self.0.text_key == call.text_key)
    }

    /// Index of the exam in [`Catalogue::exams`].
    pub fn exam(&self) -> usize {
        self.0.exam()
    }

    /// Index of the wanted value of the parameter at `position`; `None` when any will do.
    pub fn value(&self, position: usize) -> Option<usize> {
        self.0.value(position)
    }
}

impl Catalogue {
    /// Canonical form of a call: parameters by name, values in any wording the catalogue knows, defaults filled in.
    ///
    /// # Errors
    /// Unknown exam, parameter or value, a parameter given twice, a required one missing, an ambiguous value; each says what
    /// would have been right.
    pub fn parse_call(&self, name: &str, arguments: &[(&str, &str)]) -> Result<ExamCall, CallError> {
        let (mut call, exam) = self.start(name)?;
        read_arguments(&mut call, exam, arguments)?;
        for (position, parameter) in exam.parameters.iter().enumerate() {
            if call.values[position] != ABSENT || (parameter.is_free_text() && call.text_key != 0) {
                continue;
            }
            match parameter.default {
                Some(value) => call.set(position, value),
                None if parameter.required => return Err(missing(exam, parameter)),
                None => {}
            }
        }
        Ok(call)
    }

    /// Canonical form of a call written as `exam(parameter=value, ..)`, with or without quotes.
    ///
    /// # Errors
    /// Those of [`Catalogue::parse_call`], and text of another form.
    pub fn parse_call_text(&self, text: &str) -> Result<ExamCall, CallError> {
        let (name, arguments) = split_call(text)?;
        self.parse_call(name, &arguments)
    }

    /// A pattern written like a call; parameters left out match any value.
    ///
    /// # Errors
    /// Those of [`Catalogue::parse_call_text`], except that nothing is required.
    pub fn parse_pattern(&self, text: &str) -> Result<CallPattern, CallError> {
        let (name, arguments) = split_call(text)?;
        let (mut call, exam) = self.start(name)?;
        read_arguments(&mut call, exam, &arguments)?;
        Ok(CallPattern(call))
    }

    /// The call as text that [`Catalogue::parse_call_text`] reads back: `ct(region=chest, contrast=yes)`. Free text is lost.
    pub fn call_text(&self, call: &ExamCall) -> String {
        let exam = self.exam(call);
        let mut text = format!("{}(", exam.name);
        let mut separator = "";
        for (parameter, value) in values_of(exam, call) {
            // Writing into a `String` cannot fail.
            let _ = write!(text, "{separator}{}={value}", parameter.name);
            separator = ", ";
        }
        text.push(')');
        text
    }

    /// The canonical arguments of a call: parameter name and value.
    pub fn arguments<'a>(&'a self, call: &'a ExamCall) -> impl Iterator<Item = (&'a str, &'a str)> {
        values_of(self.exam(call), call).map(|(parameter, value)| (parameter.name.as_str(), value))
    }

    /// The call in words for people: `CT scan (chest, contrast)`.
    pub fn label(&self, call: &ExamCall) -> String {
        let exam = self.exam(call);
        let words: Vec<String> =
            values_of(exam, call).filter_map(|(parameter, value)| word_for(parameter, value)).collect();
        if words.is_empty() { exam.label.clone() } else { format!("{} ({})", exam.label, words.join(", ")) }
    }

    fn start(&self, name: &str) -> Result<(ExamCall, &Exam), CallError> {
        let index = self.find(name).ok_or_else(|| self.unknown_exam(name))?;
        Ok((ExamCall::new(index as u8), &self.exams[index]))
    }

    fn unknown_exam(&self, name: &str) -> CallError {
        let wanted = normalize(&quote(name));
        let near = self.names.iter().map(|(known, index)| (edit_distance(known, &wanted), *index)).min();
        let nearest = near.filter(|(distance, _)| *distance <= 1 + wanted.len() / 4);
        CallError::UnknownExam {
            name: quote(name),
            nearest: nearest.map(|(_, index)| self.exams[usize::from(index)].name.clone()),
        }
    }
}

/// The values a call has, with their parameters.
fn values_of<'a>(exam: &'a Exam, call: &'a ExamCall) -> impl Iterator<Item = (&'a Parameter, &'a str)> {
    exam.parameters.iter().enumerate().filter_map(|(position, parameter)| {
        let value = parameter.values.get(call.value(position)?)?;
        Some((parameter, value.as_str()))
    })
}

/// A value for people; yes and no become the parameter's own word or nothing.
fn word_for(parameter: &Parameter, value: &str) -> Option<String> {
    match value {
        "yes" => Some(parameter.name.clone()),
        "no" => None,
        _ => Some(value.replace('_', " ")),
    }
}

/// Puts the given arguments into the call; nothing is filled in.
fn read_arguments(call: &mut ExamCall, exam: &Exam, arguments: &[(&str, &str)]) -> Result<(), CallError> {
    let mut seen = [false; MAX_PARAMETERS];
    for (name, text) in arguments {
        let (position, parameter) = find_parameter(exam, name)?;
        if core::mem::replace(&mut seen[position], true) {
            return Err(CallError::RepeatedParameter { exam: exam.name.clone(), parameter: parameter.name.clone() });
        }
        if parameter.is_free_text() {
            if parameter.required {
                call.text_key = text_key(text);
            }
            continue;
        }
        match parameter.find_value(text) {
            Ok(value) => call.set(position, value),
            Err(ValueProblem::Unknown) if NOTHING.contains(&normalize(text).as_str()) => {}
            Err(ValueProblem::Unknown) => return Err(unknown_value(exam, parameter, text)),
            Err(ValueProblem::Ambiguous(values)) => return Err(ambiguous(exam, parameter, text, &values)),
        }
    }
    Ok(())
}

fn find_parameter<'a>(exam: &'a Exam, name: &str) -> Result<(usize, &'a Parameter), CallError> {
    let mut parameters = exam.parameters.iter().enumerate();
    let found = parameters.clone().find(|(_, parameter)| parameter.name == name);
    found
        .or_else(|| {
            let name = normalize(name);
            parameters.find(|(_, parameter)| parameter.name == name)
        })
        .ok_or_else(|| CallError::UnknownParameter {
            exam: exam.name.clone(),
            parameter: quote(name),
            allowed: exam.parameters.iter().map(|parameter| parameter.name.clone()).collect(),
        })
}

/// Key of free text; 0 only for text without letters and digits.
fn text_key(text: &str) -> u64 {
    let text = normalize(text);
    if text.is_empty() { 0 } else { key(&text) }
}

fn missing(exam: &Exam, parameter: &Parameter) -> CallError {
    CallError::MissingParameter {
        exam: exam.name.clone(),
        parameter: parameter.name.clone(),
        allowed: parameter.values.clone(),
    }
}

fn unknown_value(exam: &Exam, parameter: &Parameter, text: &str) -> CallError {
    CallError::UnknownValue {
        exam: exam.name.clone(),
        parameter: parameter.name.clone(),
        value: quote(text),
        allowed: parameter.values.clone(),
    }
}

fn ambiguous(exam: &Exam, parameter: &Parameter, text: &str, values: &[u8]) -> CallError {
    CallError::AmbiguousValue {
        exam: exam.name.clone(),
        parameter: parameter.name.clone(),
        value: quote(text),
        candidates: values.iter().map(|value| parameter.values[usize::from(*value)].clone()).collect(),
    }
}

/// Splits `exam(parameter=value, ..)`; a value may be quoted and then contain commas.
fn split_call(text: &str) -> Result<(&str, Arguments<'_>), CallError> {
    let not_a_call = || CallError::NotACall { text: quote(text) };
    let trimmed = text.trim();
    let (name, rest) = trimmed.split_once('(').ok_or_else(not_a_call)?;
    let mut rest = rest.strip_suffix(')').ok_or_else(not_a_call)?.trim();
    let mut arguments = Vec::new();
    while !rest.is_empty() {
        let (parameter, after) = rest.split_once('=').ok_or_else(not_a_call)?;
        let after = after.trim_start();
        let (value, left) = if let Some(quoted) = after.strip_prefix('"') {
            quoted.split_once('"').ok_or_else(not_a_call)?
        } else {
            let end = after.find(',').unwrap_or(after.len());
            after.split_at(end)
        };
        arguments.push((parameter.trim(), value.trim()));
        let left = left.trim_start();
        rest = match left.strip_prefix(',') {
            Some(next) => next.trim_start(),
            None if left.is_empty() => left,
            None => return Err(not_a_call()),
        };
    }
    Ok((name.trim(), arguments))
}

/// Number of single-byte insertions, deletions and replacements between two short texts (Levenshtein).
fn edit_distance(left: &str, right: &str) -> usize {
    let right = right.as_bytes();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (above, left_byte) in left.bytes().enumerate() {
        let mut diagonal = above;
        row[0] = above + 1;
        for (column, right_byte) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(left_byte != *right_byte);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}
