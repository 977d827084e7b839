//! The POMDP: hidden state, actions, observations, the end. Structured and text agents drive the same [`Episode::step`].
//!
//! Invariant: the content of the first direct answer to an item depends on (scenario, item) alone under the plans `keyed`
//! and `forced`; nothing that was asked before consumes anybody else's random numbers.

mod digest;
mod open;
mod state;
mod words;

use alloc::{sync::Arc, vec::Vec};

use crate::{
    action::{Action, Question},
    case::Patient,
    exam::ExamCall,
    examination,
    import::ImportedCase,
    knowledge::{ItemId, ItemKind, KnowledgeBase},
    noise::Noise,
    noise_plan::Plan,
    observation::{Reading, ReplyKind},
    patient::answer::Respondent,
    persona::Persona,
    reward::{
        RewardMode, RewardParts, Tally, clinic,
        paper::{PaperCall, PaperWeights},
        paper_reward,
    },
    scenario::{CaseSource, Scenario, ScenarioError},
};
use state::State;

/// Most diseases of one structured diagnosis; more than three earn nothing anyway.
pub const MAX_DISEASES: usize = 64;

/// The hidden truth of an episode.
#[derive(Clone, Debug)]
pub enum Truth {
    /// Generated from the knowledge base.
    Generated(Patient),
    /// Imported words.
    Imported(Arc<ImportedCase>),
}

/// One recorded step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What was done, as understood.
    pub action: Action,
    /// What kind of reply came.
    pub reply: ReplyKind,
    /// Readings of the reply: positions in [`Episode::readings`].
    pub first_reading: u32,
    /// One past the last reading.
    pub end_reading: u32,
    /// Noise on the reply as a whole (open answers, reports). Referee only.
    pub noise: Option<Noise>,
    /// The disease whose lay name the patient guessed (index).
    pub guess: Option<u16>,
    /// US cents charged.
    pub cents: u32,
    /// Patient turns before this step.
    pub patient_turn: u32,
    /// Facts told or exams shown of an imported case (indexes).
    pub facts: Vec<u16>,
}

/// How an episode ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// By a diagnosis.
    Terminated,
    /// By the cap of doctor turns.
    Truncated,
}

/// What a step led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepOutcome {
    /// The kind of reply.
    pub reply: ReplyKind,
    /// Set when the episode is over.
    pub ending: Option<Ending>,
}

/// Why a step is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The episode is over.
    #[error("the episode has ended: start a new one or fork an earlier turn")]
    Ended,
    /// An imported case is asked and examined in words.
    #[error("an imported case is asked and examined in words: send a message")]
    NeedsWords,
    /// The action names an item, exam or disease that the knowledge base does not have.
    #[error("the action names something that the knowledge base does not have")]
    UnknownId,
}

/// An episode: one doctor, one patient.
#[derive(Clone, Debug)]
pub struct Episode {
    base: Arc<KnowledgeBase>,
    scenario: Arc<Scenario>,
    truth: Truth,
    persona: Persona,
    plan: Arc<Plan>,
    state: State,
    steps: Vec<Step>,
    readings: Vec<Reading>,
    ending: Option<Ending>,
}

impl Episode {
    /// Starts an episode.
    ///
    /// # Errors
    /// When the scenario is out of range or names something the knowledge base does not have.
    pub fn new(base: Arc<KnowledgeBase>, scenario: Scenario) -> Result<Self, ScenarioError> {
        scenario.check()?;
        let plan = Arc::new(Plan::new(&base, scenario.seed, &scenario.noise)?);
        let truth = match &scenario.case {
            CaseSource::Generated => Truth::Generated(Patient::draw(&base, scenario.seed, scenario.prevalence)),
            CaseSource::Imported(case) => Truth::Imported(case.clone()),
        };
        let persona = scenario.persona();
        let state = State::new(&base, scenario.payer);
        let steps = Vec::with_capacity(scenario.max_doctor_turns.min(32) as usize);
        let readings = Vec::with_capacity(64);
        Ok(Self { base, scenario: Arc::new(scenario), truth, persona, plan, state, steps, readings, ending: None })
    }

    /// Starts over with another seed and the same settings, reusing all memory.
    ///
    /// # Errors
    /// As [`Episode::new`].
    pub fn reset(&mut self, seed: u64) -> Result<(), ScenarioError> {
        match Arc::get_mut(&mut self.scenario) {
            Some(scenario) => scenario.seed = seed,
            None => self.scenario = Arc::new(Scenario { seed, ..(*self.scenario).clone() }),
        }
        if let Truth::Generated(patient) = &mut self.truth {
            *patient = Patient::draw(&self.base, seed, self.scenario.prevalence);
        }
        if matches!(*self.plan, Plan::Paper { .. }) {
            self.plan = Arc::new(Plan::new(&self.base, seed, &self.scenario.noise)?);
        }
        self.persona = self.scenario.persona();
        self.state.clear();
        self.steps.clear();
        self.readings.clear();
        self.ending = None;
        Ok(())
    }

    /// Performs one action.
    ///
    /// # Errors
    /// When the episode is over, or the action holds an index that does not exist; the episode is unchanged then.
    pub fn step(&mut self, action: Action) -> Result<StepOutcome, StepError> {
        if self.ending.is_some() {
            return Err(StepError::Ended);
        }
        self.check(&action)?;
        let mut step = Step {
            action,
            reply: ReplyKind::FormatError,
            first_reading: self.readings.len() as u32,
            end_reading: 0,
            noise: None,
            guess: None,
            cents: 0,
            patient_turn: self.state.patient_turns,
            facts: Vec::new(),
        };
        self.state.tally.doctor_turns += 1;
        self.act(&mut step);
        step.end_reading = self.readings.len() as u32;
        let reply = step.reply;
        self.steps.push(step);
        if reply == ReplyKind::End {
            self.ending = Some(Ending::Terminated);
        } else if self.state.tally.doctor_turns >= self.scenario.max_doctor_turns {
            self.ending = Some(Ending::Truncated);
        }
        Ok(StepOutcome { reply, ending: self.ending })
    }

    pub(crate) fn check(&self, action: &Action) -> Result<(), StepError> {
        let known = match action {
            Action::Ask(Question::About(items)) => {
                items[0].is_some()
                    && items[0] != items[1]
                    && items.iter().flatten().all(|&item| self.base.question_class(item).is_some())
            }
            Action::Order(call) => self.base.catalogue.holds(call),
            Action::DiagnoseDiseases(diseases) => {
                diseases.len() <= MAX_DISEASES
                    && diseases.iter().all(|&disease| usize::from(disease) < self.base.diseases.len())
            }
            Action::Ask(_) | Action::Diagnose(_) | Action::InvalidCall | Action::FormatError => true,
        };
        if known { Ok(()) } else { Err(StepError::UnknownId) }
    }

    fn act(&mut self, step: &mut Step) {
        match step.action {
            Action::Ask(question) => self.ask(question, step),
            Action::Order(call) => self.order(call, step),
            Action::Diagnose(_) | Action::DiagnoseDiseases(_) => step.reply = ReplyKind::End,
            Action::InvalidCall => {
                self.state.tally.invalid_calls += 1;
                self.state.tally.tool_turns += 1;
                self.state.tally.malformed_tool_turns += 1;
                step.reply = ReplyKind::InvalidCall;
            }
            Action::FormatError => {
                self.state.tally.format_errors += 1;
                step.reply = ReplyKind::FormatError;
            }
        }
    }

    fn ask(&mut self, question: Question, step: &mut Step) {
        if self.state.patient_turns >= self.scenario.max_patient_turns {
            step.reply = ReplyKind::PatientTurnsUsedUp;
            return;
        }
        match (question, &self.truth) {
            (Question::NotUnderstood, _) | (_, Truth::Imported(_)) => step.reply = ReplyKind::NotUnderstood,
            (Question::About(items), Truth::Generated(_)) => {
                step.reply = ReplyKind::Answer;
                for item in items.into_iter().flatten() {
                    self.answer_item(item, step);
                }
            }
            (Question::Open(topic), Truth::Generated(_)) => {
                step.reply = ReplyKind::OpenAnswer;
                self.answer_open(topic, step);
            }
        }
        self.state.patient_turns += 1;
    }

    fn answer_item(&mut self, item: ItemId, step: &mut Step) {
        let Some(respondent) = self.respondent() else { return };
        let answer = respondent.answer(item, self.state.asked(item));
        self.state.note_asked(item);
        if let Some(ItemKind::Finding(finding)) = self.base.item_kind(item) {
            self.state.tell(finding);
        }
        self.readings.push(answer.reading);
        step.guess = step.guess.or(answer.guess);
    }

    /// The patient as asked now; `None` for an imported case.
    fn respondent(&self) -> Option<Respondent<'_>> {
        let Truth::Generated(patient) = &self.truth else { return None };
        let patient_turn = self.state.patient_turns;
        Some(Respondent { base: &self.base, patient, persona: self.persona, plan: &self.plan, patient_turn })
    }

    fn order(&mut self, call: ExamCall, step: &mut Step) {
        if !self.can_order(&call) {
            step.reply = ReplyKind::NotApplicable;
            return;
        }
        if self.base.catalogue.exam(&call).imported_only {
            self.state.tally.invalid_calls += 1;
            self.state.tally.tool_turns += 1;
            self.state.tally.malformed_tool_turns += 1;
            step.reply = ReplyKind::InvalidCall;
            return;
        }
        step.reply = ReplyKind::Report;
        self.state.tally.tool_turns += 1;
        let call = self.base.catalogue.identity(&call);
        let done_before = self.state.times_executed(&call);
        step.cents = self.charge(call);
        if let Truth::Generated(patient) = &self.truth {
            let struck = examination::report(&self.base, patient, &self.plan, &call, done_before, &mut self.readings);
            step.noise = struck.map(Noise::Exam);
        }
    }

    /// Whether the exam is anatomically possible for this patient.
    pub fn can_order(&self, call: &ExamCall) -> bool {
        let Truth::Generated(patient) = &self.truth else { return true };
        let sex_fits = self.base.catalogue.only_for(call).is_none_or(|sex| sex == patient.sex);
        let view = self.base.view_of(call);
        sex_fits && view.is_none_or(|view| patient.covered_by(&self.base.views[usize::from(view)].applies))
    }

    /// Books a call, with the collection of its specimen where that has not been done; returns the cents charged.
    fn charge(&mut self, call: ExamCall) -> u32 {
        let catalogue = &self.base.catalogue;
        let before = self.state.tally.usd_cents;
        if let Some(collection) = catalogue.collection_due(&call, &self.state.collected) {
            self.state.tally.charge(&catalogue.price(&collection));
            self.state.tally.contraindicated += u32::from(self.is_contraindicated(&collection));
            self.state.collected.push(collection);
        }
        self.state.tally.charge(&catalogue.price(&call));
        let call = catalogue.identity(&call);
        self.state.tally.repeated_calls += u32::from(self.state.times_executed(&call) > 0);
        self.state.tally.contraindicated += u32::from(self.is_contraindicated(&call));
        self.state.executed.push(call);
        self.state.collected.push(call);
        self.state.tally.usd_cents - before
    }

    fn is_contraindicated(&self, call: &ExamCall) -> bool {
        let Truth::Generated(patient) = &self.truth else { return false };
        let disease = &self.base.diseases[usize::from(patient.disease(&self.base))];
        disease.contraindicated.iter().any(|pattern| pattern.matches(call))
    }

    /// All parts of the reward, finite at any moment; what counts is the value at the end. Before it, referee only: in paper mode
    /// the parts depend on the hidden reference workup. Paper mode scores calls in canonical form, defaults filled in, on both
    /// sides; the published vectors are scored as written.
    pub fn reward(&self) -> RewardParts {
        let similarity = self.diagnosis_score();
        let tally = self.tally();
        match self.scenario.reward_mode {
            RewardMode::Clinic => clinic::reward(similarity, &tally),
            RewardMode::Paper => {
                let as_text = |call: &ExamCall| PaperCall::from_call(&self.base.catalogue, call);
                let ordered: Vec<PaperCall> = self.ordered().map(as_text).collect();
                let reference: Vec<PaperCall> = self.reference_workup().iter().map(as_text).collect();
                let weights = PaperWeights::default();
                paper_reward(&self.base.catalogue, &weights, similarity, &ordered, &reference, &tally)
            }
        }
    }

    /// The calls the agent itself had executed, in order.
    fn ordered(&self) -> impl Iterator<Item = &ExamCall> {
        self.steps.iter().filter_map(|step| match &step.action {
            Action::Order(call) if matches!(step.reply, ReplyKind::Report | ReplyKind::NotRecorded) => Some(call),
            _ => None,
        })
    }

    fn missed_severe(&self, similarity: f64) -> bool {
        let Truth::Generated(patient) = &self.truth else { return false };
        let severity = self.base.diseases[usize::from(patient.disease(&self.base))].severity;
        self.ending.is_some() && severity == 1 && similarity <= 0.0
    }

    /// The knowledge base.
    pub fn base(&self) -> &Arc<KnowledgeBase> {
        &self.base
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The hidden truth. Referee only.
    pub fn truth(&self) -> &Truth {
        &self.truth
    }

    /// The speaker.
    pub fn persona(&self) -> Persona {
        self.persona
    }

    /// The steps so far.
    pub fn history(&self) -> &[Step] {
        &self.steps
    }

    /// All readings so far.
    pub fn readings(&self) -> &[Reading] {
        &self.readings
    }

    /// The readings of a step.
    pub fn readings_of(&self, step: &Step) -> &[Reading] {
        &self.readings[step.first_reading as usize..step.end_reading as usize]
    }

    /// How the episode ended, once it has.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// What was counted so far. Missed severe diseases and contraindicated orders tell the truth about the patient: they are 0
    /// until the episode has ended.
    pub fn tally(&self) -> Tally {
        let mut tally = self.state.tally;
        if self.ending.is_none() {
            tally.contraindicated = 0;
        } else {
            tally.missed_severe = u32::from(self.missed_severe(self.diagnosis_score()));
        }
        tally
    }

    /// Doctor turns so far.
    pub fn doctor_turns(&self) -> u32 {
        self.state.tally.doctor_turns
    }

    /// Patient turns so far.
    pub fn patient_turns(&self) -> u32 {
        self.state.patient_turns
    }

    /// Ends an episode from outside, as the cap of doctor turns would: for agents that run out of tokens. Nothing happens after the
    /// end.
    pub fn truncate(&mut self) {
        self.ending = self.ending.or(Some(Ending::Truncated));
    }

    /// Counts further format errors of one message (tool calls after the first).
    pub fn add_format_errors(&mut self, count: u32) {
        self.state.tally.format_errors = self.state.tally.format_errors.saturating_add(count);
    }

    /// How often an item was asked for directly.
    pub fn times_asked(&self, item: ItemId) -> u16 {
        self.state.asked(item)
    }

    /// How often a call was executed.
    pub fn times_executed(&self, call: &ExamCall) -> u16 {
        self.state.times_executed(&self.base.catalogue.identity(call))
    }

    /// The calls executed so far, and the collections of specimens that were charged along.
    pub fn collected(&self) -> &[ExamCall] {
        &self.state.collected
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// A copy that shares the knowledge base and goes its own way from here.
    #[must_use]
    pub fn fork(&self) -> Self {
        self.clone()
    }
}
