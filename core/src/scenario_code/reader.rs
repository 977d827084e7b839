//! Bytes -> values. Every length is compared with what is left before anything is allocated.

use alloc::{
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

use super::{CodeError, FORMAT_VERSION, RecordedAction, writer::checksum};
use crate::{
    action::{Action, Question},
    case::Prevalence,
    exam::ExamCall,
    import::ImportedCase,
    knowledge::{ItemId, Topic},
    noise::{ExamNoise, ForcedNoise, Noise, NoisePlan, NoiseSettings, PatientNoise},
    persona::{Persona, Personality, Proficiency, Recall},
    reward::{Payer, RewardMode},
    scenario::{CaseSource, PersonaChoice, Scenario},
};

/// Reads the bytes of a code from front to back.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Checks version and checksum.
    pub(super) fn checked(bytes: &'a [u8]) -> Result<Self, CodeError> {
        let (&version, _) = bytes.split_first().ok_or(CodeError::Truncated("format_version"))?;
        if version != FORMAT_VERSION {
            return Err(CodeError::UnknownVersion(version));
        }
        let (body, sum) = bytes.split_last_chunk::<4>().ok_or(CodeError::Truncated("checksum"))?;
        if checksum(body) != *sum {
            return Err(CodeError::WrongChecksum);
        }
        Ok(Self { rest: body.get(1..).unwrap_or_default() })
    }

    fn take(&mut self, num: usize, field: &'static str) -> Result<&'a [u8], CodeError> {
        let (head, tail) = self.rest.split_at_checked(num).ok_or(CodeError::Truncated(field))?;
        self.rest = tail;
        Ok(head)
    }

    fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], CodeError> {
        let (head, tail) = self.rest.split_first_chunk::<N>().ok_or(CodeError::Truncated(field))?;
        self.rest = tail;
        Ok(*head)
    }

    fn u8(&mut self, field: &'static str) -> Result<u8, CodeError> {
        self.array::<1>(field).map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self, field: &'static str) -> Result<u16, CodeError> {
        self.array(field).map(u16::from_le_bytes)
    }

    pub(super) fn u64(&mut self, field: &'static str) -> Result<u64, CodeError> {
        self.array(field).map(u64::from_le_bytes)
    }

    /// A varint in its shortest form, so that one value has one code.
    pub(super) fn varint(&mut self, field: &'static str) -> Result<u64, CodeError> {
        let mut value = 0u64;
        for shift in (0..63).step_by(7) {
            let byte = self.u8(field)?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                let shortest = byte != 0 || shift == 0;
                return if shortest { Ok(value) } else { Err(CodeError::BadValue { field, value }) };
            }
        }
        Err(CodeError::BadValue { field, value })
    }

    fn number(&mut self, field: &'static str) -> Result<u32, CodeError> {
        let value = self.varint(field)?;
        u32::try_from(value).map_err(|_| CodeError::BadValue { field, value })
    }

    fn text(&mut self, field: &'static str) -> Result<String, CodeError> {
        let len = self.varint(field)?;
        let len = usize::try_from(len).map_err(|_| CodeError::Truncated(field))?;
        let bytes = self.take(len, field)?;
        let text = core::str::from_utf8(bytes).map_err(|_| CodeError::BadValue { field, value: len as u64 })?;
        Ok(text.to_string())
    }

    pub(super) fn scenario(&mut self) -> Result<Scenario, CodeError> {
        let seed = self.u64("seed")?;
        let flags = self.u8("modes")?;
        if flags & 0xe0 != 0 {
            return Err(CodeError::BadValue { field: "modes", value: flags.into() });
        }
        let max_doctor_turns = self.number("max_doctor_turns")?;
        let max_patient_turns = self.number("max_patient_turns")?;
        let noise = self.noise()?;
        let persona = if flags & 0x10 == 0 { PersonaChoice::Drawn } else { PersonaChoice::Fixed(self.persona()?) };
        let case = if flags & 0x08 == 0 { CaseSource::Generated } else { CaseSource::Imported(self.case()?) };
        Ok(Scenario {
            seed,
            case,
            persona,
            noise,
            reward_mode: if flags & 1 == 0 { RewardMode::Clinic } else { RewardMode::Paper },
            payer: if flags & 2 == 0 { Payer::Medicare } else { Payer::Cash },
            prevalence: if flags & 4 == 0 { Prevalence::Uniform } else { Prevalence::Incidence },
            max_doctor_turns,
            max_patient_turns,
        })
    }

    /// A case in exactly the words the writer would choose, so that one case has one code: no other spacing, order or escapes.
    fn case(&mut self) -> Result<Arc<ImportedCase>, CodeError> {
        let text = self.text("case")?;
        let wrong = || CodeError::BadValue { field: "case", value: text.len() as u64 };
        let case: ImportedCase = serde_json::from_str(&text).map_err(|_| wrong())?;
        case.check().map_err(|_| wrong())?;
        if serde_json::to_string(&case).map_err(|_| wrong())? != text {
            return Err(wrong());
        }
        Ok(Arc::new(case))
    }

    fn persona(&mut self) -> Result<Persona, CodeError> {
        let code = self.u8("persona")?;
        let wrong = CodeError::BadValue { field: "persona", value: code.into() };
        let parts = (
            Personality::ALL.get(usize::from(code & 7)),
            Proficiency::ALL.get(usize::from(code >> 3 & 3)),
            Recall::ALL.get(usize::from(code >> 5)),
        );
        let (Some(&personality), Some(&proficiency), Some(&recall)) = parts else { return Err(wrong) };
        Ok(Persona { personality, proficiency, recall })
    }

    fn noise(&mut self) -> Result<NoiseSettings, CodeError> {
        let plan = match self.u8("noise_plan")? {
            0 => NoisePlan::Keyed,
            1 => NoisePlan::Paper,
            2 => NoisePlan::Forced,
            other => return Err(CodeError::BadValue { field: "noise_plan", value: other.into() }),
        };
        let patient_ppm = self.number("patient_noise")?;
        let exam_ppm = self.number("exam_noise")?;
        let num = self.varint("forced")?;
        if num > 64 {
            return Err(CodeError::BadValue { field: "forced", value: num });
        }
        let mut forced = Vec::new();
        for _ in 0..num {
            let item = self.text("forced")?;
            let code = self.u8("forced")?;
            let index = usize::from(code & 0x7f);
            let noise = if code & 0x80 == 0 {
                PatientNoise::ALL.get(index).map(|&noise| Noise::Patient(noise))
            } else {
                ExamNoise::ALL.get(index).map(|&noise| Noise::Exam(noise))
            };
            let noise = noise.ok_or(CodeError::BadValue { field: "forced", value: code.into() })?;
            forced.push(ForcedNoise { item, noise });
        }
        Ok(NoiseSettings { plan, patient_ppm, exam_ppm, forced })
    }

    pub(super) fn recorded(&mut self) -> Result<RecordedAction, CodeError> {
        Ok(match self.u8("action")? {
            0 => RecordedAction::Structured(self.action()?),
            1 => RecordedAction::Message { text: self.text("message")?, question: None },
            2 => {
                let text = self.text("message")?;
                RecordedAction::Message { text, question: Some(self.question()?) }
            }
            other => return Err(CodeError::BadValue { field: "action", value: other.into() }),
        })
    }

    fn action(&mut self) -> Result<Action, CodeError> {
        Ok(match self.u8("action")? {
            0 => Action::Ask(self.question()?),
            1 => {
                let parts = self.array("order")?;
                Action::Order(ExamCall::from_parts(parts, self.u64("order")?))
            }
            2 => Action::Diagnose(self.text("diagnosis")?),
            3 => {
                let num = self.varint("diagnosis")?;
                if num > 64 {
                    return Err(CodeError::BadValue { field: "diagnosis", value: num });
                }
                Action::DiagnoseDiseases((0..num).map(|_| self.u16("diagnosis")).collect::<Result<_, _>>()?)
            }
            4 => Action::InvalidCall,
            5 => Action::FormatError,
            other => return Err(CodeError::BadValue { field: "action", value: other.into() }),
        })
    }

    fn question(&mut self) -> Result<Question, CodeError> {
        let code = self.u8("question")?;
        let wrong = CodeError::BadValue { field: "question", value: code.into() };
        match code {
            0 => Ok(Question::NotUnderstood),
            0x10..=0x1f => Topic::ALL.get(usize::from(code & 0xf)).map(|&topic| Question::Open(topic)).ok_or(wrong),
            0x21 => Ok(Question::item(ItemId(self.u16("question")?))),
            0x22 => Ok(Question::About([Some(ItemId(self.u16("question")?)), Some(ItemId(self.u16("question")?))])),
            _ => Err(wrong),
        }
    }

    /// Nothing may be left.
    pub(super) fn end(&self) -> Result<(), CodeError> {
        if self.rest.is_empty() { Ok(()) } else { Err(CodeError::TrailingBytes(self.rest.len())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Arc<ImportedCase>, CodeError> {
        assert!((0x80..0x4000).contains(&json.len()), "a varint of two bytes");
        let mut bytes = alloc::vec![json.len() as u8 | 0x80, (json.len() >> 7) as u8];
        bytes.extend(json.as_bytes());
        Reader { rest: &bytes }.case()
    }

    // Catches two codes for one case: the second would play under a link that the writer never makes.
    #[test]
    fn a_case_has_one_spelling() {
        let case = ImportedCase {
            id: "a:1".into(),
            demographics: "40-year-old man".into(),
            complaint: "I cough".into(),
            diagnosis: "Cold".into(),
            facts: alloc::vec![crate::import::Fact { path: "H".into(), text: "Dry".into() }],
            ..ImportedCase::default()
        };
        let json = serde_json::to_string(&case).unwrap();
        assert_eq!(*read(&json).unwrap(), case);
        for (from, to) in [
            (":\"Dry", ": \"Dry"),
            ("Cold", "\\u0043old"),
            ("{\"path\":\"H\",\"text\":\"Dry\"}", "{\"text\":\"Dry\",\"path\":\"H\"}"),
            ("\"objective\":\"\",", ""),
        ] {
            let other = json.replacen(from, to, 1);
            assert_ne!(other, json);
            assert!(matches!(read(&other), Err(CodeError::BadValue { field: "case", .. })), "{other}");
        }
    }
}
