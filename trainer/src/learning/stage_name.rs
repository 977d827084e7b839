//! The stages that learn, and where a run keeps what is theirs.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

/// A stage that learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageName {
    /// Supervised fine-tuning.
    Sft,
    /// DAPO from its weights.
    Dapo,
    /// Supervised fine-tuning continued for DAPO's token budget.
    Control,
}

impl StageName {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Sft, Self::Dapo, Self::Control];

    /// The name in folders, flags and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sft => "sft",
            Self::Dapo => "dapo",
            Self::Control => "control",
        }
    }

    /// Where `run` keeps metrics and checkpoint of this stage.
    pub fn folder(self, run: &Path) -> PathBuf {
        run.join(self.name())
    }

    /// Where `run` keeps the finished policy of this stage.
    pub fn policy_folder(self, run: &Path) -> PathBuf {
        run.join("policy").join(self.name())
    }
}

impl fmt::Display for StageName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
