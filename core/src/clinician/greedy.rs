//! `ideal` and `ideal_naive`: greedy Bayes. A greedy reference, never called optimal.

use alloc::{sync::Arc, vec, vec::Vec};

use super::{
    Candidates, Clinician, Follower, OrderCandidate,
    candidates::{QUESTION_PRICE, finding_of, is_applicable},
};
use crate::{
    action::{Action, Question},
    belief::{
        Belief,
        gain::{Frame, ReportChannels},
    },
    episode::Episode,
    knowledge::{ItemId, ItemKind},
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
        Some(Judgement { disease, confidence, best: best_action(belief, episode, &self.candidates, &self.channels) })
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
        match best_action(belief, episode, &self.candidates, &self.channels) {
            Some(choice) if choice.ratio() >= self.thresholds.ratio => choice.action,
            _ => give_up,
        }
    }
}

/// The best question or order.
fn best_action(
    belief: &Belief,
    episode: &Episode,
    candidates: &Candidates,
    channels: &ReportChannels,
) -> Option<Choice> {
    let frame = Frame::new(belief);
    let question = best_question(&frame, episode, candidates);
    let least = question.as_ref().map_or(0.0, Choice::ratio);
    let order = best_order(&frame, episode, candidates, channels, least, |_| true);
    better(question, order)
}

fn better(first: Option<Choice>, second: Option<Choice>) -> Option<Choice> {
    match (first, second) {
        (Some(first), Some(second)) => Some(if second.ratio() > first.ratio() { second } else { first }),
        (first, second) => first.or(second),
    }
}

/// Bounds are compared with this much room for rounding, in bits.
const ROUNDING: f64 = 1e-9;

/// The question with the highest expected gain (the first of equals); all cost the same.
///
/// Questions are worked out from the one that can tell most; those that cannot tell as much as the best so far never are.
pub(super) fn best_question(frame: &Frame<'_>, episode: &Episode, candidates: &Candidates) -> Option<Choice> {
    if episode.patient_turns() >= episode.scenario().max_patient_turns {
        return None;
    }
    let open = candidates.topics.iter().map(|&topic| Question::Open(topic));
    let direct =
        candidates.items.iter().filter(|&&item| worth_asking(frame, episode, item)).map(|&item| Question::item(item));
    let with_bound =
        |(position, question): (usize, Question)| (frame.question_bound(episode, &question), position, question);
    let mut ranked: Vec<(f64, usize, Question)> = open.chain(direct).enumerate().map(with_bound).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut best: Option<(f64, usize, Question)> = None;
    for (bound, position, question) in ranked {
        if best.is_some_and(|(most, ..)| bound + ROUNDING < most) {
            break;
        }
        let gain = frame.question_gain(episode, &question);
        if best.is_none_or(|(most, at, _)| gain > most || (gain >= most && position < at)) {
            best = Some((gain, position, question));
        }
    }
    best.map(|(gain, _, question)| Choice { action: Action::Ask(question), gain, price: QUESTION_PRICE })
}

fn worth_asking(frame: &Frame<'_>, episode: &Episode, item: ItemId) -> bool {
    if episode.times_asked(item) > 1 || !is_applicable(episode, item) {
        return false;
    }
    let base = episode.base();
    match base.item_kind(item) {
        Some(ItemKind::Attribute(_)) => {
            finding_of(base, item).is_some_and(|finding| frame.mean_presence(finding) >= PROBABLE)
        }
        _ => true,
    }
}

/// The order with the highest expected gain per price among those that `allowed` lets through and that were not done yet.
///
/// Only orders that can reach `least` bits per unit of reward are worked out: none tells more than the entropy.
pub(super) fn best_order(
    frame: &Frame<'_>,
    episode: &Episode,
    candidates: &Candidates,
    channels: &ReportChannels,
    least: f64,
    allowed: impl Fn(&OrderCandidate) -> bool,
) -> Option<Choice> {
    let most = frame.entropy() + ROUNDING;
    let mut best: Option<Choice> = None;
    for order in candidates.orders.iter().filter(|order| allowed(order)) {
        let wanted = best.as_ref().map_or(least, |best| best.ratio().max(least));
        if most < wanted * order.price || episode.times_executed(&order.call) > 0 || !episode.can_order(&order.call) {
            continue;
        }
        let gain = frame.report_gain(channels, order.view);
        let price = Candidates::price_now(episode, order);
        if best.as_ref().is_none_or(|best| gain / price > best.ratio()) {
            best = Some(Choice { action: Action::Order(order.call), gain, price });
        }
    }
    best
}
