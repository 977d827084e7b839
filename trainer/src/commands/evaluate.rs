//! `workup eval`: one policy, or two on the same scenarios.

use std::path::Path;

use anyhow::{Result, bail};
use serde::Serialize;
use workup_trainer::{
    evaluation::{
        ClinicianKind, ClinicianPolicy, Difference, EvaluationError, EvaluationReport, Policy, Practice,
        difference_table, evaluate, load_checkpoint, paired_difference, report_table,
    },
    progress::{Progress, Terminal},
    setting::hex,
};

use super::{knowledge, print_json, threads};
use crate::{Verdict, args::EvalOptions, output::print_line};

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Output {
    #[serde(flatten)]
    report: EvaluationReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    compared_with: Option<EvaluationReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Difference>,
}

pub(crate) fn run(options: &EvalOptions) -> Result<Verdict> {
    let base = knowledge(&options.setting.knowledge)?;
    let setting = options.setting.setting();
    let threads = threads(options.setting.threads);
    let practice = Practice::new(base.clone(), setting.payer);
    let policy = |name: &str| policy(name, &practice, &setting.scenario(0), threads, options.greedy);
    let first = policy(&options.policy)?;
    let second = options.compare_with.as_deref().map(policy).transpose()?;

    let progress = Terminal::default();
    for policy in core::iter::once(&first).chain(&second) {
        warn_of_another_clinic(policy.as_ref(), base.digest, &progress);
    }
    let (report, outcomes) = evaluate(first.as_ref(), &setting, &base, threads, &progress)?;
    let (mut compared_with, mut difference) = (None, None);
    if let Some(second) = second {
        let (other, others) = evaluate(second.as_ref(), &setting, &base, threads, &progress)?;
        difference = Some(paired_difference(&outcomes, &others, second.name(), threads));
        compared_with = Some(other);
    }

    if options.json {
        print_json(&Output { report, compared_with, difference })?;
        return Ok(Verdict::Fine);
    }
    print_line(&report_table(&report));
    if let (Some(other), Some(difference)) = (&compared_with, &difference) {
        print_line(&format!("\n{}", report_table(other)));
        print_line(&format!("\n{}", difference_table(&report.policy, difference)));
    }
    Ok(Verdict::Fine)
}

/// A policy may be evaluated away from home, but nobody should do so without noticing.
fn warn_of_another_clinic(policy: &dyn Policy, digest: u64, progress: &Terminal) {
    let here = hex(digest);
    if let Some(home) = policy.trained_on().filter(|home| *home != here) {
        progress.note(&format!(
            "`{}` was trained in knowledge base {home} and plays in {here}: names it learned may be unknown here",
            policy.name()
        ));
    }
}

/// A clinician by name, else a checkpoint by path.
fn policy(
    name: &str,
    practice: &Practice,
    scenario: &workup_core::scenario::Scenario,
    threads: usize,
    greedy: bool,
) -> Result<Box<dyn Policy>> {
    if let Some(kind) = ClinicianKind::from_name(name) {
        return Ok(Box::new(ClinicianPolicy::new(kind, practice.clone(), scenario, threads)));
    }
    if !Path::new(name).exists() {
        bail!(EvaluationError::UnknownPolicy(name.to_owned()));
    }
    Ok(load_checkpoint(Path::new(name), practice, threads, greedy)?)
}
