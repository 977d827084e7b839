//! The knowledge base: findings, panels, exams' views and diseases, compiled from JSON into indexed integer tables.
//!
//! [`schema`] is what an author writes, [`KnowledgeBase`] what the clinic runs on. Ids are strings outside and dense indexes
//! inside; every random draw is keyed by the id, so adding an entry moves nobody else's draws.

mod build;
mod error;
mod load;
mod model;
pub mod schema;
mod tables;
#[cfg(test)]
mod tests;

pub use error::{KnowledgeError, Problem};
pub use model::{
    Analyte, Aspect, Attribute, AttributeValues, Complaint, Disease, FieldValue, Finding, Hypothesis, ItemId, ItemKind,
    KnowledgeBase, Modality, NamedValue, Numeric, Panel, Pattern, Scale, Site, TimeUnit, Topic, View,
};
pub use schema::{Applies, FindingKind, Sex};
pub use tables::{AGE_BANDS, age_band};
