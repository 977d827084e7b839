//! Expert conversations as text, after the Calgary-Cambridge guide: greeting and open question, screening, questions, bedside
//! examination and tests, a short explanation with a safety net, the diagnosis.
//!
//! The expert chooses actions from its belief, never from the truth; [`Wording`] finds the words; a [`Dialogue`] answers.

use std::{
    fs::File,
    io::{BufRead, BufReader, Write},
    path::Path,
    sync::Arc,
};

use serde::{Deserialize, Serialize};
use workup_core::{
    action::{Action, Question},
    belief::gain::ReportChannels,
    clinic::Clinic,
    clinician::{Candidates, Clinician, Expert},
    dialogue::Dialogue,
    knowledge::Topic,
    nano,
    protocol::{Message, Role, write_diagnosis, write_tool_call},
    random::{KeyedRng, Purpose},
    reward::clinic::burden,
    scenario::Scenario,
    wording::{Piece, Wording, write_piece},
};

use super::LearningError;
use crate::{
    atomic_file::AtomicFile,
    evaluation::parallel,
    progress::Progress,
    setting::{Setting, as_hex},
};

/// Key of the doctor's wording, apart from the patient's (which is keyed by items).
const DOCTORS_WORDS: u64 = 0xd0c7_0b00;
/// Ways of saying the same that are used.
const VARIANTS: u32 = 3;
/// Conversations written at a time.
const CHUNK: u64 = 256;

/// One conversation with how it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// Seed of the scenario.
    #[serde(serialize_with = "as_hex", deserialize_with = "from_hex")]
    pub seed: u64,
    /// Diagnosis score S.
    pub score: f64,
    /// Reward R.
    pub reward: f64,
    /// Doctor's messages that were not understood as they were meant.
    pub misheard: u32,
    /// System, assistant, user and tool messages.
    pub messages: Vec<Message>,
}

fn from_hex<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    crate::setting::parse_seed(&text).map_err(serde::de::Error::custom)
}

/// What every writer shares.
#[derive(Clone, Debug)]
pub struct Practice {
    clinic: Arc<Clinic>,
    wording: Arc<Wording>,
    candidates: Arc<Candidates>,
    channels: Arc<ReportChannels>,
}

impl Practice {
    /// Prepares words and choices of a clinic for the prices of `setting`.
    ///
    /// # Errors
    /// When the knowledge base lacks words for an item.
    pub fn new(clinic: Arc<Clinic>, setting: &Setting) -> Result<Self, LearningError> {
        let wording = Arc::new(Wording::new(clinic.base(), clinic.phrases())?);
        let candidates = Arc::new(Candidates::new(clinic.base(), setting.payer));
        let channels = Arc::new(ReportChannels::new(clinic.base()));
        Ok(Self { clinic, wording, candidates, channels })
    }

    /// The clinic.
    pub fn clinic(&self) -> &Arc<Clinic> {
        &self.clinic
    }

    /// A writer for one thread.
    pub fn writer(&self) -> Writer {
        let expert = Expert::new(self.candidates.clone(), self.channels.clone());
        Writer { practice: self.clone(), expert }
    }
}

/// Writes one conversation after the other.
#[derive(Clone, Debug)]
pub struct Writer {
    practice: Practice,
    expert: Expert,
}

impl Writer {
    /// Lets the expert talk with the patient of a scenario.
    ///
    /// # Errors
    /// When the scenario cannot be played.
    pub fn write(&mut self, scenario: Scenario) -> Result<Conversation, LearningError> {
        let seed = scenario.seed;
        let mut dialogue = Dialogue::new(self.practice.clinic.clone(), scenario)?;
        let mut messages = vec![Message::new(Role::System, nano::system_text(&dialogue))];
        let mut misheard = 0;
        self.expert.start(dialogue.episode());
        while dialogue.episode().ending().is_none() {
            let action = self.expert.next_action(dialogue.episode());
            let words = self.words(&dialogue, &action);
            let reply = dialogue.send(&words);
            let role = if nano::reply_token(reply.kind) == nano::PATIENT { Role::User } else { Role::Tool };
            let (text, ended) = (reply.text.to_owned(), reply.ending.is_some());
            messages.push(Message::new(Role::Assistant, words));
            if !ended {
                messages.push(Message::new(role, text));
                misheard += u32::from(dialogue.episode().history().last().is_none_or(|step| step.action != action));
            }
        }
        let reward = dialogue.episode().reward().total;
        Ok(Conversation { seed, score: dialogue.episode().diagnosis_score(), reward, misheard, messages })
    }

    /// The doctor's words for an action.
    fn words(&self, dialogue: &Dialogue, action: &Action) -> String {
        let episode = dialogue.episode();
        let base = episode.base();
        let turn = u64::from(episode.doctor_turns());
        let mut rng = KeyedRng::new(episode.scenario().seed, Purpose::Wording, DOCTORS_WORDS + turn, 0);
        let variant = rng.below(VARIANTS);
        let mut words = String::new();
        match action {
            Action::Ask(Question::Open(Topic::Complaint)) => {
                let piece = if turn == 0 { Piece::Greeting } else { Piece::Screening };
                write_piece(piece, variant, &mut words);
            }
            Action::Ask(question) => self.practice.wording.write_question(base, question, variant, &mut words),
            Action::Order(call) => {
                if episode.collected().is_empty() {
                    let price = base.catalogue.price(call);
                    let bedside = burden(&price, episode.scenario().payer) <= 0.0;
                    words.push_str(if bedside { "May I examine you? " } else { "Let us do a test. " });
                }
                let name = &base.catalogue.exams()[call.exam()].name;
                write_tool_call(name, base.catalogue.arguments(call), &mut words);
            }
            Action::DiagnoseDiseases(diseases) => {
                words.push_str("Come back at once if you feel worse. This explains it best: ");
                let names = diseases.iter().map(|&disease| base.diseases[usize::from(disease)].name.as_str());
                write_diagnosis(names, &mut words);
            }
            Action::Diagnose(text) => write_diagnosis([text.as_str()], &mut words),
            Action::InvalidCall | Action::FormatError => words.push_str("Pardon?"),
        }
        words
    }
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Written {
    /// Number of conversations.
    pub conversations: u64,
    /// Mean diagnosis score of the expert.
    pub score: f64,
    /// Mean reward of the expert.
    pub reward: f64,
    /// Doctor's messages not understood as they were meant.
    pub misheard: u64,
}

/// Writes the conversations of the first `setting.cases` scenarios as JSONL, on all `threads`, a chunk at a time.
///
/// # Errors
/// When a scenario cannot be played or the file not be written; the old file stays then.
pub fn write_conversations(
    practice: &Practice,
    setting: &Setting,
    path: &Path,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Written, LearningError> {
    let io = |error| LearningError::io(path)(error);
    let mut out = AtomicFile::create(path).map_err(io)?;
    let mut written = Written::default();
    progress.start("conversations", setting.cases);
    for first in (0..setting.cases).step_by(CHUNK as usize) {
        let count = CHUNK.min(setting.cases - first) as usize;
        let work = |writer: &mut Writer, index: usize| writer.write(setting.case(first + index as u64));
        for conversation in parallel::map(count, threads, progress, || practice.writer(), work) {
            let conversation = conversation?;
            written.conversations += 1;
            written.score += conversation.score;
            written.reward += conversation.reward;
            written.misheard += u64::from(conversation.misheard);
            serde_json::to_writer(&mut out, &conversation).map_err(|error| io(error.into()))?;
            out.write_all(b"\n").map_err(io)?;
        }
    }
    progress.finish();
    out.commit().map_err(io)?;
    let number = written.conversations.max(1) as f64;
    Ok(Written { score: written.score / number, reward: written.reward / number, ..written })
}

/// Reads conversations line by line; lines of other tools need only `messages`.
///
/// # Errors
/// Names file and line of the first one that is wrong.
pub fn read_conversations(path: &Path) -> Result<Vec<Vec<Message>>, LearningError> {
    #[derive(Deserialize)]
    struct Line {
        messages: Vec<Message>,
    }
    let file = File::open(path).map_err(LearningError::io(path))?;
    let mut conversations = Vec::new();
    for (index, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(LearningError::io(path))?;
        if line.trim().is_empty() {
            continue;
        }
        let parsed: Line = serde_json::from_str(&line).map_err(|source| LearningError::Conversation {
            path: path.to_owned(),
            line: index + 1,
            source,
        })?;
        conversations.push(parsed.messages);
    }
    Ok(conversations)
}
