//! The `workup` command as a library: evaluation, settings, metrics, progress and, with the feature `learn`, training.
//!
//! The library prints nothing by itself and owns no global; the binary owns the bar, the exit status and the words around results.
#![warn(missing_docs)]

pub mod atomic_file;
pub mod bench;
pub mod cases;
#[cfg(feature = "learn")]
pub mod device;
pub mod evaluation;
pub mod kb;
pub mod knowledge;
#[cfg(feature = "learn")]
pub mod learning;
pub mod metrics;
pub mod progress;
pub mod setting;
#[cfg(feature = "learn")]
pub mod train_tokenizer;
pub mod tuning;
