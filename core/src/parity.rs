//! One digest over many whole episodes, words included: what two builds of the clinic are compared by.
//!
//! A scripted clinician talks through scenarios that cycle over all noise plans and levels, all personas, both reward modes,
//! both payers and both prevalences. It asks in words, orders, repeats itself, makes mistakes and diagnoses. Everything it does
//! is keyed by the scenario, so the digest depends on the seed, the number of scenarios and the clinic alone.

use alloc::{string::String, sync::Arc, vec::Vec};

use crate::{
    action::Question,
    case::Prevalence,
    clinic::Clinic,
    clinician::Candidates,
    dialogue::Dialogue,
    digest::Digest,
    knowledge::{ItemId, KnowledgeBase, Topic},
    noise::{ExamNoise, ForcedNoise, Noise, NoisePlan, NoiseSettings, QuestionClass},
    persona::{Persona, Personality, Proficiency, Recall},
    protocol::{write_diagnosis, write_tool_call},
    random::{KeyedRng, Purpose, Split, scenario_seed},
    reward::{Payer, RewardMode},
    scenario::{PersonaChoice, Scenario, ScenarioError},
    wording::Wording,
};

/// Levels of patient and exam noise, in parts per million.
const LEVELS: [(u32, u32); 5] =
    [(0, 0), (150_000, 100_000), (300_000, 100_000), (500_000, 300_000), (1_000_000, 1_000_000)];
/// Forced noises of a scenario under the plan `forced`.
const NUM_FORCED: u32 = 24;

/// The digest of `scenarios` whole episodes under a master seed.
///
/// # Errors
/// Never for the scenarios made here; the type is [`Dialogue::new`]'s.
pub fn episodes_digest(clinic: &Arc<Clinic>, seed: u64, scenarios: u64) -> Result<u64, ScenarioError> {
    let script = Script::new(clinic.base(), Wording::new(clinic.base(), clinic.phrases()).ok());
    let mut digest = Digest::new();
    for index in 0..scenarios {
        let mut dialogue = Dialogue::new(clinic.clone(), scenario(clinic.base(), seed, index))?;
        script.play(&mut dialogue);
        digest.u64(dialogue.digest());
    }
    Ok(digest.value())
}

/// Scenario `index`: settings cycle at different speeds, so that all combinations of neighbours come up.
pub fn scenario(base: &KnowledgeBase, seed: u64, index: u64) -> Scenario {
    let seed = scenario_seed(seed, Split::Test, index);
    let (patient_ppm, exam_ppm) = LEVELS[(index / 3 % 5) as usize];
    let plan = [NoisePlan::Keyed, NoisePlan::Paper, NoisePlan::Forced][(index % 3) as usize];
    let forced = if plan == NoisePlan::Forced { forced_noises(base, seed) } else { Vec::new() };
    let persona = index % 36;
    Scenario {
        persona: PersonaChoice::Fixed(Persona {
            personality: Personality::ALL[(persona % 6) as usize],
            proficiency: Proficiency::ALL[(persona / 6 % 3) as usize],
            recall: Recall::ALL[(persona / 18) as usize],
        }),
        noise: NoiseSettings { plan, patient_ppm, exam_ppm, forced },
        reward_mode: if index.is_multiple_of(2) { RewardMode::Clinic } else { RewardMode::Paper },
        payer: if (index / 2).is_multiple_of(2) { Payer::Medicare } else { Payer::Cash },
        prevalence: if (index / 4).is_multiple_of(2) { Prevalence::Uniform } else { Prevalence::Incidence },
        ..Scenario::headline(seed)
    }
}

fn forced_noises(base: &KnowledgeBase, seed: u64) -> Vec<ForcedNoise> {
    let mut rng = KeyedRng::new(seed, Purpose::Auxiliary, 0, 1);
    let askable = (base.findings.len() + base.attributes.len()) as u32;
    let mut forced: Vec<ForcedNoise> = Vec::new();
    for index in 0..NUM_FORCED {
        let entry = if index % 4 == 3 {
            let exam = &base.catalogue.exams()[rng.below(base.catalogue.exams().len() as u32) as usize];
            let noise = ExamNoise::ALL[rng.below(3) as usize];
            ForcedNoise { item: exam.name.clone(), noise: Noise::Exam(noise) }
        } else {
            let item = ItemId(rng.below(askable) as u16);
            let eligible = base.question_class(item).map_or(&[][..], QuestionClass::eligible);
            let draw = rng.below(eligible.len() as u32) as usize;
            let Some(&noise) = eligible.get(draw) else { continue };
            ForcedNoise { item: base.item_name(item), noise: Noise::Patient(noise) }
        };
        if forced.iter().all(|other| other.item != entry.item) {
            forced.push(entry);
        }
    }
    forced
}

/// What the scripted clinician can say.
#[derive(Clone, Debug)]
struct Script<'a> {
    base: &'a KnowledgeBase,
    wording: Option<Wording>,
    candidates: Candidates,
}

/// Messages that are no use, one way each.
const MISTAKES: [&str; 8] = [
    "",
    "<think>what could it be?</think>",
    "<tool_call>{\"name\": \"ecg\"",
    "{\"name\": \"ecg\"}",
    "<tool_call>{\"name\": \"tricorder\", \"arguments\": {}}</tool_call>",
    "<tool_call>{\"name\": \"ct\", \"arguments\": {\"region\": \"the moon\"}}</tool_call>",
    "[DIAGNOSIS: ]",
    "Colourless green ideas sleep furiously.",
];

impl<'a> Script<'a> {
    fn new(base: &'a KnowledgeBase, wording: Option<Wording>) -> Self {
        Self { base, wording, candidates: Candidates::new(base, Payer::Medicare) }
    }

    /// Talks until the episode is over.
    fn play(&self, dialogue: &mut Dialogue) {
        let seed = dialogue.episode().scenario().seed;
        let mut message = String::new();
        while dialogue.episode().ending().is_none() {
            let turn = dialogue.episode().doctor_turns();
            let mut rng = KeyedRng::new(seed, Purpose::Clinician, u64::from(turn), 1);
            let repeated = rng.below(10) == 0;
            if !repeated || turn == 0 {
                message.clear();
                self.compose(&mut rng, turn, &mut message);
            }
            dialogue.send(&message);
        }
    }

    fn compose(&self, rng: &mut KeyedRng, turn: u32, message: &mut String) {
        match rng.below(100) {
            0..45 => self.ask(rng, message),
            45..55 => self.ask_openly(rng, message),
            55..80 => self.order(rng, message),
            80..84 => {
                self.order(rng, message);
                self.order(rng, message);
            }
            84..92 => message.push_str(MISTAKES[rng.below(MISTAKES.len() as u32) as usize]),
            _ if turn < 3 => self.ask_openly(rng, message),
            _ => self.diagnose(rng, message),
        }
    }

    fn ask(&self, rng: &mut KeyedRng, message: &mut String) {
        let mut question = [None, None];
        for slot in question.iter_mut().take(1 + rng.below(2) as usize) {
            *slot = self.candidates.items.get(rng.below(self.candidates.items.len() as u32) as usize).copied();
        }
        self.write(Question::About(question), rng.draw(), message);
    }

    fn ask_openly(&self, rng: &mut KeyedRng, message: &mut String) {
        let topic = Topic::ALL[rng.below(Topic::ALL.len() as u32) as usize];
        self.write(Question::Open(topic), rng.draw(), message);
    }

    fn write(&self, question: Question, variant: u32, message: &mut String) {
        if let Some(wording) = &self.wording {
            wording.write_question(self.base, &question, variant, message);
        }
    }

    fn order(&self, rng: &mut KeyedRng, message: &mut String) {
        let Some(order) = self.candidates.orders.get(rng.below(self.candidates.orders.len() as u32) as usize) else {
            return;
        };
        let catalogue = &self.base.catalogue;
        write_tool_call(&catalogue.exam(&order.call).name, catalogue.arguments(&order.call), message);
    }

    fn diagnose(&self, rng: &mut KeyedRng, message: &mut String) {
        let mut name = || self.base.diseases[rng.below(self.base.diseases.len() as u32) as usize].name.as_str();
        let names = [name(), name()];
        let count = 1 + rng.below(2) as usize;
        write_diagnosis(names.into_iter().take(count), message);
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;

    fn clinic() -> Arc<Clinic> {
        Arc::new(Clinic::core24().unwrap())
    }

    #[test]
    fn the_digest_depends_on_seed_and_number_and_on_nothing_else() {
        let clinic = clinic();
        let digest = |seed, scenarios| episodes_digest(&clinic, seed, scenarios).unwrap();
        assert_eq!(digest(1, 40), digest(1, 40));
        assert_ne!(digest(1, 40), digest(2, 40));
        assert_ne!(digest(1, 40), digest(1, 41));
    }

    #[test]
    fn scripted_episodes_meet_every_kind_of_reply_and_noise() {
        let clinic = clinic();
        let script = Script::new(clinic.base(), Wording::new(clinic.base(), clinic.phrases()).ok());
        let (mut replies, mut noises) = (BTreeSet::new(), BTreeSet::new());
        for index in 0..400 {
            let mut dialogue = Dialogue::new(clinic.clone(), scenario(clinic.base(), 1, index)).unwrap();
            script.play(&mut dialogue);
            let episode = dialogue.episode();
            replies.extend(episode.history().iter().map(|step| step.reply as u8));
            let fired = episode.history().iter().filter_map(|step| step.noise);
            for noise in fired.chain(episode.readings().iter().filter_map(|reading| reading.noise)) {
                noises.insert(match noise {
                    Noise::Patient(noise) => noise as u8,
                    Noise::Exam(noise) => 10 + noise as u8,
                });
            }
        }
        assert_eq!(noises.len(), 10, "{noises:?}");
        // All but `NotRecorded`, which only imported cases have.
        assert!(replies.len() >= 9, "{replies:?}");
    }
}
