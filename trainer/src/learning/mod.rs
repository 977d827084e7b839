//! From conversations to a trained policy: expert conversations, tokenizer, supervised fine-tuning, DAPO, export.
//!
//! Every stage owns one folder, writes atomically, skips when it is complete and resumes where it was killed.

mod artifact;
pub mod checkpoint;
pub mod conversation;
pub mod dapo;
mod difference;
mod error;
pub mod evaluate;
pub mod export;
mod folder;
pub mod format;
mod journal;
pub mod pipeline;
pub mod preset;
pub mod report;
pub mod sft;
mod stage;
mod stage_name;
pub mod text_clinic;
pub mod vocabulary;

pub use error::LearningError;
pub use stage::Surroundings;
pub use stage_name::StageName;
