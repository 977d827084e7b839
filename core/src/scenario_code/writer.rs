//! Values -> bytes.

use alloc::vec::Vec;

use super::RecordedAction;
use crate::{
    action::{Action, Question},
    digest::Digest,
    exam::ExamCall,
    noise::{Noise, NoiseSettings},
    persona::{Persona, Personality, Proficiency, Recall},
    scenario::{CaseSource, PersonaChoice, Scenario},
};

/// Collects the bytes of a code.
pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(super) const fn new() -> Self {
        Self { bytes: Vec::new() }
    }

    pub(super) fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub(super) fn u16(&mut self, value: u16) {
        self.bytes.extend(value.to_le_bytes());
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.bytes.extend(value.to_le_bytes());
    }

    pub(super) fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.u8(value as u8 | 0x80);
            value >>= 7;
        }
        self.u8(value as u8);
    }

    fn text(&mut self, text: &str) {
        self.varint(text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }

    pub(super) fn scenario(&mut self, scenario: &Scenario) {
        self.u64(scenario.seed);
        let modes = scenario.reward_mode as u8 | (scenario.payer as u8) << 1 | (scenario.prevalence as u8) << 2;
        let imported = matches!(scenario.case, CaseSource::Imported(_));
        let fixed = matches!(scenario.persona, PersonaChoice::Fixed(_));
        self.u8(modes | u8::from(imported) << 3 | u8::from(fixed) << 4);
        self.varint(u64::from(scenario.max_doctor_turns));
        self.varint(u64::from(scenario.max_patient_turns));
        self.noise(&scenario.noise);
        if let PersonaChoice::Fixed(persona) = &scenario.persona {
            self.u8(persona_code(*persona));
        }
        if let CaseSource::Imported(case) = &scenario.case {
            // An imported case is plain data: serialising it cannot fail.
            self.text(&serde_json::to_string(&**case).unwrap_or_default());
        }
    }

    fn noise(&mut self, noise: &NoiseSettings) {
        self.u8(noise.plan as u8);
        self.varint(u64::from(noise.patient_ppm));
        self.varint(u64::from(noise.exam_ppm));
        self.varint(noise.forced.len() as u64);
        for forced in &noise.forced {
            self.text(&forced.item);
            self.u8(match forced.noise {
                Noise::Patient(noise) => noise as u8,
                Noise::Exam(noise) => 0x80 | noise as u8,
            });
        }
    }

    pub(super) fn recorded(&mut self, action: &RecordedAction) {
        match action {
            RecordedAction::Structured(action) => {
                self.u8(0);
                self.action(action);
            }
            RecordedAction::Message { text, question: None } => {
                self.u8(1);
                self.text(text);
            }
            RecordedAction::Message { text, question: Some(question) } => {
                self.u8(2);
                self.text(text);
                self.question(*question);
            }
        }
    }

    fn action(&mut self, action: &Action) {
        match action {
            Action::Ask(question) => {
                self.u8(0);
                self.question(*question);
            }
            Action::Order(call) => {
                self.u8(1);
                self.call(call);
            }
            Action::Diagnose(text) => {
                self.u8(2);
                self.text(text);
            }
            Action::DiagnoseDiseases(diseases) => {
                self.u8(3);
                self.varint(diseases.len() as u64);
                for &disease in diseases {
                    self.u16(disease);
                }
            }
            Action::InvalidCall => self.u8(4),
            Action::FormatError => self.u8(5),
        }
    }

    fn question(&mut self, question: Question) {
        match question {
            Question::NotUnderstood => self.u8(0),
            Question::Open(topic) => self.u8(0x10 | topic as u8),
            Question::About(items) => {
                let given = items.iter().flatten();
                self.u8(0x20 | given.clone().count() as u8);
                for item in given {
                    self.u16(item.0);
                }
            }
        }
    }

    fn call(&mut self, call: &ExamCall) {
        let (bytes, text_key) = call.to_parts();
        self.bytes.extend(bytes);
        self.u64(text_key);
    }

    /// Appends the checksum.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let checksum = checksum(&self.bytes);
        self.bytes.extend(checksum);
        self.bytes
    }
}

/// FNV-1a-64 folded to 32 bits.
pub(super) fn checksum(bytes: &[u8]) -> [u8; 4] {
    let mut digest = Digest::new();
    digest.bytes(bytes);
    let value = digest.value();
    ((value ^ value >> 32) as u32).to_le_bytes()
}

fn persona_code(persona: Persona) -> u8 {
    let position = |found: Option<usize>| found.unwrap_or(0) as u8;
    let personality = position(Personality::ALL.iter().position(|other| *other == persona.personality));
    let proficiency = position(Proficiency::ALL.iter().position(|other| *other == persona.proficiency));
    let recall = position(Recall::ALL.iter().position(|other| *other == persona.recall));
    personality | proficiency << 3 | recall << 5
}
