//! The whole pipeline and what came of it: expert, supervised fine-tuning, control, DAPO and the clinicians on the same scenarios.

use std::{fmt::Write, path::Path, time::Instant};

use serde::Serialize;

use super::{
    LearningError, StageName,
    checkpoint::Checkpoint,
    evaluate::{TrainedPolicy, sampling},
    pipeline::{CONVERSATIONS, Pipeline},
};
use crate::{
    atomic_file::write_atomically,
    evaluation::{
        ClinicianKind, ClinicianPolicy, Difference, EvaluationReport, Outcome, Practice, evaluate, paired_difference,
        row, row_header,
        statistics::{Estimate, bootstrap},
        table::word,
    },
    setting::Setting,
};

/// What `workup train --json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct TrainingReport {
    /// Preset and seed.
    pub preset: &'static str,
    /// Seed of the run.
    pub seed: u64,
    /// How trained policies chose tokens.
    pub sampling: &'static str,
    /// Supervised fine-tuning.
    pub sft: EvaluationReport,
    /// DAPO.
    pub dapo: EvaluationReport,
    /// Supervised fine-tuning continued for DAPO's token budget.
    pub control: EvaluationReport,
    /// The same policies choosing tokens the other way.
    pub other_sampling: OtherSampling,
    /// The expert and the other clinicians.
    pub clinicians: Vec<EvaluationReport>,
    /// Clinic reward, DAPO minus supervised fine-tuning, paired.
    pub difference: Estimate,
    /// All paired differences of DAPO from supervised fine-tuning.
    pub dapo_minus_sft: Difference,
    /// All paired differences of DAPO from the control.
    pub dapo_minus_control: Difference,
    /// Accuracy of supervised fine-tuning as a share of its expert's.
    pub sft_accuracy_of_expert: Option<Estimate>,
    /// Accuracy of the expert as a share of that of `ideal`.
    pub expert_accuracy_of_ideal: Option<Estimate>,
    /// Dollars of the expert as a multiple of those of `ideal`.
    pub expert_dollars_of_ideal: Option<Estimate>,
    /// Tokens trained on by DAPO, which the control got too.
    pub token_budget: u64,
    /// Tokens that DAPO sampled on the way; the control has no counterpart.
    pub sampled_tokens: u64,
    /// What the intervals are about.
    pub intervals: &'static str,
    /// Seconds of wall clock of this invocation, training and evaluation.
    pub seconds: f64,
    /// Seconds by stage; what was already there counts as nothing.
    pub seconds_by_stage: Vec<(String, f64)>,
    /// Stages that an earlier invocation had begun: `seconds` is then not the whole.
    pub resumed: Vec<&'static str>,
}

/// The three trained policies under the way of choosing tokens that is not the headline.
#[derive(Clone, Debug, Serialize)]
pub struct OtherSampling {
    /// How tokens were chosen.
    pub sampling: &'static str,
    /// Supervised fine-tuning.
    pub sft: EvaluationReport,
    /// DAPO.
    pub dapo: EvaluationReport,
    /// Supervised fine-tuning continued.
    pub control: EvaluationReport,
    /// DAPO from supervised fine-tuning.
    pub dapo_minus_sft: Difference,
    /// DAPO from the control.
    pub dapo_minus_control: Difference,
}

/// Whether the headline takes the most likely token always, or samples at temperature 1: the policy itself, as DAPO trains it. The
/// other way stands beside it.
const HEADLINE_GREEDY: bool = false;

/// Said beside every interval of a training run.
const INTERVALS: &str =
    "95 % over test scenarios, differences paired by scenario; one training seed, whose spread is not in them";

impl TrainingReport {
    /// One table: expert, supervised fine-tuning, control, DAPO, clinicians.
    pub fn table(&self) -> String {
        let mut text = format!("{}\n", row_header());
        let (experts, others): (Vec<_>, Vec<_>) =
            self.clinicians.iter().partition(|report| report.policy == ClinicianKind::Expert.name());
        let trained = [&self.sft, &self.control, &self.dapo].into_iter().chain([
            &self.other_sampling.sft,
            &self.other_sampling.control,
            &self.other_sampling.dapo,
        ]);
        for report in experts.into_iter().chain(trained).chain(others) {
            text.push_str(&row(report));
            text.push('\n');
        }
        let difference = |name: &str, estimate: &Estimate| {
            format!("{name} {:+.4} [{:+.4}, {:+.4}]", estimate.mean, estimate.low, estimate.high)
        };
        let other = &self.other_sampling;
        let other_way = sampling(!HEADLINE_GREEDY);
        for (name, other) in [
            ("SFT".to_owned(), &self.dapo_minus_sft),
            ("control".to_owned(), &self.dapo_minus_control),
            (format!("SFT, {other_way}"), &other.dapo_minus_sft),
            (format!("control, {other_way}"), &other.dapo_minus_control),
        ] {
            let _ = writeln!(
                text,
                "DAPO minus {name}: {}, {}, {}",
                difference("reward", &other.reward),
                difference("accuracy", &other.accuracy),
                difference("dollars", &other.dollars),
            );
        }
        let _ = writeln!(
            text,
            "{} cases of {}, noise keyed {}/{}, clinic reward; trained policies: {}; {:.0} s",
            self.dapo.setting.cases,
            word(self.dapo.setting.split),
            self.dapo.setting.patient_noise,
            self.dapo.setting.exam_noise,
            self.sampling,
            self.seconds,
        );
        if !self.resumed.is_empty() {
            let _ = writeln!(text, "resumed, so the seconds are not the whole: {}", self.resumed.join(", "));
        }
        let _ = write!(text, "intervals: {}\n{}", self.intervals, workup_core::SAFETY);
        text
    }
}

/// Writes a report as `report.json` into the folder of its run.
///
/// # Errors
/// When it cannot be written.
pub fn write_report(report: &TrainingReport, run: &Path) -> Result<(), LearningError> {
    let path = run.join("report.json");
    let json = serde_json::to_vec_pretty(report).map_err(|error| LearningError::damaged(&path, error.to_string()))?;
    write_atomically(&path, &json).map_err(LearningError::io(&path))
}

/// A stopwatch over stages.
struct Stopwatch {
    begun: Instant,
    lap: Instant,
    laps: Vec<(String, f64)>,
}

impl Stopwatch {
    fn start() -> Self {
        Self { begun: Instant::now(), lap: Instant::now(), laps: Vec::new() }
    }

    fn lap(&mut self, stage: &str) {
        self.laps.push((stage.to_owned(), self.lap.elapsed().as_secs_f64()));
        self.lap = Instant::now();
    }
}

/// Runs all stages and evaluates what came of them.
///
/// # Errors
/// When a stage fails.
pub fn report_training(pipeline: &Pipeline<'_>, setting: &Setting) -> Result<TrainingReport, LearningError> {
    let mut watch = Stopwatch::start();
    let out = &pipeline.out;
    let is_begun = |stage: &StageName| Checkpoint::look(&stage.folder(out)).exists();
    let mut resumed: Vec<_> = StageName::ALL.into_iter().filter(is_begun).map(StageName::name).collect();
    if out.join(CONVERSATIONS).is_file() {
        resumed.insert(0, "conversations");
    }
    let prepared = pipeline.prepare()?;
    watch.lap("conversations");
    let vocabulary = &prepared.vocabulary;
    let sft_folder = StageName::Sft.folder(out);
    let (sft, _) = pipeline.sft(&prepared, &sft_folder)?;
    pipeline.export(out, vocabulary, &sft, StageName::Sft)?;
    watch.lap("sft");
    let (dapo, state) = pipeline.dapo(vocabulary, &sft_folder, &StageName::Dapo.folder(out))?;
    pipeline.export(out, vocabulary, &dapo, StageName::Dapo)?;
    watch.lap("dapo");
    let token_budget = state.num_tokens;
    let (control, _) = pipeline.control(&prepared, &sft_folder, &StageName::Control.folder(out), token_budget)?;
    pipeline.export(out, vocabulary, &control, StageName::Control)?;
    watch.lap("control");

    let [sft, dapo, control] = all_trained(pipeline, setting, HEADLINE_GREEDY)?;
    let other = all_trained(pipeline, setting, !HEADLINE_GREEDY)?;
    watch.lap("evaluation");
    let clinicians = clinicians(pipeline, setting)?;
    watch.lap("clinicians");

    let threads = pipeline.threads;
    let of =
        |kind: ClinicianKind| &clinicians[ClinicianKind::ALL.iter().position(|&other| other == kind).unwrap_or(0)].1;
    let (expert, ideal) = (of(ClinicianKind::Expert), of(ClinicianKind::Ideal));
    let accuracy = |outcome: &Outcome| f64::from(u8::from(outcome.is_correct()));
    let dollars = |outcome: &Outcome| outcome.reward.tally.dollars();
    let dapo_minus_sft = paired_difference(&dapo.1, &sft.1, StageName::Sft.name(), threads);
    let report = TrainingReport {
        preset: pipeline.preset.name(),
        seed: pipeline.seed,
        sampling: sampling(HEADLINE_GREEDY),
        other_sampling: other_sampling(other, threads),
        difference: dapo_minus_sft.reward,
        dapo_minus_sft,
        dapo_minus_control: paired_difference(&dapo.1, &control.1, StageName::Control.name(), threads),
        sft_accuracy_of_expert: ratio(&sft.1, expert, accuracy, threads),
        expert_accuracy_of_ideal: ratio(expert, ideal, accuracy, threads),
        expert_dollars_of_ideal: ratio(expert, ideal, dollars, threads),
        token_budget,
        sampled_tokens: state.num_sampled_tokens,
        intervals: INTERVALS,
        resumed,
        sft: sft.0,
        dapo: dapo.0,
        control: control.0,
        clinicians: clinicians.into_iter().map(|(report, _)| report).collect(),
        seconds: watch.begun.elapsed().as_secs_f64(),
        seconds_by_stage: watch.laps,
    };
    Ok(report)
}

type Evaluated = (EvaluationReport, Vec<Outcome>);

/// In the order of [`StageName::ALL`].
fn all_trained(pipeline: &Pipeline<'_>, setting: &Setting, greedy: bool) -> Result<[Evaluated; 3], LearningError> {
    let play = |stage| trained(pipeline, setting, stage, greedy);
    Ok([play(StageName::Sft)?, play(StageName::Dapo)?, play(StageName::Control)?])
}

fn other_sampling([sft, dapo, control]: [Evaluated; 3], threads: usize) -> OtherSampling {
    OtherSampling {
        sampling: sampling(!HEADLINE_GREEDY),
        dapo_minus_sft: paired_difference(&dapo.1, &sft.1, StageName::Sft.name(), threads),
        dapo_minus_control: paired_difference(&dapo.1, &control.1, StageName::Control.name(), threads),
        sft: sft.0,
        dapo: dapo.0,
        control: control.0,
    }
}

/// Evaluates what was exported: the f16 weights, as others will run them.
fn trained(
    pipeline: &Pipeline<'_>,
    setting: &Setting,
    stage: StageName,
    greedy: bool,
) -> Result<Evaluated, LearningError> {
    let device = pipeline.device.clone().without_autodiff();
    let folder = stage.policy_folder(&pipeline.out);
    let policy = TrainedPolicy::load(&folder, pipeline.clinic.clone(), &device, pipeline.threads)?;
    let other = if greedy == HEADLINE_GREEDY {
        ""
    } else if greedy {
        " (greedy)"
    } else {
        " (sampled)"
    };
    let policy = policy.named(&format!("{stage}{other}"));
    let policy = if greedy { policy.greedy() } else { policy };
    Ok(evaluate(&policy, setting, pipeline.clinic.base(), pipeline.threads, pipeline.progress)?)
}

/// All clinicians, in the order of [`ClinicianKind::ALL`].
fn clinicians(
    pipeline: &Pipeline<'_>,
    setting: &Setting,
) -> Result<Vec<(EvaluationReport, Vec<Outcome>)>, LearningError> {
    let practice = Practice::new(pipeline.clinic.base().clone(), setting.payer);
    let play = |kind| {
        let policy = ClinicianPolicy::new(kind, practice.clone(), &setting.scenario(0), pipeline.threads);
        Ok(evaluate(&policy, setting, pipeline.clinic.base(), pipeline.threads, pipeline.progress)?)
    };
    ClinicianKind::ALL.into_iter().map(play).collect()
}

/// Mean of a quantity in `first` as a multiple of that in `second`, on the same scenarios; `None` where that is 0.
fn ratio(
    first: &[Outcome],
    second: &[Outcome],
    quantity: impl Fn(&Outcome) -> f64,
    threads: usize,
) -> Option<Estimate> {
    let pairs: Vec<(f64, f64)> = first.iter().zip(second).map(|(a, b)| (quantity(a), quantity(b))).collect();
    bootstrap(pairs.len(), threads, |counts| {
        let (mut above, mut below) = (0.0, 0.0);
        for ((a, b), &count) in pairs.iter().zip(counts) {
            above += a * f64::from(count);
            below += b * f64::from(count);
        }
        vec![above / below]
    })
    .first()
    .copied()
    .filter(|estimate| [estimate.mean, estimate.low, estimate.high].iter().all(|number| number.is_finite()))
}
