//! `ideal` and `ideal_naive`: greedy Bayes. A greedy reference, never called optimal.

use alloc::{sync::Arc, vec};

use super::{
    Candidates, Clinician, Follower, OrderCandidate,
    candidates::{QUESTION_PRICE, finding_of, is_applicable},
};
use crate::{
    action::{Action, Question},
    belief::{Belief, gain::ReportChannels},
    episode::Episode,
    knowledge::ItemKind,
};

/// When greedy Bayes stops (CLINIC 6).
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Thresholds {
    /// Stops when some disease is at least this probable.
    pub confidence: f64,
    /// Stops when the best action gains fewer bits per unit of reward.
    pub ratio: f64,
}

/// Attributes of findings less probable than this are not worth asking about.
const PROBABLE: f64 = 0.3;

/// Greedy information per price.
#[derive(Clone, Debug)]
pub struct Greedy {
    candidates: Arc<Candidates>,
    channels: Arc<ReportChannels>,
    thresholds: Thresholds,
    follower: Follower,
}

/// An action with what it is expected to tell and to cost.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The action.
    pub action: Action,
    /// Expected information gain in bits.
    pub gain: f64,
    /// Price in reward.
    pub price: f64,
}

impl Choice {
    /// Bits per unit of reward.
    pub fn ratio(&self) -> f64 {
        self.gain / self.price
    }
}

/// What greedy Bayes thinks before its next action, thresholds aside.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The most probable disease (index).
    pub disease: u16,
    /// Its probability.
    pub confidence: f64,
    /// The best action; `None` when nothing is left to do.
    pub best: Option<Choice>,
}

impl Greedy {
    /// `ideal`: knows the noise.
    pub fn new(candidates: Arc<Candidates>, channels: Arc<ReportChannels>, thresholds: Thresholds) -> Self {
        Self { candidates, channels, thresholds, follower: Follower::default() }
    }

    /// `ideal_naive`: believes every word (the price of ignoring noise).
    pub fn naive(candidates: Arc<Candidates>, channels: Arc<ReportChannels>, thresholds: Thresholds) -> Self {
        Self {
            follower: Follower { naive: true, ..Follower::default() },
            ..Self::new(candidates, channels, thresholds)
        }
    }

    /// What it thinks now; `None` for imported words. The sequence of best actions does not depend on the thresholds, which only
    /// say when to stop: that is how they are tuned.
    pub fn judge(&mut self, episode: &Episode) -> Option<Judgement> {
        let belief = self.follower.follow(episode)?;
        let (disease, confidence) = belief.top();
        let question = best_question(belief, episode, &self.candidates);
        let order = best_order(belief, episode, &self.candidates, &self.channels, |_| true);
        Some(Judgement { disease, confidence, best: better(question, order) })
    }
}

impl Clinician for Greedy {
    fn start(&mut self, episode: &Episode) {
        self.follower.start(episode);
    }

    fn next_action(&mut self, episode: &Episode) -> Action {
        let Some(belief) = self.follower.follow(episode) else { return Action::FormatError };
        let (disease, confidence) = belief.top();
        let give_up = Action::DiagnoseDiseases(vec![disease]);
        let is_last = episode.doctor_turns() + 1 >= episode.scenario().max_doctor_turns;
        if is_last || confidence >= self.thresholds.confidence {
            return give_up;
        }
        let question = best_question(belief, episode, &self.candidates);
        let order = best_order(belief, episode, &self.candidates, &self.channels, |_| true);
        let best = better(question, order);
        match best {
            Some(choice) if choice.ratio() >= self.thresholds.ratio => choice.action,
            _ => give_up,
        }
    }
}

fn better(first: Option<Choice>, second: Option<Choice>) -> Option<Choice> {
    match (first, second) {
        (Some(first), Some(second)) => Some(if second.ratio() > first.ratio() { second } else { first }),
        (first, second) => first.or(second),
    }
}

/// The question with the highest expected gain; all cost the same.
pub(super) fn best_question(belief: &Belief, episode: &Episode, candidates: &Candidates) -> Option<Choice> {
    if episode.patient_turns() >= episode.scenario().max_patient_turns {
        return None;
    }
    let open = candidates.topics.iter().map(|&topic| Question::Open(topic));
    let direct =
        candidates.items.iter().filter(|&&item| worth_asking(belief, episode, item)).map(|&item| Question::item(item));
    let mut best: Option<(Question, f64)> = None;
    for question in open.chain(direct) {
        let gain = belief.question_gain(episode, &question);
        if best.is_none_or(|(_, most)| gain > most) {
            best = Some((question, gain));
        }
    }
    best.map(|(question, gain)| Choice { action: Action::Ask(question), gain, price: QUESTION_PRICE })
}

fn worth_asking(belief: &Belief, episode: &Episode, item: crate::knowledge::ItemId) -> bool {
    if episode.times_asked(item) > 1 || !is_applicable(episode, item) {
        return false;
    }
    let base = episode.base();
    match base.item_kind(item) {
        Some(ItemKind::Attribute(_)) => {
            finding_of(base, item).is_some_and(|finding| mean_presence(belief, finding) >= PROBABLE)
        }
        _ => true,
    }
}

/// P(finding present | everything observed).
fn mean_presence(belief: &Belief, finding: u16) -> f64 {
    let present = belief.finding_posterior(finding);
    present.iter().zip(belief.hypotheses()).map(|(present, weight)| present * weight).sum()
}

/// The order with the highest expected gain per price among those that `allowed` lets through and that were not done yet.
pub(super) fn best_order(
    belief: &Belief,
    episode: &Episode,
    candidates: &Candidates,
    channels: &ReportChannels,
    allowed: impl Fn(&OrderCandidate) -> bool,
) -> Option<Choice> {
    let mut best: Option<Choice> = None;
    for order in candidates.orders.iter().filter(|order| allowed(order)) {
        if episode.times_executed(&order.call) > 0 || !episode.can_order(&order.call) {
            continue;
        }
        let gain = belief.report_gain(channels, order.view);
        let price = Candidates::price_now(episode, order);
        if best.as_ref().is_none_or(|best| gain / price > best.ratio()) {
            best = Some(Choice { action: Action::Order(order.call), gain, price });
        }
    }
    best
}
