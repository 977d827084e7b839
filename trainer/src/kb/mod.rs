//! What a knowledge base holds, and whether it is fit to be played in: `workup kb`.

mod check;
mod files;
mod report;

pub use check::{Breach, Level, Separation, check_base, separation};
pub use files::{KnowledgeFiles, read_files};
pub use report::{KnowledgeReport, Numbers, report_base};
