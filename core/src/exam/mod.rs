//! What can be ordered: the catalogue of exams, calls in canonical form, and what each call costs.
//!
//! Names, parameters, values and levels are those of the published exam interface, so that agents trained there can be
//! compared here. Prices and discomfort are by tool and parameter values: the most specific matching rule, else the tool's
//! own figure. The data stand in `data/exams.json`; nothing about a single exam is written in code.
//!
//! Invariant: two calls that mean the same exam are equal as [`ExamCall`] values, whatever words they were written in.

mod call;
mod catalogue;
mod error;
mod load;
mod published;
mod schema;
#[cfg(test)]
mod tests;
mod value;

pub use call::{CallPattern, ExamCall, MAX_PARAMETERS};
pub use catalogue::{Catalogue, Exam, Parameter, Price};
pub use error::{CallError, CatalogueError};
