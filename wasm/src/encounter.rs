//! One encounter and its referee.
use wasm_bindgen::prelude::*;
use workup_core::{
    episode::Truth,
    nano::{reply_text, reply_token, system_text},
    referee::{RefereedDialogue, TurnRecord},
};

use crate::{
    dto::{
        BeliefDto, DebriefDto, DifferentialDto, OpeningDto, TallyDto, TranscriptDto, TranscriptTurnDto, TurnDto,
        from_js, to_js,
    },
    error::{Coded, hex},
};

/// One encounter, from the first word to the debrief.
#[wasm_bindgen]
pub struct Encounter(RefereedDialogue);

impl Encounter {
    pub(crate) fn new(refereed: RefereedDialogue) -> Self {
        Self(refereed)
    }
}

fn turn(record: Option<&TurnRecord>) -> Result<JsValue, JsValue> {
    to_js(&record.map(TurnDto::from))
}

#[wasm_bindgen]
impl Encounter {
    /// How it begins: who comes, what is said first, under which settings.
    ///
    /// # Errors
    /// Never in practice; the type is the conversion's.
    pub fn opening(&self) -> Result<JsValue, JsValue> {
        let dialogue = self.0.dialogue();
        let objective = match dialogue.episode().truth() {
            Truth::Imported(case) => Some(case.objective.clone()),
            Truth::Generated(_) => None,
        };
        to_js(&OpeningDto {
            presentation: dialogue.presentation(),
            opening: dialogue.opening(),
            imported: objective.is_some(),
            objective: objective.unwrap_or_default(),
            persona: dialogue.episode().persona().into(),
            settings: dialogue.episode().scenario().into(),
        })
    }

    /// Performs one message of the doctor; null after the end.
    ///
    /// # Errors
    /// As [`Self::opening`].
    pub fn send(&mut self, message: &str) -> Result<JsValue, JsValue> {
        turn(self.0.send(message))
    }

    /// Orders an exam; `arguments` are pairs of parameter and value. Null after the end.
    ///
    /// # Errors
    /// `bad_argument` when the arguments are no pairs of text.
    pub fn order(&mut self, tool: &str, arguments: JsValue) -> Result<JsValue, JsValue> {
        let arguments: Vec<(String, String)> = from_js(arguments)?;
        turn(self.0.order(tool, arguments.iter().map(|(name, value)| (name.as_str(), value.as_str()))))
    }

    /// Commits to a diagnosis; null after the end.
    ///
    /// # Errors
    /// As [`Self::opening`].
    pub fn diagnose(&mut self, diagnosis: &str) -> Result<JsValue, JsValue> {
        turn(self.0.diagnose(diagnosis))
    }

    /// All turns so far as the doctor sees them.
    ///
    /// # Errors
    /// As [`Self::opening`].
    pub fn turns(&self) -> Result<JsValue, JsValue> {
        to_js(&self.0.records().iter().map(TurnDto::from).collect::<Vec<_>>())
    }

    /// What was counted so far.
    ///
    /// # Errors
    /// As [`Self::opening`].
    pub fn tally(&self) -> Result<JsValue, JsValue> {
        let episode = self.0.dialogue().episode();
        let ended = episode.ending().is_some();
        to_js(&TallyDto::new(&episode.tally(), episode.patient_turns(), episode.scenario(), ended))
    }

    /// How the exact belief moved so far; null for imported cases.
    ///
    /// # Errors
    /// As [`Self::opening`].
    pub fn differential(&self) -> Result<JsValue, JsValue> {
        to_js(&self.0.start().map(|start| DifferentialDto {
            exact: start.is_exact(),
            start: start.diseases(),
            start_entropy: start.entropy(),
            turns: self.0.records().iter().filter_map(BeliefDto::new).collect(),
        }))
    }

    /// What the end reveals, with what the referee saw in every turn; null before the end.
    ///
    /// # Errors
    /// As [`Self::opening`].
    pub fn debrief(&self) -> Result<JsValue, JsValue> {
        to_js(&self.0.debrief().map(|debrief| DebriefDto::new(debrief, self.0.records())))
    }

    /// The whole encounter as a code.
    pub fn code(&self) -> String {
        self.0.code().encode()
    }

    /// Digest over ids, values, noise, reward and all words, as 16 hexadecimal digits.
    pub fn digest(&self) -> String {
        hex(self.0.dialogue().digest())
    }

    /// The encounter as it was after the first `turns` turns.
    ///
    /// # Errors
    /// As opening a code.
    #[wasm_bindgen(js_name = forkAt)]
    pub fn fork_at(&self, turns: usize) -> Result<Self, JsValue> {
        self.0.fork_at(turns).map(Self).map_err(|error| error.thrown())
    }

    /// The conversation as the network reads it.
    ///
    /// # Errors
    /// As [`Self::opening`].
    pub fn transcript(&self) -> Result<JsValue, JsValue> {
        let told = |record: &TurnRecord| {
            let mark = reply_token(record.kind);
            let reply = reply_text(mark, &record.reply).into_owned();
            TranscriptTurnDto { message: record.message.clone(), mark: mark.to_owned(), reply }
        };
        let system = system_text(self.0.dialogue());
        to_js(&TranscriptDto { system, turns: self.0.records().iter().map(told).collect() })
    }
}
