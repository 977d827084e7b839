//! An encounter with a referee beside it: after every turn what was fired, what the clean words were, how the exact belief
//! moved, what the turn was worth and what it cost. Nothing of it ever reaches the agent that plays.
//!
//! The record is a function of the episode alone, so a fork or a replay gives the same one.

mod clean;
mod debrief;
mod heard;

use alloc::{string::String, sync::Arc, vec::Vec};

use serde::Serialize;

use crate::{
    action::Action,
    belief::{Belief, gain::ReportChannels},
    clinic::Clinic,
    dialogue::Dialogue,
    episode::{Episode, Step, StepError, Truth},
    math::log2,
    noise::Noise,
    observation::{ReplyKind, Value},
    protocol::{write_diagnosis, write_tool_call},
    reward::{Tally, clinic},
    scenario::{Scenario, ScenarioError},
    scenario_code::{CodeError, RecordedAction, ScenarioCode},
};
pub use debrief::{Debrief, OrderedExam};
pub use heard::ActionKind;

/// The smallest probability whose logarithm is taken, so that a record stays finite.
const FLOOR: f64 = 1e-12;

/// What one turn was, to the doctor and to the referee.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnRecord {
    /// The doctor's message.
    pub message: String,
    /// What kind of action it was.
    pub action: ActionKind,
    /// The action as it was understood, in words: `chest pain: site`, `CT scan (chest)`.
    pub heard: String,
    /// The reply.
    pub reply: String,
    /// Kind of reply.
    pub kind: ReplyKind,
    /// US cents charged.
    pub cents: u32,
    /// Discomfort caused, 1 to 3 for each executed call.
    pub discomfort: u32,
    /// What the turn cost in clinic reward: turn, burden of exams, penalties.
    pub price: f64,
    /// Referee only: the reply without noise. The persona's reticence is not noise and stays away here too.
    pub clean: String,
    /// Referee only: which noise fired, without repetition.
    pub fired: Vec<Noise>,
    /// Referee only: a guarded or forgetful patient kept an answer back; it says nothing about the answer.
    pub kept_back: bool,
    /// Referee only: how the belief moved; `None` for imported words.
    pub belief: Option<BeliefRecord>,
}

/// How one turn moved the exact belief.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BeliefRecord {
    /// Posterior over diseases after the turn, by disease index, summing to 1.
    pub diseases: Vec<f64>,
    /// Entropy after the turn, in bits.
    pub entropy: f64,
    /// Entropy before minus entropy after, in bits: what this reply told. Negative when it raised doubt.
    pub gain: f64,
    /// Expected information gain of the action before its reply was known, in bits; `None` for what is no question or order.
    pub expected_gain: Option<f64>,
    /// log2 of how much more probable the true disease became: below 0 the reply misled.
    pub toward_truth: f64,
}

/// A dialogue with its referee.
#[derive(Clone, Debug)]
pub struct RefereedDialogue {
    dialogue: Dialogue,
    channels: Arc<ReportChannels>,
    start: Option<Belief>,
    belief: Option<Belief>,
    records: Vec<TurnRecord>,
}

impl RefereedDialogue {
    /// Starts an encounter; `channels` belong to the clinic's knowledge base.
    ///
    /// # Errors
    /// As [`Episode::new`].
    pub fn new(clinic: Arc<Clinic>, channels: Arc<ReportChannels>, scenario: Scenario) -> Result<Self, ScenarioError> {
        let dialogue = Dialogue::new(clinic, scenario)?;
        let start = Belief::at_start(dialogue.episode());
        Ok(Self { belief: start.clone(), start, dialogue, channels, records: Vec::new() })
    }

    /// Plays a code again, refereed.
    ///
    /// # Errors
    /// As [`ScenarioCode::replay`].
    pub fn replay(clinic: Arc<Clinic>, channels: Arc<ReportChannels>, code: &ScenarioCode) -> Result<Self, CodeError> {
        code.check(clinic.base())?;
        let mut refereed = Self::new(clinic, channels, code.scenario.clone())?;
        for (index, action) in code.actions.iter().enumerate() {
            refereed.perform_recorded(action).map_err(|_| CodeError::BadAction(index))?;
        }
        Ok(refereed)
    }

    /// Performs one message. After the end nothing happens and nothing is recorded: `None`.
    pub fn send(&mut self, message: &str) -> Option<&TurnRecord> {
        let before = self.records.len();
        self.watch(|dialogue| {
            dialogue.send(message);
        });
        self.records.get(before)
    }

    /// Orders an exam by name and arguments, in the words an agent would use.
    pub fn order<'a>(
        &mut self,
        tool: &str,
        arguments: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Option<&TurnRecord> {
        let mut message = String::new();
        write_tool_call(tool, arguments, &mut message);
        self.send(&message)
    }

    /// Commits to a diagnosis in words.
    pub fn diagnose(&mut self, diagnosis: &str) -> Option<&TurnRecord> {
        let mut message = String::new();
        write_diagnosis([diagnosis], &mut message);
        self.send(&message)
    }

    fn perform_recorded(&mut self, action: &RecordedAction) -> Result<(), StepError> {
        let mut outcome = Ok(());
        self.watch(|dialogue| outcome = dialogue.perform_recorded(action).map(|_| ()));
        outcome
    }

    /// Lets `perform` do one turn and records it, if there was one.
    fn watch(&mut self, perform: impl FnOnce(&mut Dialogue)) {
        if self.dialogue.episode().ending().is_some() {
            return;
        }
        let before = self.dialogue.episode().clone();
        perform(&mut self.dialogue);
        let episode = self.dialogue.episode();
        let (Some(step), Some(exchange)) =
            (episode.history().get(before.history().len()), self.dialogue.exchanges().last())
        else {
            return;
        };
        let clinic = self.dialogue.clinic();
        let charged = Charged::between(&before.tally(), &episode.tally());
        let belief = self.belief.as_mut().map(|belief| moved(belief, &self.channels, &before, episode, step));
        let fired = fired(episode, step);
        let clean = if fired.is_empty() && step.guess.is_none() {
            exchange.reply.clone()
        } else {
            clean::reply(clinic.base(), &before, episode, step)
        };
        self.records.push(TurnRecord {
            message: exchange.message.clone(),
            action: ActionKind::of(&step.action),
            heard: heard::heard(clinic.base(), episode, step),
            reply: exchange.reply.clone(),
            kind: step.reply,
            cents: step.cents,
            discomfort: charged.discomfort,
            price: charged.price,
            clean,
            fired,
            kept_back: kept_back(episode, step),
            belief,
        });
    }

    /// The encounter as it was after the first `turns` turns, to go on from there. It replays to the same digest.
    ///
    /// # Errors
    /// Never for an encounter of this program; the type is [`Self::replay`]'s.
    pub fn fork_at(&self, turns: usize) -> Result<Self, CodeError> {
        let mut code = ScenarioCode::of_dialogue(&self.dialogue);
        code.actions.truncate(turns);
        Self::replay(self.dialogue.clinic().clone(), self.channels.clone(), &code)
    }

    /// The encounter as a code.
    pub fn code(&self) -> ScenarioCode {
        ScenarioCode::of_dialogue(&self.dialogue)
    }

    /// The dialogue.
    pub fn dialogue(&self) -> &Dialogue {
        &self.dialogue
    }

    /// One record a turn.
    pub fn records(&self) -> &[TurnRecord] {
        &self.records
    }

    /// The belief before anything was asked; `None` for imported words.
    pub fn start(&self) -> Option<&Belief> {
        self.start.as_ref()
    }

    /// The belief now; `None` for imported words.
    pub fn belief(&self) -> Option<&Belief> {
        self.belief.as_ref()
    }

    /// What the end reveals; `None` before the end.
    pub fn debrief(&self) -> Option<Debrief> {
        self.dialogue.episode().ending().map(|ending| debrief::debrief(self.dialogue.episode(), ending))
    }
}

/// What a turn added to the tally.
struct Charged {
    discomfort: u32,
    price: f64,
}

impl Charged {
    fn between(before: &Tally, after: &Tally) -> Self {
        let cost = |tally: &Tally| -clinic::reward(0.0, tally).total;
        Self { discomfort: after.discomfort - before.discomfort, price: cost(after) - cost(before) }
    }
}

/// Updates the belief by one step and says how it moved.
fn moved(
    belief: &mut Belief,
    channels: &ReportChannels,
    before: &Episode,
    after: &Episode,
    step: &Step,
) -> BeliefRecord {
    let expected_gain = expected_gain(belief, channels, before, step);
    let truth = match after.truth() {
        Truth::Generated(patient) => usize::from(patient.disease(after.base())),
        Truth::Imported(_) => 0,
    };
    let chance = |belief: &Belief| belief.diseases().get(truth).copied().unwrap_or(0.0).max(FLOOR);
    let (entropy, likely) = (belief.entropy(), chance(belief));
    belief.observe_step(after, step);
    BeliefRecord {
        diseases: belief.diseases(),
        entropy: belief.entropy(),
        gain: entropy - belief.entropy(),
        expected_gain,
        toward_truth: log2(chance(belief) / likely),
    }
}

fn expected_gain(belief: &Belief, channels: &ReportChannels, before: &Episode, step: &Step) -> Option<f64> {
    match (&step.action, step.reply) {
        (Action::Ask(question), ReplyKind::Answer | ReplyKind::OpenAnswer) => {
            Some(belief.question_gain(before, question))
        }
        (Action::Order(call), ReplyKind::Report) => {
            let view = before.base().view_of(call);
            let done = before.times_executed(call) > 0;
            Some(view.filter(|_| !done).map_or(0.0, |view| belief.report_gain(channels, view)))
        }
        _ => None,
    }
}

/// The noises of a step, in the order in which they first fired.
fn fired(episode: &Episode, step: &Step) -> Vec<Noise> {
    let mut fired = Vec::new();
    let readings = episode.readings_of(step).iter().filter_map(|reading| reading.noise);
    for noise in step.noise.into_iter().chain(readings) {
        if !fired.contains(&noise) {
            fired.push(noise);
        }
    }
    fired
}

fn kept_back(episode: &Episode, step: &Step) -> bool {
    let is_kept = |value: Value| matches!(value, Value::Withheld | Value::NotRemembered);
    episode.readings_of(step).iter().any(|reading| is_kept(reading.value))
}

#[cfg(test)]
mod tests;
