//! Reports for people: fixed columns, one policy a line.

use std::fmt::Write;

use super::{Difference, EvaluationReport, statistics::Estimate};

/// The heading of [`row`].
pub fn row_header() -> String {
    format!(
        "{:<16} {:>22} {:>8} {:>24} {:>9} {:>6} {:>6} {:>10}",
        "policy", "accuracy", "macro", "reward", "dollars", "exams", "turns", "understood"
    )
}

/// One line of a table of policies. Ceilings pay nothing, so their reward is left out.
pub fn row(report: &EvaluationReport) -> String {
    let paid = |text: String| if report.is_ceiling { String::from("-") } else { text };
    let understood = report.questions_understood.map_or_else(|| "-".to_owned(), |share| format!("{:.3}", share.mean));
    format!(
        "{:<16} {:>22} {:>8.3} {:>24} {:>9} {:>6} {:>6} {:>10}",
        report.policy,
        with_interval(report.accuracy),
        report.macro_accuracy.mean,
        paid(with_interval(report.reward)),
        paid(format!("{:.2}", report.dollars.mean)),
        paid(format!("{:.2}", report.exams.mean)),
        paid(format!("{:.2}", report.turns.mean)),
        understood,
    )
}

/// A whole report: settings, the line of the policy, the parts of the reward, every disease.
pub fn report_table(report: &EvaluationReport) -> String {
    let mut text = format!("{}\n{}\n{}\n", setting_line(report), row_header(), row(report));
    if !report.is_ceiling {
        let parts = &report.reward_parts;
        let _ = writeln!(
            text,
            "\nreward {:.4} = diagnosis {:.4} + tool match {:.4} - exams {:.4} - turns {:.4} - penalties {:.4}",
            report.reward.mean,
            parts.diagnosis.mean,
            parts.tool_match.mean,
            parts.exam_cost.mean,
            parts.turn_cost.mean,
            parts.penalty.mean
        );
    }
    if let Some(chosen) = report.thresholds {
        let origin = if chosen.frozen { "frozen for this setting" } else { "not tuned for this setting" };
        let (confidence, ratio) = (chosen.thresholds.confidence, chosen.thresholds.ratio);
        let _ = writeln!(text, "stops at probability {confidence} or below {ratio} bits per unit of reward ({origin})");
    }
    text.push_str("\ndisease                        cases               accuracy\n");
    for (disease, entry) in &report.per_disease {
        let _ = writeln!(text, "{disease:<30} {:>5} {:>22}", entry.cases, with_interval(entry.accuracy));
    }
    text.push_str("Simulator for research and teaching. Not medical advice.");
    text
}

/// A variant's name as flags spell it.
pub(crate) fn word(variant: impl std::fmt::Debug) -> String {
    format!("{variant:?}").to_lowercase()
}

/// The setting in one line.
fn setting_line(report: &EvaluationReport) -> String {
    let setting = &report.setting;
    format!(
        "{} cases of {}, seed {}, noise {} {}/{}, reward {}, payer {}, prevalence {}, turns {}/{}, knowledge {} {:016x}",
        setting.cases,
        word(setting.split),
        setting.seed,
        word(setting.noise_plan),
        setting.patient_noise,
        setting.exam_noise,
        setting.reward_mode.name(),
        setting.payer.name(),
        word(setting.prevalence),
        setting.max_doctor_turns,
        setting.max_patient_turns,
        report.knowledge,
        report.knowledge_digest,
    )
}

/// A paired difference for people.
pub fn difference_table(policy: &str, difference: &Difference) -> String {
    let mut text = format!("{policy} minus {} on the same cases:", difference.compared_with);
    for (name, estimate) in [
        ("accuracy", difference.accuracy),
        ("reward", difference.reward),
        ("dollars", difference.dollars),
        ("exams", difference.exams),
        ("turns", difference.turns),
    ] {
        let _ = write!(text, "\n  {name:<9} {:>+9.4}  [{:+.4}, {:+.4}]", estimate.mean, estimate.low, estimate.high);
    }
    if let Some(ratio) = difference.dollars_ratio {
        let _ = write!(text, "\n  dollars as a ratio {:.3}  [{:.3}, {:.3}]", ratio.mean, ratio.low, ratio.high);
    }
    text
}

fn with_interval(estimate: Estimate) -> String {
    format!("{:.3} [{:.3}, {:.3}]", estimate.mean, estimate.low, estimate.high)
}
