//! An episode driven by text: a doctor's message in, the patient's words or a report out.
//!
//! Words never decide anything: a message becomes an [`Action`], the episode answers with readings, and the readings become
//! words. A structured and a text episode with the same resolved actions are the same episode.

mod imported;
mod words;

use alloc::{
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

use crate::{
    action::{Action, Question},
    clinic::Clinic,
    digest::Digest,
    episode::{Ending, Episode, StepError, StepOutcome, Truth},
    knowledge::ItemKind,
    observation::ReplyKind,
    patient::understand::{Context, Understood},
    protocol::{Parsed, ParsedAction, ToolCall, parse_text},
    scenario::{Scenario, ScenarioError},
    scenario_code::RecordedAction,
};

/// One message and its reply.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Exchange {
    /// The doctor's message, as it came.
    pub message: String,
    /// The reply in words.
    pub reply: String,
    /// True when the message was an action already understood, given under these words ([`Dialogue::act`]).
    pub structured: bool,
}

/// A reply to a message.
#[derive(Clone, Copy, Debug)]
pub struct Reply<'a> {
    /// The words.
    pub text: &'a str,
    /// Kind of reply.
    pub kind: ReplyKind,
    /// Set when the episode is over.
    pub ending: Option<Ending>,
}

/// An episode with its words.
#[derive(Clone, Debug)]
pub struct Dialogue {
    clinic: Arc<Clinic>,
    episode: Episode,
    exchanges: Vec<Exchange>,
    /// The finding last talked about (index).
    last: Option<u16>,
    /// Patient turns in which the patient understood a question.
    understood: u32,
}

impl Dialogue {
    /// Starts an episode.
    ///
    /// # Errors
    /// As [`Episode::new`].
    pub fn new(clinic: Arc<Clinic>, scenario: Scenario) -> Result<Self, ScenarioError> {
        let episode = Episode::new(clinic.base().clone(), scenario)?;
        Ok(Self { clinic, episode, exchanges: Vec::new(), last: None, understood: 0 })
    }

    /// Starts over with another seed and the same settings.
    ///
    /// # Errors
    /// As [`Episode::new`].
    pub fn reset(&mut self, seed: u64) -> Result<(), ScenarioError> {
        self.episode.reset(seed)?;
        self.exchanges.clear();
        self.last = None;
        self.understood = 0;
        Ok(())
    }

    /// Performs one message. After the end nothing happens any more and the reply says so.
    pub fn send(&mut self, message: &str) -> Reply<'_> {
        if let ending @ Some(_) = self.episode.ending() {
            return Reply { text: "The encounter has ended.", kind: ReplyKind::End, ending };
        }
        let mut reply = String::with_capacity(96);
        let kind = self.perform(message, &mut reply);
        self.exchanges.push(Exchange { message: message.to_string(), reply, structured: false });
        let text = self.exchanges.last().map_or("", |exchange| exchange.reply.as_str());
        Reply { text, kind, ending: self.episode.ending() }
    }

    fn perform(&mut self, message: &str, reply: &mut String) -> ReplyKind {
        let Parsed { action, extra_format_errors } = parse_text(message);
        self.episode.add_format_errors(extra_format_errors);
        match action {
            ParsedAction::Diagnosis(text) => self.step(Action::Diagnose(text.into_owned())).reply,
            ParsedAction::ToolCall(call) => self.order(&call, reply),
            ParsedAction::Ask(text) => self.ask(&text, reply),
            ParsedAction::FormatError(error) => {
                reply.push_str(&error.to_string());
                self.step(Action::FormatError).reply
            }
        }
    }

    /// Performs a recorded action; a question is taken as it was understood then.
    ///
    /// # Errors
    /// When the episode is over or the action names something that does not exist.
    pub fn perform_recorded(&mut self, recorded: &RecordedAction) -> Result<ReplyKind, StepError> {
        if self.episode.ending().is_some() {
            return Err(StepError::Ended);
        }
        match recorded {
            RecordedAction::Message { text, question: None } => Ok(self.send(text).kind),
            RecordedAction::Message { text, question: Some(question) } => self.act(text, &Action::Ask(*question)),
            RecordedAction::Structured(action) => self.act("", action),
        }
    }

    /// Performs an action that is already understood, under the words `message`.
    ///
    /// # Errors
    /// When the episode is over or the action names something that does not exist; nothing changes then.
    pub fn act(&mut self, message: &str, action: &Action) -> Result<ReplyKind, StepError> {
        self.episode.check(action)?;
        if self.episode.ending().is_some() {
            return Err(StepError::Ended);
        }
        if let (Truth::Imported(_), Action::Ask(_) | Action::Order(_)) = (self.episode.truth(), action) {
            // Facts and recorded exams are found by words.
            return Err(StepError::NeedsWords);
        }
        let mut reply = String::with_capacity(96);
        let kind = match action {
            Action::Ask(question) => self.ask_question(*question, &mut reply),
            Action::Order(call) => {
                let kind = self.step(action.clone()).reply;
                self.report(call, kind, &mut reply);
                kind
            }
            _ => self.step(action.clone()).reply,
        };
        self.exchanges.push(Exchange { message: message.to_string(), reply, structured: true });
        Ok(kind)
    }

    /// Steps the episode; what it is given always exists.
    fn step(&mut self, action: Action) -> StepOutcome {
        self.episode
            .step(action)
            .unwrap_or(StepOutcome { reply: ReplyKind::FormatError, ending: self.episode.ending() })
    }

    fn ask(&mut self, text: &str, reply: &mut String) -> ReplyKind {
        let patient = match self.episode.truth() {
            Truth::Imported(case) => {
                let case = case.clone();
                return self.ask_imported(&case, text, reply);
            }
            Truth::Generated(patient) => *patient,
        };
        let complaint = self.clinic.base().complaints[usize::from(patient.complaint)].finding;
        let context = Context { complaint, last: self.last };
        let Understood { question, .. } = self.clinic.phrases().understand(self.clinic.base(), text, context);
        self.ask_question(question, reply)
    }

    /// Asks a question that is already understood.
    fn ask_question(&mut self, question: Question, reply: &mut String) -> ReplyKind {
        let turn = self.episode.patient_turns();
        let outcome = self.step(Action::Ask(question));
        if matches!(outcome.reply, ReplyKind::Answer | ReplyKind::OpenAnswer) {
            self.understood += 1;
        }
        if let Question::About(items) = question {
            self.last =
                items.iter().flatten().next_back().and_then(|&item| match self.clinic.base().item_kind(item)? {
                    ItemKind::Finding(finding) => Some(finding),
                    ItemKind::Attribute(attribute) => {
                        Some(self.clinic.base().attributes[usize::from(attribute)].finding)
                    }
                    ItemKind::Analyte(_) => None,
                });
        }
        self.speak(question, turn, reply);
        outcome.reply
    }

    fn order(&mut self, call: &ToolCall<'_>, reply: &mut String) -> ReplyKind {
        let mut arguments: [(&str, &str); crate::protocol::MAX_ARGUMENTS] = Default::default();
        let num = call.arguments.len().min(arguments.len());
        for (slot, (name, value)) in arguments.iter_mut().zip(&call.arguments) {
            *slot = (name, value);
        }
        let parsed = self.clinic.base().catalogue.parse_call(&call.name, &arguments[..num]);
        let exam = match parsed {
            Ok(exam) => exam,
            Err(error) => {
                reply.push_str(&error.to_string());
                return self.step(Action::InvalidCall).reply;
            }
        };
        if let Truth::Imported(case) = self.episode.truth() {
            let case = case.clone();
            return self.order_imported(&case, exam, call, reply);
        }
        let outcome = self.step(Action::Order(exam));
        self.report(&exam, outcome.reply, reply);
        outcome.reply
    }

    /// The patient's first sentence.
    pub fn opening(&self) -> String {
        let mut out = String::new();
        match self.episode.truth() {
            Truth::Generated(patient) => crate::patient::speak::opening(
                self.clinic.base(),
                patient.complaint,
                patient.seed,
                self.episode.persona(),
                &mut out,
            ),
            Truth::Imported(case) => out.push_str(&crate::import::speak_text(case, &case.complaint)),
        }
        out
    }

    /// Age and sex, as everybody sees them: "54-year-old woman".
    pub fn presentation(&self) -> String {
        match self.episode.truth() {
            Truth::Generated(patient) => words::presentation(patient),
            Truth::Imported(case) => case.demographics.clone(),
        }
    }

    /// The episode.
    pub fn episode(&self) -> &Episode {
        &self.episode
    }

    /// Ends the episode from outside ([`Episode::truncate`]).
    pub fn truncate(&mut self) {
        self.episode.truncate();
    }

    /// The clinic.
    pub fn clinic(&self) -> &Arc<Clinic> {
        &self.clinic
    }

    /// Messages and replies so far.
    pub fn exchanges(&self) -> &[Exchange] {
        &self.exchanges
    }

    /// Patient turns in which the question was understood.
    pub fn num_understood(&self) -> u32 {
        self.understood
    }

    /// [`Episode::digest`] continued over all words.
    pub fn digest(&self) -> u64 {
        let mut digest = Digest::new();
        digest.u64(self.episode.digest());
        digest.text(&self.opening());
        for exchange in &self.exchanges {
            digest.text(&exchange.message);
            digest.text(&exchange.reply);
        }
        digest.value()
    }

    /// A copy that goes its own way from here.
    #[must_use]
    pub fn fork(&self) -> Self {
        self.clone()
    }
}
