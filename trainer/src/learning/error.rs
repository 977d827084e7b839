//! Why a stage of training stopped.

use std::{
    io,
    path::{Path, PathBuf},
};

use workup_core::{knowledge::KnowledgeError, scenario::ScenarioError, wording::WordingError};
use workup_learn::LearnError;
use workup_model::{ConfigError, TokenizerError, WeightsError};

use crate::train_tokenizer::TrainTokenizerError;

/// Why a stage of training stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearningError {
    /// A file or folder that cannot be read or written.
    #[error("could not use `{}`: check that it exists and can be written", path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A line that is no conversation.
    #[error("`{}` line `{line}` is no conversation: write the file again with `workup conversations`", path.display())]
    Conversation {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A checkpoint that is not whole.
    #[error("checkpoint `{}` is damaged ({what}): delete this folder to start the stage over", path.display())]
    Damaged {
        /// The folder.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// An exported policy that cannot be played.
    #[error("policy file `{}` cannot be used ({what}): export the policy again", path.display())]
    Policy {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The folder of a run where that of a policy is wanted.
    #[error("`{}` is the folder of a run; its policies are: {policies}", run.display())]
    RunNotPolicy {
        /// The run.
        run: PathBuf,
        /// Its policies, as they can be given instead.
        policies: String,
    },
    /// A folder that is not empty.
    #[error("`{}` is not empty: choose another folder, so that nothing is overwritten", .0.display())]
    NotEmpty(PathBuf),
    /// A file of a run that does not fit the note beside it.
    #[error("`{}` and its note `{}` do not fit ({what}): delete both to make them again", path.display(), note.display())]
    DamagedArtifact {
        /// The file.
        path: PathBuf,
        /// Its note.
        note: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A checkpoint or file of another run.
    #[error("`{}` belongs to a run with other settings ({what}): choose another folder or the same settings", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// What differs.
        what: String,
    },
    /// A file in the place of one of ours.
    #[error("`{}` is there already and no run wrote it: move it away or choose another folder", .0.display())]
    NotOurs(PathBuf),
    /// A run to start from that has not come so far.
    #[error("`{}` holds no finished fine-tuning: end it with the command that began it and --resume, or begin one with `workup sft --out {}`", .0.display(), .0.display())]
    NoStart(PathBuf),
    /// A run that has begun and was not asked to go on.
    #[error("`{}` already holds a run: add --resume to go on, or choose another folder", .0.display())]
    Begun(PathBuf),
    /// A file or folder that another process is writing.
    #[error("another process is writing `{}`: wait for it or choose another folder", .0.display())]
    Busy(PathBuf),
    /// A tokenizer without one of the special tokens of the prompt.
    #[error("tokenizer has no special token `{0}`: train it with `workup tokenizer`")]
    NoSpecialToken(&'static str),
    /// No conversation fits.
    #[error("no conversation has at most `{0}` tokens: write other conversations")]
    NothingFits(usize),
    /// A tokenizer that cannot be read.
    #[error("tokenizer cannot be used")]
    Tokenizer(#[from] TokenizerError),
    /// A tokenizer that cannot be trained.
    #[error("tokenizer cannot be trained")]
    TrainTokenizer(#[from] TrainTokenizerError),
    /// A weight file that cannot be used.
    #[error("weights cannot be used")]
    Weights(#[from] WeightsError),
    /// A decoder whose sizes do not fit.
    #[error("decoder cannot be built")]
    Config(#[from] ConfigError),
    /// A failed step.
    #[error("training stopped")]
    Learn(#[from] LearnError),
    /// A scenario out of range.
    #[error("scenario cannot be played")]
    Scenario(#[from] ScenarioError),
    /// A knowledge base without words.
    #[error("knowledge base cannot be talked about")]
    Wording(#[from] WordingError),
    /// A knowledge base that is wrong.
    #[error("knowledge base cannot be used")]
    Knowledge(#[from] KnowledgeError),
    /// Something that could not be evaluated.
    #[error("policy cannot be evaluated")]
    Evaluation(#[from] crate::evaluation::EvaluationError),
}

impl LearningError {
    /// Wraps an error of the file system.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + use<'_> {
        |source| match source.kind() {
            io::ErrorKind::ResourceBusy => Self::Busy(path.to_owned()),
            _ => Self::Io { path: path.to_owned(), source },
        }
    }

    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), what: what.into() }
    }
}
