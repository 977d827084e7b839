//! The knowledge base: findings, panels, exams' views and diseases, compiled from JSON into indexed integer tables.

pub mod schema;
