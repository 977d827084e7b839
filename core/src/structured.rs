//! Structured agents: numbered actions, fixed-length observations, many episodes stepped without building any text.

use alloc::{string::String, sync::Arc, vec, vec::Vec};

use crate::{
    action::{Action, Question},
    clinician::Candidates,
    episode::{Episode, Truth},
    knowledge::{AttributeValues, ItemId, ItemKind, KnowledgeBase},
    observation::{Source, Value},
    scenario::{Scenario, ScenarioError},
};

/// The numbered actions of a knowledge base: questions about items, open questions, orders, diagnoses, in this order.
#[derive(Clone, Debug)]
pub struct ActionSpace {
    actions: Vec<Action>,
    num_questions: usize,
}

impl ActionSpace {
    /// Numbers the actions.
    pub fn new(base: &KnowledgeBase, candidates: &Candidates) -> Self {
        let items = candidates.items.iter().map(|&item| Action::Ask(Question::item(item)));
        let topics = candidates.topics.iter().map(|&topic| Action::Ask(Question::Open(topic)));
        let mut actions: Vec<Action> = items.chain(topics).collect();
        let num_questions = actions.len();
        actions.extend(candidates.orders.iter().map(|order| Action::Order(order.call)));
        actions.extend((0..base.diseases.len() as u16).map(|disease| Action::DiagnoseDiseases(vec![disease])));
        Self { actions, num_questions }
    }

    /// Number of actions.
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// The action of a number.
    pub fn action(&self, index: usize) -> Option<&Action> {
        self.actions.get(index)
    }

    /// Marks the legal actions of an episode, one bit each, lowest bit first. `bits` has `len() / 64` words, rounded up.
    pub fn legal_actions(&self, episode: &Episode, bits: &mut [u64]) {
        bits.fill(0);
        if episode.ending().is_some() {
            return;
        }
        let can_ask = episode.patient_turns() < episode.scenario().max_patient_turns;
        for (index, action) in self.actions.iter().enumerate() {
            let legal = match action {
                Action::Order(call) => episode.can_order(call),
                _ => index >= self.num_questions || can_ask,
            };
            if let Some(word) = bits.get_mut(index / 64) {
                *word |= u64::from(legal) << (index % 64);
            }
        }
    }
}

/// What the numbers of an observation mean. Fixed length for one knowledge base.
#[derive(Clone, Debug)]
pub struct ObservationSpec {
    /// First number of each item.
    offsets: Vec<u32>,
    names: Vec<String>,
    num_complaints: usize,
}

/// The flag of an item that was asked for or ordered, without an answer; 1 once it was reported.
const ASKED: f32 = 0.5;

/// Numbers before those of the items: age / 100, sex, doctor turns left, patient turns left, dollars (log scale).
const NUM_GENERAL: usize = 5;

impl ObservationSpec {
    /// Lays out the numbers: general ones, complaint, then per item a flag "reported" and its values one-hot.
    pub fn new(base: &KnowledgeBase) -> Self {
        let mut names: Vec<String> =
            ["age", "is_male", "doctor_turns_left", "patient_turns_left", "dollars"].map(String::from).to_vec();
        for complaint in &base.complaints {
            names.push(alloc::format!("complaint.{}", base.findings[usize::from(complaint.finding)].id));
        }
        let mut offsets = Vec::with_capacity(base.num_items());
        for item in (0..base.num_items() as u16).map(ItemId) {
            offsets.push(names.len() as u32);
            let name = base.item_name(item);
            names.push(alloc::format!("{name}.reported"));
            for value in 0..num_slots(base, item) {
                names.push(alloc::format!("{name}.{value}"));
            }
        }
        Self { offsets, names, num_complaints: base.complaints.len() }
    }

    /// Number of numbers.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// What each number is.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Writes the observation of an episode: what an agent may see, nothing of the referee's. `out` has [`Self::len`] numbers.
    pub fn encode(&self, episode: &Episode, out: &mut [f32]) {
        out.fill(0.0);
        let Truth::Generated(patient) = episode.truth() else { return };
        if out.len() < self.len() {
            return;
        }
        let scenario = episode.scenario();
        let left = |used: u32, most: u32| (most.saturating_sub(used)) as f32 / most.max(1) as f32;
        out[0] = patient.age as f32 / 100.0;
        out[1] = f32::from(u8::from(patient.sex == crate::knowledge::Sex::Male));
        out[2] = left(episode.doctor_turns(), scenario.max_doctor_turns);
        out[3] = left(episode.patient_turns(), scenario.max_patient_turns);
        out[4] = crate::math::ln_1p(episode.tally().dollars() / 10.0) as f32 / 5.0;
        out[NUM_GENERAL + usize::from(patient.complaint).min(self.num_complaints - 1)] = 1.0;
        for reading in episode.readings() {
            if reading.source == Source::PassedOver {
                continue;
            }
            let Some(&start) = self.offsets.get(usize::from(reading.item.0)) else { continue };
            let start = start as usize;
            if reading.value.is_no_answer() {
                out[start] = out[start].max(ASKED);
                continue;
            }
            let Some(slot) = slot(episode.base(), reading.item, reading.value) else { continue };
            let end = self.offsets.get(usize::from(reading.item.0) + 1).map_or(self.len(), |&end| end as usize);
            out[start + 1..end].fill(0.0);
            out[start] = 1.0;
            out[start + 1 + slot] = 1.0;
        }
    }
}

/// Slots of an item: absent, present; values and "not applicable" and, for durations, "a while"; bands or field values.
fn num_slots(base: &KnowledgeBase, item: ItemId) -> usize {
    match base.item_kind(item) {
        Some(ItemKind::Finding(_)) => 2,
        Some(ItemKind::Attribute(index)) => match &base.attributes[usize::from(index)].values {
            AttributeValues::Sites(_) => base.sites.len() + 1,
            AttributeValues::Duration(_) => DURATION_SLOTS,
            _ => base.attributes[usize::from(index)].num_values + 1,
        },
        Some(ItemKind::Analyte(index)) => base.analytes[usize::from(index)].num_values,
        None => 0,
    }
}

/// A duration is told in one of six units, as "a while" or not applicable.
const DURATION_SLOTS: usize = 8;

fn slot(base: &KnowledgeBase, item: ItemId, value: Value) -> Option<usize> {
    let last = num_slots(base, item) - 1;
    let slot = match value {
        Value::Absent => 0,
        Value::Present => 1,
        Value::NotApplicable => last,
        Value::Choice(value) => usize::from(value),
        Value::Severity(severity) => usize::from(severity) - 1,
        Value::Duration(_, unit) => unit as usize,
        Value::Awhile => last - 1,
        Value::Number { band, .. } => usize::from(band),
        _ => return None,
    };
    (slot <= last).then_some(slot)
}

/// Many episodes stepped together; an ended one starts over with its next seed.
#[derive(Clone, Debug)]
pub struct VectorEnv {
    space: Arc<ActionSpace>,
    episodes: Vec<Episode>,
    next_seed: Vec<u64>,
}

/// What a step of one environment gave.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VectorStep {
    /// The episode's reward when it ended with this step, else 0.
    pub reward: f64,
    /// The episode ended by a diagnosis.
    pub terminated: bool,
    /// The episode ended by the cap of turns.
    pub truncated: bool,
}

impl VectorEnv {
    /// Starts `num` episodes; environment `i` plays seeds `first_seed + i`, then every `num`-th after it.
    ///
    /// # Errors
    /// As [`Episode::new`].
    pub fn new(
        base: &Arc<KnowledgeBase>,
        space: Arc<ActionSpace>,
        settings: &Scenario,
        first_seed: u64,
        num: u32,
    ) -> Result<Self, ScenarioError> {
        let seeds = (0..u64::from(num)).map(|index| first_seed.wrapping_add(index));
        let start = |seed| Episode::new(base.clone(), Scenario { seed, ..settings.clone() });
        let episodes = seeds.clone().map(start).collect::<Result<_, _>>()?;
        let next_seed = seeds.map(|seed| seed.wrapping_add(u64::from(num))).collect();
        Ok(Self { space, episodes, next_seed })
    }

    /// Performs one action in every environment. A number without an action is a format error. `results` is as long as `actions`.
    pub fn step(&mut self, actions: &[u32], results: &mut [VectorStep]) {
        let stride = self.episodes.len() as u64;
        for (((episode, next_seed), &action), result) in
            self.episodes.iter_mut().zip(&mut self.next_seed).zip(actions).zip(results)
        {
            let action = self.space.action(action as usize).cloned().unwrap_or(Action::FormatError);
            // The space holds only actions of this knowledge base, and ended episodes have been restarted.
            let _ = episode.step(action);
            *result = match episode.ending() {
                None => VectorStep::default(),
                Some(ending) => VectorStep {
                    reward: episode.reward().total,
                    terminated: ending == crate::episode::Ending::Terminated,
                    truncated: ending == crate::episode::Ending::Truncated,
                },
            };
            if episode.ending().is_some() {
                let _ = episode.reset(*next_seed);
                *next_seed = next_seed.wrapping_add(stride);
            }
        }
    }

    /// The episodes.
    pub fn episodes(&self) -> &[Episode] {
        &self.episodes
    }

    /// The numbered actions.
    pub fn space(&self) -> &ActionSpace {
        &self.space
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reward::Payer;

    fn base() -> Arc<KnowledgeBase> {
        Arc::new(KnowledgeBase::core24().unwrap())
    }

    #[test]
    fn observations_have_the_length_of_their_names_and_show_what_was_told() {
        let base = base();
        let spec = ObservationSpec::new(&base);
        let mut episode = Episode::new(base.clone(), Scenario::headline(5)).unwrap();
        let mut before = vec![0.0; spec.len()];
        spec.encode(&episode, &mut before);
        let complaint = match episode.truth() {
            Truth::Generated(patient) => base.complaints[usize::from(patient.complaint)].finding,
            Truth::Imported(_) => unreachable!("a generated scenario"),
        };
        for _ in 0..2 {
            episode.step(Action::Ask(Question::item(base.finding_item(complaint)))).unwrap();
        }
        let mut after = vec![0.0; spec.len()];
        spec.encode(&episode, &mut after);
        assert_ne!(before, after);
        assert!(after.iter().all(|value| value.is_finite()));
    }

    #[test]
    fn vector_env_restarts_ended_episodes_with_their_next_seed() {
        let base = base();
        let candidates = Candidates::new(&base, Payer::Medicare);
        let space = Arc::new(ActionSpace::new(&base, &candidates));
        let mut env = VectorEnv::new(&base, space.clone(), &Scenario::headline(0), 10, 2).unwrap();
        let diagnose = space.len() as u32 - 1;
        let mut results = [VectorStep::default(); 2];
        env.step(&[diagnose, 0], &mut results);
        assert!(results[0].terminated && !results[1].terminated);
        assert_eq!(env.episodes()[0].scenario().seed, 12);
        assert_eq!(env.episodes()[1].scenario().seed, 11);
        let mut bits = vec![0; space.len().div_ceil(64)];
        space.legal_actions(&env.episodes()[0], &mut bits);
        assert!(bits.iter().map(|word| word.count_ones()).sum::<u32>() > 100);
    }
}
