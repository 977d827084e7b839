//! The clinic as the rollout engine sees it: a [`Dialogue`] behind token ids.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use workup_core::{
    action::Action,
    dialogue::Dialogue,
    episode, nano,
    random::{KeyedRng, Purpose},
    scenario::{Scenario, ScenarioError},
};
use workup_learn::{Clinic, ClinicStep, Ending, Episode, StreamKey};

use super::format::NanoFormat;
use crate::evaluation::Outcome;

/// Which scenario a number stands for.
type Scenarios = dyn Fn(u64) -> Scenario + Send + Sync;
/// Outcomes of finished episodes, by the number of the scenario.
type Record = Arc<Mutex<BTreeMap<u64, Outcome>>>;

/// Episodes over text for the rollout engine.
#[derive(Clone)]
pub struct TextClinic {
    clinic: Arc<workup_core::clinic::Clinic>,
    format: Arc<NanoFormat>,
    scenarios: Arc<Scenarios>,
    record: Option<Record>,
}

impl core::fmt::Debug for TextClinic {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("TextClinic").field("format", &self.format).finish_non_exhaustive()
    }
}

impl TextClinic {
    /// A clinic whose scenario `n` is `scenarios(n)`.
    ///
    /// # Errors
    /// When scenario 0 is out of range; the others have to share its settings.
    pub fn new(
        clinic: Arc<workup_core::clinic::Clinic>,
        format: Arc<NanoFormat>,
        scenarios: impl Fn(u64) -> Scenario + Send + Sync + 'static,
    ) -> Result<Self, ScenarioError> {
        scenarios(0).check()?;
        Ok(Self { clinic, format, scenarios: Arc::new(scenarios), record: None })
    }

    /// The same, keeping the outcome of every scenario (of the last member that played it).
    #[must_use]
    pub fn recording(self) -> Self {
        Self { record: Some(Record::default()), ..self }
    }

    /// The outcomes kept so far, by the number of the scenario.
    pub fn take_outcomes(&self) -> BTreeMap<u64, Outcome> {
        self.record
            .as_ref()
            .and_then(|record| record.lock().ok().map(|mut kept| std::mem::take(&mut *kept)))
            .unwrap_or_default()
    }

    /// The generator of one message: keyed by scenario, member, turn and attempt, so that nothing else moves its draws.
    pub fn generator(&self, key: StreamKey) -> KeyedRng {
        let seed = (self.scenarios)(key.scenario).seed;
        let message = key.attempt << 32 | u64::from(key.member) << 16 | u64::from(key.turn);
        KeyedRng::new(seed, Purpose::Sampling, message, 0)
    }
}

/// One running episode.
#[derive(Clone)]
pub struct TextEpisode {
    number: u64,
    dialogue: Dialogue,
    format: Arc<NanoFormat>,
    record: Option<Record>,
}

impl Clinic for TextClinic {
    type Episode = TextEpisode;

    fn start(&self, scenario: u64) -> (TextEpisode, Vec<u32>) {
        let dialogue = Dialogue::new(self.clinic.clone(), (self.scenarios)(scenario))
            .unwrap_or_else(|error| unreachable!("the settings were checked: {error}"));
        let prompt = self.format.prompt(&nano::system_text(&dialogue));
        let episode =
            TextEpisode { number: scenario, dialogue, format: self.format.clone(), record: self.record.clone() };
        (episode, prompt)
    }
}

impl Episode for TextEpisode {
    fn step(&mut self, message: &[u32]) -> ClinicStep {
        let text = self.format.message_text(message);
        let reply = self.dialogue.send(&text);
        if reply.ending.is_some() {
            return ClinicStep { observation: Vec::new(), ended: Some(self.end()) };
        }
        ClinicStep { observation: self.format.observation(message, reply.kind, reply.text), ended: None }
    }

    fn truncate(&mut self) -> Ending {
        self.dialogue.truncate();
        self.end()
    }
}

impl TextEpisode {
    /// The dialogue.
    pub fn dialogue(&self) -> &Dialogue {
        &self.dialogue
    }

    fn end(&self) -> Ending {
        let episode = self.dialogue.episode();
        let outcome = Outcome::of_episode(episode);
        if let Some(record) = &self.record
            && let Ok(mut kept) = record.lock()
        {
            kept.insert(self.number, outcome);
        }
        let truncated = episode.ending() != Some(episode::Ending::Terminated);
        Ending { reward: outcome.reward.total, score: outcome.score, truncated, metrics: metrics(episode, &outcome) }
    }
}

/// What is averaged into the log beside the reward.
fn metrics(episode: &episode::Episode, outcome: &Outcome) -> BTreeMap<String, f64> {
    let tally = &outcome.reward.tally;
    let turns = f64::from(tally.doctor_turns.max(1));
    let share = |wanted: fn(&Action) -> bool| {
        episode.history().iter().filter(|step| wanted(&step.action)).count() as f64 / turns
    };
    let understood = f64::from(outcome.understood) / f64::from(outcome.questions.max(1));
    [
        ("episode/accuracy", f64::from(u8::from(outcome.is_correct()))),
        ("episode/dollars", tally.dollars()),
        ("episode/discomfort", f64::from(tally.discomfort)),
        ("episode/exams", f64::from(tally.num_exams)),
        ("episode/understood", understood),
        ("episode/format_errors", f64::from(tally.format_errors)),
        ("episode/invalid_calls", f64::from(tally.invalid_calls)),
        ("episode/valid_messages", 1.0 - f64::from(outcome.invalid()) / turns),
        ("action_share/ask", share(|action| matches!(action, Action::Ask(_)))),
        ("action_share/order", share(|action| matches!(action, Action::Order(_) | Action::InvalidCall))),
        ("action_share/diagnose", share(|action| matches!(action, Action::Diagnose(_) | Action::DiagnoseDiseases(_)))),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}
