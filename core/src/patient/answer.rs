//! What this patient says to a question: disclose the truth, then perturb it. No words yet.

use crate::{
    case::Patient,
    knowledge::{AttributeValues, FindingKind, ItemId, ItemKind, KnowledgeBase, Topic},
    noise::{DENIAL_PPM, Noise, PatientNoise},
    noise_plan::Plan,
    observation::{Reading, Source, Value},
    persona::Persona,
    random::{KeyedRng, Purpose},
};

/// The patient as asked: truth, speaker and noise plan.
#[derive(Clone, Copy)]
pub(crate) struct Respondent<'a> {
    pub(crate) base: &'a KnowledgeBase,
    pub(crate) patient: &'a Patient,
    pub(crate) persona: Persona,
    pub(crate) plan: &'a Plan,
    /// Patient turns before this one.
    pub(crate) patient_turn: u32,
}

/// An answer to one direct question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    pub(crate) reading: Reading,
    /// The disease (index) whose lay name the patient guesses.
    pub(crate) guess: Option<u16>,
}

impl Respondent<'_> {
    /// The answer to a direct question about `item`, asked `asked_before` times already.
    pub(crate) fn answer(&self, item: ItemId, asked_before: u16) -> Answer {
        let occurrence = asked_before.min(1);
        let source = Source::Direct { asked: item, occurrence: occurrence as u8, repeat: asked_before > 1 };
        let clean = self.truth(item);
        let mut reading = Reading { item, value: clean, clean, noise: None, source };
        let Some(class) = self.base.question_class(item) else {
            reading.value = Value::Unknowable;
            return Answer { reading, guess: None };
        };
        if clean == Value::Unknowable {
            return Answer { reading, guess: None };
        }
        if occurrence == 0
            && !self.plan.forces(item)
            && let Some(value) = self.deflection(item, class == crate::noise::QuestionClass::History)
        {
            reading.value = value;
            return Answer { reading, guess: None };
        }
        let mut rng = KeyedRng::new(self.patient.seed, Purpose::PatientNoise, self.base.item_key(item), occurrence);
        let struck = self.plan.strike_answer(&mut rng, item, class, occurrence, self.patient_turn);
        let Some(noise) = struck else { return Answer { reading, guess: None } };
        reading.noise = Some(Noise::Patient(noise));
        let guess = (noise == PatientNoise::SelfDiagnosis).then(|| rng.below(self.base.diseases.len() as u32) as u16);
        self.perturb(&mut reading, noise, &mut rng);
        Answer { reading, guess }
    }

    /// What the patient would truthfully say.
    pub(crate) fn truth(&self, item: ItemId) -> Value {
        match self.base.item_kind(item) {
            Some(ItemKind::Finding(index)) => {
                if self.base.findings[usize::from(index)].kind == FindingKind::Sign {
                    Value::Unknowable
                } else if self.patient.has(self.base, index) {
                    Value::Present
                } else {
                    Value::Absent
                }
            }
            Some(ItemKind::Attribute(index)) => {
                let finding = self.base.attributes[usize::from(index)].finding;
                if self.base.findings[usize::from(finding)].kind == FindingKind::Sign {
                    return Value::Unknowable;
                }
                self.patient.attribute_value(self.base, index)
            }
            Some(ItemKind::Analyte(_)) | None => Value::Unknowable,
        }
    }

    /// Whether the persona withholds the first answer about an item, whatever its value.
    fn deflection(&self, item: ItemId, history: bool) -> Option<Value> {
        let withheld = self.persona.deflection_ppm(false);
        let total = self.persona.deflection_ppm(history);
        if total == 0 {
            return None;
        }
        let key = self.base.item_key(item);
        let draw = KeyedRng::new(self.patient.seed, Purpose::Deflection, key, 0).below(crate::random::PPM);
        if draw < withheld { Some(Value::Withheld) } else { (draw < total).then_some(Value::NotRemembered) }
    }

    fn perturb(&self, reading: &mut Reading, noise: PatientNoise, rng: &mut KeyedRng) {
        match noise {
            PatientNoise::SelfDiagnosis => {}
            PatientNoise::VagueAnswer => reading.value = Value::Vague,
            PatientNoise::Omission => {
                reading.value = if rng.happens(DENIAL_PPM) { Value::Absent } else { Value::LeftOut };
            }
            PatientNoise::SymptomConfusion => self.confuse(reading, rng),
            PatientNoise::BodyPartSwap => {
                if let Value::Choice(site) = reading.value {
                    let adjacent = &self.base.sites[usize::from(site)].adjacent;
                    if !adjacent.is_empty() {
                        reading.value = Value::Choice(adjacent[rng.below(adjacent.len() as u32) as usize]);
                    }
                }
            }
            PatientNoise::SeverityChange => {
                if let Value::Severity(severity) = reading.value {
                    reading.value = Value::Severity(severity.saturating_sub(1 + rng.below(3) as u8).max(1));
                }
            }
            PatientNoise::TemporalChange => {
                if let Value::Duration(number, unit) = reading.value {
                    let scaled = u64::from(number) * u64::from(300_000 + rng.below(1_700_000)) / 1_000_000;
                    let told = (scaled as u32).max(1);
                    reading.value = if told == number { Value::Awhile } else { Value::Duration(told, unit) };
                }
            }
        }
    }

    /// Symptom confusion: a polar question is answered about a neighbour; a categorical one with a similar value.
    fn confuse(&self, reading: &mut Reading, rng: &mut KeyedRng) {
        match (self.base.item_kind(reading.item), reading.value) {
            (Some(ItemKind::Finding(index)), _) => {
                let neighbours = &self.base.findings[usize::from(index)].neighbours;
                if !neighbours.is_empty() {
                    let neighbour = neighbours[rng.below(neighbours.len() as u32) as usize];
                    reading.item = self.base.finding_item(neighbour);
                    reading.value = self.truth(reading.item);
                }
            }
            (Some(ItemKind::Attribute(index)), Value::Choice(value)) => {
                let attribute = &self.base.attributes[usize::from(index)];
                if matches!(attribute.values, AttributeValues::Named(_)) {
                    let similar = &attribute.confused[usize::from(value)];
                    if !similar.is_empty() {
                        reading.value = Value::Choice(similar[rng.below(similar.len() as u32) as usize]);
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether the patient forgets a finding in open questions (`u_g`), lasting over all of them.
    pub(crate) fn forgets(&self, finding: u16) -> bool {
        let key = self.base.findings[usize::from(finding)].key;
        KeyedRng::new(self.patient.seed, Purpose::Forgotten, key, 0).happens(self.plan.forgotten_ppm())
    }

    /// The noise of the `occurrence`-th open question on a topic that acts on the whole answer: vague, or a guess.
    pub(crate) fn open_noise(&self, topic: Topic, occurrence: u16) -> (Option<PatientNoise>, Option<u16>) {
        let key = crate::digest::key(topic.name());
        let mut rng = KeyedRng::new(self.patient.seed, Purpose::PatientNoise, key, occurrence);
        let class = crate::noise::QuestionClass::Open;
        let struck = self.plan.strike_answer(&mut rng, ItemId(u16::MAX), class, occurrence.min(1), self.patient_turn);
        match struck {
            Some(PatientNoise::SelfDiagnosis) => (struck, Some(rng.below(self.base.diseases.len() as u32) as u16)),
            // Omission acts through `forgets`, item by item.
            Some(PatientNoise::Omission) if matches!(self.plan, Plan::Keyed { .. }) => (None, None),
            Some(PatientNoise::Omission) => (Some(PatientNoise::VagueAnswer), None),
            other => (other, None),
        }
    }
}
