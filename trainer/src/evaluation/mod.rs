//! How good is a policy? Play the same scenarios for everybody, report means with intervals and paired differences.

pub mod checkpoint;
mod outcome;
pub mod parallel;
mod policy;
mod report;
pub mod statistics;
pub(crate) mod table;

pub use checkpoint::load_checkpoint;
pub use outcome::Outcome;
pub use policy::{ClinicianKind, ClinicianPolicy, Policy, Practice};
pub use report::{Difference, DiseaseReport, EvaluationReport, IntervalMethods, RewardPartsReport, paired_difference};
pub use table::{difference_table, report_table, row, row_header};

use workup_core::{knowledge::KnowledgeBase, scenario::ScenarioError};

use crate::{progress::Progress, setting::Setting};

/// Why a policy could not be evaluated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// A scenario out of range.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// No scenarios.
    #[error("`0` cases: evaluate at least one")]
    NoCases,
    /// A name that is neither a clinician nor a checkpoint.
    #[error(
        "`{0}` is no policy: choose random, checklist, ideal, ideal_naive, oracle_clean, oracle_noisy, expert or a checkpoint"
    )]
    UnknownPolicy(String),
    /// A checkpoint, but no code to run it.
    #[error("`{0}` looks like a checkpoint, and this `workup` was built without the feature `learn`: build it with it")]
    NoLearning(String),
    /// A trained policy failed.
    #[error("policy `{policy}` cannot play: {problem}")]
    Policy {
        /// Its name.
        policy: String,
        /// What is wrong.
        problem: String,
    },
}

/// Plays all scenarios of a setting and sums up.
///
/// # Errors
/// When there are no cases, or a scenario cannot be played.
pub fn evaluate(
    policy: &dyn Policy,
    setting: &Setting,
    base: &KnowledgeBase,
    threads: usize,
    progress: &dyn Progress,
) -> Result<(EvaluationReport, Vec<Outcome>), EvaluationError> {
    if setting.cases == 0 {
        return Err(EvaluationError::NoCases);
    }
    setting.case(0).check()?;
    progress.start(policy.name(), setting.cases);
    let outcomes = policy.play(&setting.scenarios(), progress);
    progress.finish();
    let outcomes = outcomes?;
    Ok((EvaluationReport::new(policy, setting, base, &outcomes, threads), outcomes))
}
