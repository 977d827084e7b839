//! The workup trainer library.
