//! The clinic of Workup.
#![no_std]
#![warn(missing_docs, clippy::disallowed_methods, clippy::disallowed_types)]
extern crate alloc;
pub mod digest;
pub mod knowledge;
pub mod math;
pub mod random;
