//! The stages in order, each skipped when its output is complete: conversations, tokenizer, supervised fine-tuning, DAPO, control,
//! export, evaluation.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use burn::prelude::Device;
use serde_json::json;
use workup_core::{clinic::Clinic, nano, protocol::Message, random::Split, scenario_code::ENGINE_VERSION};
use workup_learn::{DapoState, Decay, Example, Learner, SftState};

use super::{
    LearningError, StageName,
    artifact::Artifact,
    checkpoint::{Checkpoint, digest},
    conversation::{Practice, Written, read_conversations, write_conversations},
    dapo::{DapoRun, run_dapo},
    export::{NOTICE, PolicyConfig, TOKENIZER, export_policy, load_texts},
    format::NanoFormat,
    preset::Preset,
    sft::{SftRun, run_control, run_sft},
    stage::Surroundings,
    text_clinic::TextClinic,
    vocabulary::train_vocabulary,
};
use crate::{
    atomic_file::write_atomically,
    device::is_cpu,
    progress::Progress,
    setting::{Setting, hex},
};

/// Conversations of a run.
pub const CONVERSATIONS: &str = "conversations.jsonl";
/// Most conversations the vocabulary is trained on.
const VOCABULARY_CONVERSATIONS: usize = 4_000;

/// A training run: what, where, with which numbers.
pub struct Pipeline<'a> {
    /// Where everything goes.
    pub out: PathBuf,
    /// Sizes and rates.
    pub preset: Preset,
    /// Seed of everything.
    pub seed: u64,
    /// Noise, prices, caps and split that are trained on; its `cases` is not used.
    pub setting: Setting,
    /// The clinic.
    pub clinic: Arc<Clinic>,
    /// Device with autodiff.
    pub device: Device,
    /// Pieces of work at the same time.
    pub threads: usize,
    /// Go on where a run with the same settings stopped.
    pub resume: bool,
    /// Updates of supervised fine-tuning instead of the preset's.
    pub sft_steps: Option<u64>,
    /// Steps of DAPO instead of the preset's.
    pub dapo_steps: Option<u64>,
    /// Peak learning rate of supervised fine-tuning instead of the preset's.
    pub sft_rate: Option<f64>,
    /// Peak learning rate of DAPO instead of the preset's.
    pub dapo_rate: Option<f64>,
    /// What a person sees.
    pub progress: &'a dyn Progress,
}

/// How a run turns text into tokens.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    /// `tokenizer.json`.
    pub tokenizer: String,
    /// The prompt format over it.
    pub format: Arc<NanoFormat>,
}

/// What fine-tuning learns from.
#[derive(Debug)]
pub struct Prepared {
    /// Of the run.
    pub vocabulary: Vocabulary,
    /// Encoded conversations to learn from.
    pub examples: Vec<Example>,
    /// Encoded conversations held out.
    pub held_out: Vec<Example>,
}

impl Pipeline<'_> {
    /// The setting under which scenarios are drawn for training.
    fn training(&self, cases: u64) -> Setting {
        Setting { cases, seed: self.seed, split: Split::Train, ..self.setting.clone() }
    }

    /// Writes the expert's conversations; skipped when they are there.
    ///
    /// # Errors
    /// When files cannot be used, hold conversations of other settings or are not of our making.
    pub fn conversations(&self, count: u64) -> Result<(PathBuf, Written), LearningError> {
        fs::create_dir_all(&self.out).map_err(LearningError::io(&self.out))?;
        let setting = self.training(count);
        let identity = json!({
            "setting": setting,
            "knowledge": hex(self.clinic.base().digest),
            "engine_version": ENGINE_VERSION,
        });
        let artifact = Artifact::new(&self.out, CONVERSATIONS, "conversations.json", identity);
        let (written, _) = artifact.ensure(|path| {
            let practice = Practice::new(self.clinic.clone(), &setting)?;
            let written = write_conversations(&practice, &setting, path, self.threads, self.progress)?;
            self.progress.note(&format!(
                "conversations: {} written, the expert's accuracy {:.3}, reward {:.3}; {} messages misheard",
                written.conversations, written.score, written.reward, written.misheard
            ));
            Ok(written)
        })?;
        Ok((artifact.path().to_owned(), written))
    }

    /// Trains the vocabulary on the conversations in `source`; skipped when it is there.
    ///
    /// # Errors
    /// When files cannot be used, hold the vocabulary of other conversations or are not of our making.
    pub fn tokenizer(&self, source: &Path, conversations: &[Vec<Message>]) -> Result<String, LearningError> {
        let vocab_size = self.preset.vocab_size();
        let bytes = fs::read(source).map_err(LearningError::io(source))?;
        let identity = json!({ "vocab_size": vocab_size, "conversations": digest(&bytes) });
        let artifact = Artifact::new(&self.out, TOKENIZER, "tokenizer_origin.json", identity);
        artifact.ensure(|path| {
            let texts = conversations.iter().take(VOCABULARY_CONVERSATIONS).map(Vec::as_slice);
            let json = train_vocabulary(texts, vocab_size)?;
            write_atomically(path, json.as_bytes()).map_err(LearningError::io(path))
        })?;
        fs::read_to_string(artifact.path()).map_err(LearningError::io(artifact.path()))
    }

    /// Conversations and tokenizer, encoded.
    ///
    /// # Errors
    /// When files cannot be used or no conversation fits.
    pub fn prepare(&self) -> Result<Prepared, LearningError> {
        let (path, _) = self.conversations(self.preset.conversations())?;
        let conversations = read_conversations(&path)?;
        let tokenizer = self.tokenizer(&path, &conversations)?;
        let format = Arc::new(NanoFormat::from_json(&tokenizer)?);
        let mut examples = encode(&format, &conversations, self.threads, self.progress)?;
        let held_out = examples.split_off(examples.len() - self.preset.held_out().min(examples.len() / 2));
        Ok(Prepared { vocabulary: Vocabulary { tokenizer, format }, examples, held_out })
    }

    /// Vocabulary of the run with finished fine-tuning in this folder, which is only read.
    ///
    /// # Errors
    /// When there is no finished fine-tuning, or it was done in another knowledge base.
    pub fn vocabulary_of_finished(&self) -> Result<Vocabulary, LearningError> {
        let stage = StageName::Sft;
        let policy = stage.policy_folder(&self.out);
        if !policy.is_dir() || !Checkpoint::look(&stage.folder(&self.out)).is_complete() {
            return Err(LearningError::NoStart(self.out.clone()));
        }
        let (config, tokenizer) = load_texts(&policy)?;
        let here = hex(self.clinic.base().digest);
        if config.knowledge_digest != here {
            let what = format!("`knowledge_digest` was {}, is {here}", config.knowledge_digest);
            return Err(LearningError::Foreign { path: policy, what });
        }
        let format = Arc::new(NanoFormat::from_json(&tokenizer)?);
        Ok(Vocabulary { tokenizer, format })
    }

    fn surroundings(&self) -> Surroundings<'_> {
        let threads = if is_cpu(&self.device) { self.threads } else { 1 };
        Surroundings { device: &self.device, resume: self.resume, threads }
    }

    /// Settings of supervised fine-tuning.
    pub fn sft_run(&self, vocabulary: &Vocabulary) -> SftRun {
        let mut run = self.preset.sft(vocabulary.format.tokenizer().vocab_size(), self.seed);
        let rate = &mut run.config.learning_rate;
        rate.peak = self.sft_rate.unwrap_or(rate.peak);
        if let (Some(steps), Decay::Cosine { total_steps, .. }) = (self.sft_steps, &mut rate.decay) {
            *total_steps = steps;
        }
        SftRun { steps: self.sft_steps.unwrap_or(run.steps), ..run }
    }

    /// Settings of DAPO.
    pub fn dapo_run(&self, vocabulary: &Vocabulary) -> DapoRun {
        let mut run = self.preset.dapo(vocabulary.format.end_token());
        let rate = &mut run.config.learning_rate;
        rate.peak = self.dapo_rate.unwrap_or(rate.peak);
        if let (Some(steps), Decay::Cosine { total_steps, .. }) = (self.dapo_steps, &mut rate.decay) {
            *total_steps = steps;
        }
        DapoRun { steps: self.dapo_steps.unwrap_or(run.steps), ..run }
    }

    /// Supervised fine-tuning in `folder`.
    ///
    /// # Errors
    /// As [`run_sft`].
    pub fn sft(&self, prepared: &Prepared, folder: &Path) -> Result<(Learner, SftState), LearningError> {
        let run = self.sft_run(&prepared.vocabulary);
        run_sft(&run, folder, &prepared.examples, &prepared.held_out, self.surroundings(), self.progress)
    }

    /// DAPO in `folder` from the weights in `sft_folder`.
    ///
    /// # Errors
    /// As [`run_dapo`].
    pub fn dapo(
        &self,
        vocabulary: &Vocabulary,
        sft_folder: &Path,
        folder: &Path,
    ) -> Result<(Learner, DapoState), LearningError> {
        let setting = self.training(0);
        let scenarios = setting.clone();
        let clinic =
            TextClinic::new(self.clinic.clone(), vocabulary.format.clone(), move |index| scenarios.case(index))?;
        let source = Checkpoint::look(sft_folder);
        let weights = source.weights_digest()?;
        let origin = json!({
            "weights": weights,
            "tokenizer": digest(vocabulary.tokenizer.as_bytes()),
            "setting": setting,
            "knowledge": hex(self.clinic.base().digest),
            "engine_version": ENGINE_VERSION,
        });
        let decoder = || source.load_decoder(&weights, &self.device);
        run_dapo(&self.dapo_run(vocabulary), folder, &origin, decoder, &clinic, self.surroundings(), self.progress)
    }

    /// The control in `folder`: supervised fine-tuning goes on for `tokens` more tokens.
    ///
    /// # Errors
    /// As [`run_control`].
    pub fn control(
        &self,
        prepared: &Prepared,
        sft_folder: &Path,
        folder: &Path,
        tokens: u64,
    ) -> Result<(Learner, SftState), LearningError> {
        let run = self.sft_run(&prepared.vocabulary);
        run_control(&run, sft_folder, folder, tokens, &prepared.examples, self.surroundings(), self.progress)
    }

    /// Writes the policy of a finished `stage` to where `run` keeps it.
    ///
    /// # Errors
    /// As [`export_policy`].
    pub fn export(
        &self,
        run: &Path,
        vocabulary: &Vocabulary,
        learner: &Learner,
        stage: StageName,
    ) -> Result<(), LearningError> {
        let config = self.policy_config(learner, stage);
        export_policy(&stage.policy_folder(run), &learner.decoder, &vocabulary.tokenizer, &config)
    }

    /// What an exported policy of `stage` says about itself.
    fn policy_config(&self, learner: &Learner, stage: StageName) -> PolicyConfig {
        let base = self.clinic.base();
        PolicyConfig {
            format: "nano".to_owned(),
            decoder: learner.decoder.config().clone(),
            knowledge: base.name.clone(),
            knowledge_digest: hex(base.digest),
            stage,
            seed: self.seed,
            notice: NOTICE.to_owned(),
        }
    }
}

/// Encodes conversations and drops those longer than [`nano::MAX_TOKENS`], saying how many.
///
/// # Errors
/// When none is left.
pub fn encode(
    format: &NanoFormat,
    conversations: &[Vec<Message>],
    threads: usize,
    progress: &dyn Progress,
) -> Result<Vec<Example>, LearningError> {
    progress.start("encoding", conversations.len() as u64);
    let mut examples = crate::evaluation::parallel::map(
        conversations.len(),
        threads,
        progress,
        || (),
        |(), index| format.example(&conversations[index]),
    );
    progress.finish();
    let before = examples.len();
    examples.retain(|example| example.tokens.len() <= nano::MAX_TOKENS);
    if examples.is_empty() {
        return Err(LearningError::NothingFits(nano::MAX_TOKENS));
    }
    let mut lens: Vec<usize> = examples.iter().map(|example| example.tokens.len()).collect();
    lens.sort_unstable();
    let chosen: usize =
        examples.iter().map(|example| example.action_mask.iter().filter(|&&chosen| chosen).count()).sum();
    progress.note(&format!(
        "encoding: {} conversations, median {} tokens, longest {}, {:.0} of the doctor on average; {} dropped for more than {} tokens",
        examples.len(),
        lens[lens.len() / 2],
        lens[lens.len() - 1],
        chosen as f64 / examples.len() as f64,
        before - examples.len(),
        nano::MAX_TOKENS,
    ));
    Ok(examples)
}
