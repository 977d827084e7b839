//! `workup conversations | tokenizer | sft | dapo | train | export`: the stages of training, alone or all together.

use std::{path::PathBuf, sync::Arc};

use anyhow::{Context, Result, bail};
use burn::prelude::Device;
use clap::{Args, Subcommand};
use workup_trainer::{
    device::pick_device,
    learning::{
        LearningError, StageName,
        conversation::read_conversations,
        export::{export_policy, load_policy},
        pipeline::Pipeline,
        report::{TrainingReport, report_training, write_report},
        vocabulary::train_vocabulary,
    },
    progress::Terminal,
    setting::{Setting, parse_seed},
};

use super::{clinic, print_json, threads};
use crate::{
    Verdict,
    args::{PresetName, StageOption},
    output::print_line,
};

#[derive(Debug, Subcommand)]
pub(crate) enum LearningCommand {
    /// Write the expert's conversations as JSONL: OpenAI-style messages, one conversation per line.
    #[command(
        after_help = "Example:\n  workup conversations --count 1000 --seed 1 --split train --out conversations.jsonl"
    )]
    Conversations(ConversationOptions),
    /// Train a byte-level BPE vocabulary on conversations.
    #[command(after_help = "Example:\n  workup tokenizer conversations.jsonl --vocab-size 1024 --out tokenizer.json")]
    Tokenizer(TokenizerOptions),
    /// Supervised fine-tuning of a fresh decoder on the expert's conversations.
    #[command(after_help = "Example:\n  workup sft --preset quick --seed 1 --out runs/1 --resume")]
    Sft(StageOptions),
    /// DAPO: reinforcement learning in the clinic, after supervised fine-tuning (done first where it is missing).
    #[command(after_help = "Example:\n  workup dapo --preset tiny --steps 3 --seed 1 --out runs/tiny --resume")]
    Dapo(DapoOptions),
    /// The whole pipeline: conversations, tokenizer, supervised fine-tuning, DAPO, control, evaluation, export.
    #[command(after_help = "Example:\n  workup train --preset quick --out runs/quick\n\n\
        Killed or stopped, the same command goes on where it was.")]
    Train(TrainOptions),
    /// Export the policy of a finished stage: f16 safetensors, tokenizer, config.
    #[command(
        after_help = "Example:\n  workup export runs/quick --stage dapo --out policy\n  workup eval --policy policy"
    )]
    Export(ExportOptions),
}

#[derive(Debug, Args)]
pub(crate) struct ConversationOptions {
    /// Number of conversations.
    #[arg(long, default_value_t = 1_000, value_name = "N")]
    count: u64,
    /// Where they are written.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    scenarios: ScenarioOptions,
}

/// Which scenarios conversations are written about.
#[derive(Debug, Args)]
pub(crate) struct ScenarioOptions {
    /// Master seed: a decimal number or 16 hexadecimal digits.
    #[arg(long, default_value = "1", value_parser = parse_seed)]
    seed: u64,
    /// Which scenarios of the master seed.
    #[arg(long, value_enum, default_value = "train")]
    split: crate::args::SplitName,
    /// Probability that an answer of the patient is noisy.
    #[arg(long, default_value_t = 0.3, value_parser = crate::parse::parse_share, value_name = "0..1")]
    patient_noise: f64,
    /// The same for exam reports.
    #[arg(long, default_value_t = 0.1, value_parser = crate::parse::parse_share, value_name = "0..1")]
    exam_noise: f64,
    /// Knowledge base: `core24`, a `.kb.json` file or a folder.
    #[arg(long, default_value = "core24", value_name = "KB")]
    knowledge: String,
    /// Threads; 0 is one per core.
    #[arg(long, default_value_t = 0, value_parser = crate::parse::parse_threads, value_name = "N")]
    threads: usize,
}

#[derive(Debug, Args)]
pub(crate) struct TokenizerOptions {
    /// Conversations as JSONL.
    conversations: PathBuf,
    /// Token ids, special tokens and all bytes included.
    #[arg(long, default_value_t = 1_024, value_parser = crate::parse::parse_vocab_size, value_name = "N")]
    vocab_size: usize,
    /// Where `tokenizer.json` is written.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// A stage of training by preset.
#[derive(Debug, Args)]
pub(crate) struct StageOptions {
    /// Sizes and rates.
    #[arg(long, value_enum, default_value_t)]
    preset: PresetName,
    /// Folder of the run.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Seed of scenarios, weights, order and sampling.
    #[arg(long, default_value = "1", value_parser = parse_seed)]
    seed: u64,
    /// Steps instead of the preset's.
    #[arg(long, value_parser = crate::parse::parse_steps, value_name = "N")]
    steps: Option<u64>,
    /// Go on where a run with the same settings stopped; starts a new one where there is none.
    #[arg(long)]
    resume: bool,
    /// Knowledge base: `core24`, a `.kb.json` file or a folder.
    #[arg(long, default_value = "core24", value_name = "KB")]
    knowledge: String,
    /// Where tensors live: flex, or what was compiled in.
    #[arg(long, default_value = "flex")]
    device: String,
    /// Pieces of work at the same time (conversations, micro-batches, batches of episodes), each with its memory; 0 is one per
    /// core. Changes no result.
    #[arg(long, default_value_t = 0, value_parser = crate::parse::parse_threads, value_name = "N")]
    threads: usize,
}

#[derive(Debug, Args)]
pub(crate) struct DapoOptions {
    #[command(flatten)]
    stage: StageOptions,
    /// Finished run of `workup sft` or `workup train` to start from, which is only read; by default `start/` below --out, trained
    /// first where it is missing.
    #[arg(long, value_name = "DIR")]
    start: Option<PathBuf>,
    /// Peak learning rate instead of the preset's.
    #[arg(long, value_parser = crate::parse::parse_rate, value_name = "RATE")]
    rate: Option<f64>,
}

#[derive(Debug, Args)]
pub(crate) struct TrainOptions {
    #[command(flatten)]
    stage: StageOptions,
    /// Test scenarios instead of the preset's.
    #[arg(long, value_parser = crate::parse::parse_cases, value_name = "N")]
    cases: Option<u64>,
    /// Steps of DAPO instead of the preset's (`--steps` is for supervised fine-tuning).
    #[arg(long, value_parser = crate::parse::parse_steps, value_name = "N")]
    dapo_steps: Option<u64>,
    /// Peak learning rate of supervised fine-tuning instead of the preset's.
    #[arg(long, value_parser = crate::parse::parse_rate, value_name = "RATE")]
    sft_rate: Option<f64>,
    /// Peak learning rate of DAPO instead of the preset's.
    #[arg(long, value_parser = crate::parse::parse_rate, value_name = "RATE")]
    dapo_rate: Option<f64>,
    /// Report on these scenarios; choose settings on `validation` only.
    #[arg(long, value_enum, default_value = "test")]
    split: crate::args::SplitName,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportOptions {
    /// Folder of a run of `workup train`, `sft` or `dapo`.
    run: PathBuf,
    /// Which policy.
    #[arg(long, value_enum, default_value_t)]
    stage: StageOption,
    /// Where it is written.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Where tensors live.
    #[arg(long, default_value = "flex")]
    device: String,
}

/// Performs a command.
pub(crate) fn run(command: &LearningCommand) -> Result<Verdict> {
    match command {
        LearningCommand::Conversations(options) => conversations(options),
        LearningCommand::Tokenizer(options) => tokenizer(options),
        LearningCommand::Sft(options) => sft(options),
        LearningCommand::Dapo(options) => dapo(options),
        LearningCommand::Train(options) => train(options),
        LearningCommand::Export(options) => export(options),
    }
}

fn conversations(options: &ConversationOptions) -> Result<Verdict> {
    use workup_trainer::learning::conversation::{Practice, write_conversations};
    let scenarios = &options.scenarios;
    let setting = Setting {
        cases: options.count,
        seed: scenarios.seed,
        split: scenarios.split.into(),
        patient_noise: scenarios.patient_noise,
        exam_noise: scenarios.exam_noise,
        ..Setting::default()
    };
    setting.scenario(0).check()?;
    let practice = Practice::new(clinic(&scenarios.knowledge)?, &setting)?;
    let threads = threads(scenarios.threads);
    let written = write_conversations(&practice, &setting, &options.out, threads, &Terminal::default())?;
    print_line(&format!(
        "{} conversations in `{}`: accuracy of the expert {:.3}, reward {:.3}, {} messages misheard",
        written.conversations,
        options.out.display(),
        written.score,
        written.reward,
        written.misheard
    ));
    Ok(Verdict::Fine)
}

fn tokenizer(options: &TokenizerOptions) -> Result<Verdict> {
    let conversations = read_conversations(&options.conversations)?;
    let json = train_vocabulary(conversations.iter().map(Vec::as_slice), options.vocab_size)?;
    workup_trainer::atomic_file::write_atomically(&options.out, json.as_bytes())
        .with_context(|| format!("could not write `{}`", options.out.display()))?;
    print_line(&format!("tokenizer of {} conversations in `{}`", conversations.len(), options.out.display()));
    Ok(Verdict::Fine)
}

fn sft(options: &StageOptions) -> Result<Verdict> {
    let progress = Terminal::default();
    let pipeline = Pipeline { sft_steps: options.steps, ..pipeline(options, &progress)? };
    let prepared = pipeline.prepare()?;
    let (learner, state) = pipeline.sft(&prepared, &StageName::Sft.folder(&options.out))?;
    pipeline.export(&options.out, &prepared.vocabulary, &learner, StageName::Sft)?;
    print_line(&format!("sft: {} updates, {} tokens, in `{}`", state.step, state.num_tokens, options.out.display()));
    Ok(Verdict::Fine)
}

/// Everything before DAPO stands in the run named by `--start`, by default `start/`, so that the folder itself holds
/// `metrics.jsonl` and `checkpoint/` of DAPO.
fn dapo(options: &DapoOptions) -> Result<Verdict> {
    let DapoOptions { stage: options, start, rate } = options;
    let progress = Terminal::default();
    let before = pipeline(options, &progress)?;
    let out = start.clone().unwrap_or_else(|| options.out.join("start"));
    if std::fs::canonicalize(&out).is_ok_and(|out| std::fs::canonicalize(&options.out).is_ok_and(|other| other == out))
    {
        bail!("`{}` is both --start and --out: give DAPO a folder of its own", options.out.display());
    }
    let before = Pipeline { out, resume: true, ..before };
    let sft_folder = StageName::Sft.folder(&before.out);
    let vocabulary = if start.is_some() {
        before.vocabulary_of_finished()?
    } else {
        let prepared = before.prepare()?;
        before.sft(&prepared, &sft_folder)?;
        prepared.vocabulary
    };
    let pipeline = Pipeline { resume: options.resume, dapo_steps: options.steps, dapo_rate: *rate, ..before };
    let (learner, state) = pipeline.dapo(&vocabulary, &sft_folder, &options.out)?;
    pipeline.export(&options.out, &vocabulary, &learner, StageName::Dapo)?;
    print_line(&format!(
        "dapo: {} steps, {} updates, {} tokens trained on, {} sampled, in `{}`",
        state.step,
        state.num_updates,
        state.num_tokens,
        state.num_sampled_tokens,
        options.out.display()
    ));
    Ok(Verdict::Fine)
}

fn train(options: &TrainOptions) -> Result<Verdict> {
    let progress = Terminal::default();
    // The pipeline always goes on where it was: every stage checks that its settings are the same.
    let pipeline = Pipeline {
        resume: true,
        sft_steps: options.stage.steps,
        dapo_steps: options.dapo_steps,
        sft_rate: options.sft_rate,
        dapo_rate: options.dapo_rate,
        ..pipeline(&options.stage, &progress)?
    };
    let cases = options.cases.unwrap_or(pipeline.preset.test_cases());
    let evaluation = Setting { cases, seed: options.stage.seed, split: options.split.into(), ..Setting::default() };
    let report: TrainingReport = report_training(&pipeline, &evaluation)?;
    if options.json {
        print_json(&report)?;
    } else {
        print_line(&report.table());
    }
    write_report(&report, &pipeline.out)?;
    Ok(Verdict::Fine)
}

fn export(options: &ExportOptions) -> Result<Verdict> {
    let device = device(&options.device)?;
    let stage = StageName::from(options.stage);
    let source = stage.policy_folder(&options.run);
    match std::fs::read_dir(&options.out).map(|mut entries| entries.next().is_some()) {
        Ok(true) => return Err(LearningError::NotEmpty(options.out.clone()).into()),
        Ok(false) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("`{}` cannot be used", options.out.display())),
    }
    if !source.is_dir() {
        bail!("`{}` holds no finished stage `{stage}`", options.run.display());
    }
    let exported = load_policy(&source, &device)?;
    let path = source.join(workup_trainer::learning::export::TOKENIZER);
    let tokenizer = std::fs::read_to_string(&path).with_context(|| format!("could not read `{}`", path.display()))?;
    export_policy(&options.out, &exported.decoder, &tokenizer, &exported.config)?;
    print_line(&format!("policy `{stage}` in `{}`", options.out.display()));
    Ok(Verdict::Fine)
}

fn device(name: &str) -> Result<Device> {
    Ok(pick_device(name)?)
}

fn pipeline<'a>(options: &StageOptions, progress: &'a Terminal) -> Result<Pipeline<'a>> {
    Ok(Pipeline {
        out: options.out.clone(),
        preset: options.preset.into(),
        seed: options.seed,
        setting: Setting::default(),
        clinic: Arc::clone(&clinic(&options.knowledge)?),
        device: device(&options.device)?.autodiff(),
        threads: threads(options.threads),
        resume: options.resume,
        sft_steps: None,
        dapo_steps: None,
        sft_rate: None,
        dapo_rate: None,
        progress,
    })
}
