//! `workup metrics diff`: do two runs tell the same story?

use anyhow::Result;
use serde::Serialize;
use workup_trainer::metrics::{MetricDifference, compare};

use super::print_json;
use crate::{
    Verdict,
    args::{DiffOptions, MetricsCommand},
    output::print_line,
};

/// Differences shown to people; JSON has all.
const SHOWN: usize = 20;

#[derive(Debug, Serialize)]
struct Output {
    identical: bool,
    differences: Vec<MetricDifference>,
}

pub(crate) fn run(command: &MetricsCommand) -> Result<Verdict> {
    let MetricsCommand::Diff(options) = command;
    diff(options)
}

fn diff(options: &DiffOptions) -> Result<Verdict> {
    let differences = compare(&options.first, &options.second)?;
    let identical = differences.is_empty();
    if options.json {
        print_json(&Output { identical, differences })?;
    } else if identical {
        print_line("identical but for timings");
    } else {
        for difference in differences.iter().take(SHOWN) {
            let MetricDifference { line, key, first, second } = difference;
            let [first, second] =
                [first, second].map(|value| value.as_ref().map_or_else(|| "missing".to_owned(), ToString::to_string));
            print_line(&format!("line {line} {key}: {first} != {second}"));
        }
        print_line(&format!("{} differences", differences.len()));
    }
    Ok(if identical { Verdict::Fine } else { Verdict::CheckFailed })
}
