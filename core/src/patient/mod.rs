//! The patient: understands a question, answers it truthfully, is perturbed by noise, and speaks.

pub(crate) mod answer;
pub mod speak;
pub mod understand;
