//! The published value normaliser, reproduced with its quirks (ALGORITHMS 2.0): substrings match anywhere, the first listed
//! value wins, and an empty text is the first value. Only `paper` comparisons use it; the clinic reads values as
//! [`Catalogue::parse_call`] does.

use super::catalogue::{Catalogue, Parameter};
use crate::reward::python;

impl Catalogue {
    /// The value to which the published code normalises a text; `None` when it finds none or knows no values.
    pub fn normalize_as_published(&self, exam: &str, parameter: &str, text: &str) -> Option<&str> {
        let exam = self.exam_named(exam)?;
        let parameter = exam.parameters.iter().find(|entry| entry.name == parameter)?;
        published_value(parameter, text)
    }
}

fn published_value<'a>(parameter: &'a Parameter, text: &str) -> Option<&'a str> {
    let aliases = parameter.published_aliases.as_ref().filter(|_| !parameter.is_free_text())?;
    let value_of = |index: u8| parameter.values[usize::from(index)].as_str();
    let plain = python::strip(text).to_lowercase();
    let joined = plain.replace(['-', ' '], "_");
    let values = || parameter.values.iter().map(alloc::string::String::as_str);
    let alias_of =
        |word: &str| aliases.iter().rev().find(|(alias, _)| alias == word).map(|(_, index)| value_of(*index));

    values()
        .find(|value| *value == joined)
        .or_else(|| alias_of(&joined))
        .or_else(|| alias_of(&plain))
        .or_else(|| values().find(|value| joined.contains(value)))
        .or_else(|| values().find(|value| value.contains(joined.as_str())))
        .or_else(|| {
            let found =
                aliases.iter().find(|(alias, _)| joined.contains(alias.as_str()) || plain.contains(alias.as_str()));
            found.map(|(_, index)| value_of(*index))
        })
}
