//! Where trained policies come in: an exported policy by its folder.

use std::path::Path;

use super::{EvaluationError, Policy, Practice};

/// The policy exported into the folder `path`, on `threads` threads: sampled at temperature 1, or `greedy`.
///
/// # Errors
/// When there is nothing at `path`, or it cannot be played.
#[cfg(feature = "learn")]
pub fn load_checkpoint(
    path: &Path,
    practice: &Practice,
    threads: usize,
    greedy: bool,
) -> Result<Box<dyn Policy>, EvaluationError> {
    use std::sync::Arc;

    use crate::learning::evaluate::TrainedPolicy;

    let name = path.display().to_string();
    let problem = |error: &dyn std::error::Error| {
        let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
        EvaluationError::Policy { policy: name.clone(), problem: format!("{error}{cause}") }
    };
    if !path.exists() {
        return Err(EvaluationError::UnknownPolicy(name));
    }
    let clinic = Arc::new(workup_core::clinic::Clinic::new(practice.base().clone()));
    let device = crate::device::default_device().map_err(|error| problem(&error))?;
    let policy = TrainedPolicy::load(path, clinic, &device, threads).map_err(|error| problem(&error))?;
    Ok(Box::new(if greedy { policy.greedy() } else { policy }))
}

/// Without the code to run one, a trained policy is refused by name.
///
/// # Errors
/// Always.
#[cfg(not(feature = "learn"))]
pub fn load_checkpoint(
    path: &Path,
    _practice: &Practice,
    _threads: usize,
    _greedy: bool,
) -> Result<Box<dyn Policy>, EvaluationError> {
    let name = path.display().to_string();
    Err(if path.exists() { EvaluationError::NoLearning(name) } else { EvaluationError::UnknownPolicy(name) })
}
