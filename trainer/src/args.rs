//! The command line: clap types with a line per flag, and nothing else.
#![allow(clippy::doc_markdown, reason = "doc lines are the help text")]

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use workup_core::{
    case::Prevalence,
    noise::NoisePlan,
    random::Split,
    reward::{Payer, RewardMode},
};
#[cfg(feature = "learn")]
use workup_trainer::learning::{StageName, preset::Preset};
use workup_trainer::setting::{Setting, parse_seed};

use crate::parse::{parse_cases, parse_noise, parse_share, parse_threads};

/// Workup, a clinic in a box: play it, train an agent in it, check that it is what it claims to be.
#[derive(Debug, Parser)]
#[command(
    name = "workup",
    version,
    after_help = "Start here:\n  \
        workup play                             be the doctor of a new patient\n  \
        workup eval --policy checklist          how good is a fixed list of questions and tests?\n  \
        workup eval --policy ideal --json       the same for greedy Bayes, for scripts\n\n\
        Results go to stdout, progress and errors to stderr. Exit status: 0 fine, 1 a check failed, 2 could not run.\n\
        Simulator for research and teaching. Not medical advice."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Be the doctor of a new patient, in the terminal.
    #[command(after_help = "Examples:\n  workup play --seed 7\n  workup play --cases cases.jsonl --case 3\n\n\
        While playing: plain words ask the patient; :find ct lists exams with prices; :order ct region=chest orders;\n\
        :dx migraine ends with a diagnosis; :help shows the rest.")]
    Play(PlayOptions),
    /// Play an episode again from its code, turn by turn.
    #[command(
        after_help = "Example:\n  workup replay AQEA...  (the code stands at the end of `workup play` and in links)"
    )]
    Replay(ReplayOptions),
    /// Evaluate a policy on many scenarios: means with 95 % intervals.
    #[command(after_help = "Examples:\n  workup eval --policy checklist\n  \
        workup eval --policy ideal --compare-with ideal_naive --cases 4000 --seed 7\n  \
        workup eval --policy ideal --patient-noise 0 --exam-noise 0 --json")]
    Eval(EvalOptions),
    /// Choose when greedy Bayes stops, on validation scenarios, and freeze it.
    #[command(after_help = "Example:\n  workup tune --out core/data/clinicians.json")]
    Tune(TuneOptions),
    /// Generate, import and list cases.
    #[command(subcommand)]
    Cases(CasesCommand),
    /// Look into a knowledge base: what it holds, whether it keeps the rules.
    #[command(subcommand)]
    Kb(KbCommand),
    /// Show what doctors' sentences are understood as.
    #[command(after_help = "Example:\n  workup understand questions.txt --json  (one utterance per line)")]
    Understand(UnderstandOptions),
    /// Compare our functions with published vectors.
    #[command(after_help = "Example:\n  workup score --vectors reward_vectors.json --json")]
    Score(ScoreOptions),
    /// Digest whole episodes: two builds that print the same are the same clinic.
    #[command(after_help = "Example:\n  workup digest --scenarios 2000 --seed 1  (the last line is the digest)")]
    Digest(DigestOptions),
    /// Compare files of metrics.
    #[command(subcommand)]
    Metrics(MetricsCommand),
    /// Measure speed.
    #[command(subcommand)]
    Bench(BenchCommand),
    #[cfg(feature = "learn")]
    #[command(flatten)]
    Learning(crate::commands::learning::LearningCommand),
    /// Serve the built page on loopback.
    #[command(after_help = "Example:\n  workup serve --port 8321  (build the page before: cargo xtask web)")]
    Serve(ServeOptions),
}

/// Which scenarios, under which noise, prices and caps.
#[derive(Clone, Debug, Args)]
pub(crate) struct SettingOptions {
    /// Number of scenarios.
    #[arg(long, default_value_t = 1_000, value_parser = parse_cases, value_name = "N")]
    pub(crate) cases: u64,
    /// Master seed: a decimal number or 16 hexadecimal digits.
    #[arg(long, default_value = "1", value_parser = parse_seed)]
    pub(crate) seed: u64,
    /// Probability that an answer of the patient is noisy (plan keyed), or share of noisy patients (plan paper).
    #[arg(long, default_value_t = 0.3, value_parser = parse_share, value_name = "0..1")]
    pub(crate) patient_noise: f64,
    /// The same for exam reports.
    #[arg(long, default_value_t = 0.1, value_parser = parse_share, value_name = "0..1")]
    pub(crate) exam_noise: f64,
    /// Where noise strikes.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) noise_plan: NoisePlanName,
    /// Which reward.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) reward_mode: RewardModeName,
    /// Whose prices.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) payer: PayerName,
    /// How often diseases occur.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) prevalence: PrevalenceName,
    /// Which scenarios of the master seed.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) split: SplitName,
    /// Most messages of the doctor.
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) max_doctor_turns: u32,
    /// Most questions to the patient.
    #[arg(long, default_value_t = 15, value_name = "N")]
    pub(crate) max_patient_turns: u32,
    /// Knowledge base: `core24`, a `.kb.json` file or a folder.
    #[arg(long, default_value = "core24", value_name = "KB")]
    pub(crate) knowledge: String,
    /// Threads; 0 is one per core. Results do not depend on it.
    #[arg(long, default_value_t = 0, value_parser = parse_threads, value_name = "N")]
    pub(crate) threads: usize,
}

impl SettingOptions {
    /// The setting these flags describe.
    pub(crate) fn setting(&self) -> Setting {
        Setting {
            cases: self.cases,
            seed: self.seed,
            split: self.split.into(),
            noise_plan: self.noise_plan.into(),
            patient_noise: self.patient_noise,
            exam_noise: self.exam_noise,
            reward_mode: self.reward_mode.into(),
            payer: self.payer.into(),
            prevalence: self.prevalence.into(),
            max_doctor_turns: self.max_doctor_turns,
            max_patient_turns: self.max_patient_turns,
            plain_persona: false,
        }
    }
}

/// A flag whose words name the values of a type of the core.
macro_rules! names {
    ($(#[$meta:meta])* $name:ident for $target:ty { $($(#[$word:meta])* $variant:ident => $value:expr),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
        pub(crate) enum $name { $($(#[$word])* $variant),+ }

        impl From<$name> for $target {
            fn from(name: $name) -> Self {
                match name { $($name::$variant => $value),+ }
            }
        }
    };
}

names! {
    /// Noise plans that a flag can name.
    NoisePlanName for NoisePlan {
        /// Per answer and report, whatever the order of questions.
        #[default] Keyed => NoisePlan::Keyed,
        /// As published: some patients, some turns.
        Paper => NoisePlan::Paper,
    }
}
names! {
    /// Reward modes.
    RewardModeName for RewardMode {
        /// Outcome minus what it really cost.
        #[default] Clinic => RewardMode::Clinic,
        /// As published.
        Paper => RewardMode::Paper,
    }
}
names! {
    /// Payers.
    PayerName for Payer {
        /// Medicare rates.
        #[default] Medicare => Payer::Medicare,
        /// Median hospital cash prices.
        Cash => Payer::Cash,
    }
}
names! {
    /// Prevalences.
    PrevalenceName for Prevalence {
        /// Every disease equally often.
        #[default] Uniform => Prevalence::Uniform,
        /// By incidence.
        Incidence => Prevalence::Incidence,
    }
}
names! {
    /// Splits.
    SplitName for Split {
        /// To learn from.
        Train => Split::Train,
        /// To choose models on.
        Validation => Split::Validation,
        /// To report on.
        #[default] Test => Split::Test,
    }
}

#[cfg(feature = "learn")]
names! {
    /// Presets by name.
    PresetName for Preset {
        /// Nano decoder, a quarter of an hour on two cores.
        #[default] Quick => Preset::Quick,
        /// Seconds; learns next to nothing.
        Tiny => Preset::Tiny,
    }
}
#[cfg(feature = "learn")]
names! {
    /// Stages by name.
    StageOption for StageName {
        /// Supervised fine-tuning.
        Sft => StageName::Sft,
        /// DAPO.
        #[default] Dapo => StageName::Dapo,
        /// Supervised fine-tuning continued.
        Control => StageName::Control,
    }
}

#[derive(Debug, Args)]
pub(crate) struct EvalOptions {
    /// random, checklist, ideal, ideal_naive, oracle_clean, oracle_noisy, expert, or a checkpoint.
    #[arg(long, value_name = "POLICY")]
    pub(crate) policy: String,
    /// A second policy on the same scenarios: adds the paired difference, first minus second.
    #[arg(long, value_name = "POLICY")]
    pub(crate) compare_with: Option<String>,
    /// Trained policies take the most likely token always, instead of sampling at temperature 1.
    #[arg(long)]
    pub(crate) greedy: bool,
    #[command(flatten)]
    pub(crate) setting: SettingOptions,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TuneOptions {
    /// Validation scenarios per setting.
    #[arg(long, default_value_t = 4_000, value_parser = parse_cases, value_name = "N")]
    pub(crate) cases: u64,
    /// Master seed.
    #[arg(long, default_value = "1", value_parser = parse_seed)]
    pub(crate) seed: u64,
    /// Tune only this setting of noise, given as PATIENT/EXAM; without it, all of the frozen table.
    #[arg(long, value_parser = parse_noise, value_name = "P/E")]
    pub(crate) noise: Vec<(f64, f64)>,
    /// Knowledge base: `core24`, a `.kb.json` file or a folder.
    #[arg(long, default_value = "core24", value_name = "KB")]
    pub(crate) knowledge: String,
    /// Threads; 0 is one per core.
    #[arg(long, default_value_t = 0, value_parser = parse_threads, value_name = "N")]
    pub(crate) threads: usize,
    /// Where the table is written; without it, to stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CasesCommand {
    /// Draw patients from the knowledge base: one case per line, with its truth and its code.
    #[command(
        after_help = "Example:\n  workup cases generate --count 100 --seed 7 --out patients.jsonl\n\nEach line holds a patient with truth and code: play one with `workup replay CODE`."
    )]
    Generate(GenerateOptions),
    /// Turn foreign rows into cases: one case per line; bad rows are reported and never stop the rest.
    #[command(
        after_help = "Example:\n  workup cases import --from agentclinic agentclinic_medqa.jsonl --out cases.jsonl\n\n\
        Do not enter real patient data."
    )]
    Import(ImportOptions),
    /// List the cases of a file: number, who, complaint, facts, exams.
    List(ListOptions),
}

#[derive(Debug, Args)]
pub(crate) struct GenerateOptions {
    /// Number of cases.
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub(crate) count: u64,
    /// Master seed.
    #[arg(long, default_value = "1", value_parser = parse_seed)]
    pub(crate) seed: u64,
    /// Which scenarios of the master seed.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) split: SplitName,
    /// How often diseases occur.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) prevalence: PrevalenceName,
    /// Knowledge base: `core24`, a `.kb.json` file or a folder.
    #[arg(long, default_value = "core24", value_name = "KB")]
    pub(crate) knowledge: String,
    /// Where the cases are written; without it, to stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ImportOptions {
    /// Format of the input.
    #[arg(long, value_enum)]
    pub(crate) from: CaseFormat,
    /// The file to read.
    pub(crate) input: PathBuf,
    /// Where the cases are written.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Print the report as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Formats of foreign cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CaseFormat {
    /// AgentClinic OSCE JSON lines.
    Agentclinic,
    /// Workup's own JSON lines.
    Workup,
}

#[derive(Debug, Args)]
pub(crate) struct ListOptions {
    /// A file of imported cases.
    pub(crate) file: PathBuf,
    /// Also show the diagnosis.
    #[arg(long)]
    pub(crate) diagnosis: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KbCommand {
    /// Count diseases, findings and exams, and how many numbers stand in a study.
    #[command(after_help = "Example:\n  workup kb report core/data/full --json")]
    Report(KbReportOptions),
    /// Check a knowledge base against the rules, file by file.
    #[command(
        after_help = "Example:\n  workup kb check core/data/full\n\nExit status 1 when a rule is broken. Every line names file, entry, rule and remedy."
    )]
    Check(KbCheckOptions),
}

#[derive(Debug, Args)]
pub(crate) struct KbReportOptions {
    /// Folder of the knowledge base.
    #[arg(default_value = "core/data/full", value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct KbCheckOptions {
    /// Folder of the knowledge base.
    #[arg(default_value = "core/data/full", value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// Cases played with full information, to find diseases that nothing tells apart; 0 plays none.
    #[arg(long, default_value_t = 4_000, value_name = "N")]
    pub(crate) cases: u64,
    /// Least share of a disease's patients that full information has to recognise.
    #[arg(long, default_value_t = 0.8, value_parser = parse_share, value_name = "0..1")]
    pub(crate) least: f64,
    /// Threads; 0 is one per core.
    #[arg(long, default_value_t = 0, value_parser = parse_threads, value_name = "N")]
    pub(crate) threads: usize,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UnderstandOptions {
    /// One utterance per line; `-` reads stdin.
    pub(crate) file: PathBuf,
    /// The complaint talked about, by the id of its finding.
    #[arg(long, value_name = "FINDING")]
    pub(crate) complaint: Option<String>,
    /// Knowledge base: `core24`, a `.kb.json` file or a folder.
    #[arg(long, default_value = "core24", value_name = "KB")]
    pub(crate) knowledge: String,
    /// Print one JSON object per line.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct ScoreInputs {
    /// Reward vectors: exact to 1e-12.
    #[arg(long, value_name = "FILE")]
    pub(crate) vectors: Option<PathBuf>,
    /// Vectors of the normaliser of parameter values: no mismatch.
    #[arg(long, value_name = "FILE")]
    pub(crate) params: Option<PathBuf>,
    /// Vectors of the extraction of diagnosis tags: no mismatch.
    #[arg(long, value_name = "FILE")]
    pub(crate) diagnoses: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ScoreOptions {
    #[command(flatten)]
    pub(crate) inputs: ScoreInputs,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DigestOptions {
    /// Number of whole episodes.
    #[arg(long, default_value_t = 2_000, value_name = "N")]
    pub(crate) scenarios: u64,
    /// Master seed.
    #[arg(long, default_value = "1", value_parser = parse_seed)]
    pub(crate) seed: u64,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MetricsCommand {
    /// Compare two JSONL files line by line; what measures time (timing_s/*, perf/*) is ignored.
    #[command(
        after_help = "Example:\n  workup metrics diff a/metrics.jsonl b/metrics.jsonl\n\nExit status 1 when they differ."
    )]
    Diff(DiffOptions),
}

#[derive(Debug, Args)]
pub(crate) struct DiffOptions {
    /// One file.
    pub(crate) first: PathBuf,
    /// The other.
    pub(crate) second: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// Turns of the clinic per second on one core: whole episodes with creation; median of five.
    #[command(after_help = "Example:\n  workup bench env --json")]
    Env(BenchOptions),
}

#[derive(Debug, Args)]
pub(crate) struct BenchOptions {
    /// Different episodes, played over and over.
    #[arg(long, default_value_t = 512, value_name = "N")]
    pub(crate) episodes: u64,
    /// Seconds per measurement.
    #[arg(long, default_value_t = 1.0, value_name = "SECONDS")]
    pub(crate) seconds: f64,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PlayOptions {
    /// Seed of the patient: a decimal number or 16 hexadecimal digits; without it, a fresh one.
    #[arg(long, value_parser = parse_seed)]
    pub(crate) seed: Option<u64>,
    /// A file of imported cases.
    #[arg(long, value_name = "FILE", requires = "case")]
    pub(crate) cases: Option<PathBuf>,
    /// Which of them, from 1.
    #[arg(long, value_name = "N", requires = "cases")]
    pub(crate) case: Option<usize>,
    /// Probability that an answer is noisy.
    #[arg(long, default_value_t = 0.3, value_parser = parse_share, value_name = "0..1")]
    pub(crate) patient_noise: f64,
    /// Probability that a report is noisy.
    #[arg(long, default_value_t = 0.1, value_parser = parse_share, value_name = "0..1")]
    pub(crate) exam_noise: f64,
    /// Whose prices.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) payer: PayerName,
    /// A patient who speaks plainly and remembers everything.
    #[arg(long)]
    pub(crate) plain: bool,
    /// Knowledge base: `core24`, a `.kb.json` file or a folder.
    #[arg(long, default_value = "core24", value_name = "KB")]
    pub(crate) knowledge: String,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayOptions {
    /// The code, or a link that ends with it; `-` reads it from stdin (codes of imported cases can be longer than a command
    /// line may be).
    pub(crate) code: String,
    /// Knowledge base: `core24`, a `.kb.json` file or a folder.
    #[arg(long, default_value = "core24", value_name = "KB")]
    pub(crate) knowledge: String,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ServeOptions {
    /// The built page.
    #[arg(long, default_value = "web/dist", value_name = "DIR")]
    pub(crate) dist: PathBuf,
    /// Port on 127.0.0.1; 0 takes a free one.
    #[arg(long, default_value_t = 8321)]
    pub(crate) port: u16,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn evaluation_defaults_are_the_headline_setting() {
        let arguments = Arguments::parse_from(["workup", "eval", "--policy", "random"]);
        let Command::Eval(options) = arguments.command else { panic!("eval was parsed as something else") };
        assert_eq!(options.setting.setting(), Setting::default());
    }
}
