//! Conversations as tokens in the `nano` prompt format, and back. Each part is encoded by itself, so a conversation read from a
//! file and the same one lived in a rollout are the same tokens.

use workup_core::{
    nano,
    observation::ReplyKind,
    protocol::{Message, Role},
};
use workup_learn::Example;
use workup_model::Tokenizer;

use super::LearningError;

/// Weight in the loss of a token that is a whole diagnosis tag: one such token decides an episode of about eighty.
const DIAGNOSIS_WEIGHT: f32 = 10.0;
/// Weight of a token that is a whole tool call.
const ORDER_WEIGHT: f32 = 3.0;

/// The `nano` format over one tokenizer.
#[derive(Clone, Debug)]
pub struct NanoFormat {
    tokenizer: Tokenizer,
    system: u32,
    doctor: u32,
    patient: u32,
    result: u32,
    end: u32,
}

impl NanoFormat {
    /// The format over the tokenizer of a `tokenizer.json`.
    ///
    /// # Errors
    /// When the file is no byte-level BPE or lacks a special token of the format.
    pub fn from_json(json: &str) -> Result<Self, LearningError> {
        let tokenizer = Tokenizer::from_json(json)?;
        let special = |token| tokenizer.special(token).ok_or(LearningError::NoSpecialToken(token));
        let [system, doctor, patient] = [special(nano::SYSTEM)?, special(nano::DOCTOR)?, special(nano::PATIENT)?];
        let (result, end) = (special(nano::RESULT)?, special(nano::END)?);
        Ok(Self { tokenizer, system, doctor, patient, result, end })
    }

    /// The tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// The token that closes every part.
    pub fn end_token(&self) -> u32 {
        self.end
    }

    /// The prompt, up to and including the opening of the doctor's first message.
    pub fn prompt(&self, system_text: &str) -> Vec<u32> {
        let mut tokens = Vec::with_capacity(24);
        self.push_part(self.system, system_text, &mut tokens);
        tokens.push(self.doctor);
        tokens
    }

    /// What follows a doctor's message: the reply and the opening of the next message. A message that was cut (it does not
    /// close itself) is closed first.
    pub fn observation(&self, message: &[u32], kind: ReplyKind, reply: &str) -> Vec<u32> {
        let mut tokens = Vec::with_capacity(32);
        if message.last() != Some(&self.end) {
            tokens.push(self.end);
        }
        let mark = nano::reply_token(kind);
        let token = if mark == nano::PATIENT { self.patient } else { self.result };
        self.push_part(token, &nano::reply_text(mark, reply), &mut tokens);
        tokens.push(self.doctor);
        tokens
    }

    /// A doctor's message in words, without the token that closes it.
    pub fn message_text(&self, message: &[u32]) -> String {
        let message = message.strip_suffix(&[self.end]).unwrap_or(message);
        self.tokenizer.decode(message)
    }

    /// A conversation as training example: the mask is set on the doctor's words and on what closes them, nowhere else.
    pub fn example(&self, messages: &[Message]) -> Example {
        let mut example = Example::default();
        for message in messages {
            let mark = match message.role {
                Role::System => self.system,
                Role::User => self.patient,
                Role::Tool => self.result,
                Role::Assistant => self.doctor,
            };
            example.tokens.push(mark);
            example.action_mask.push(false);
            let mark_text = if message.role == Role::Tool { nano::RESULT } else { nano::PATIENT };
            self.push_text(&nano::reply_text(mark_text, &message.content), &mut example.tokens);
            example.action_mask.resize(example.tokens.len(), message.role == Role::Assistant);
        }
        example.weights = example.tokens.iter().map(|&token| self.weight(token)).collect();
        example
    }

    /// How much a token counts in the loss of fine-tuning.
    fn weight(&self, token: u32) -> f32 {
        let bytes = self.tokenizer.token_bytes(token);
        if bytes.starts_with(b"[DIAGNOSIS:") {
            DIAGNOSIS_WEIGHT
        } else if bytes.starts_with(b"<tool_call>{") {
            ORDER_WEIGHT
        } else {
            1.0
        }
    }

    fn push_part(&self, mark: u32, text: &str, tokens: &mut Vec<u32>) {
        tokens.push(mark);
        self.push_text(text, tokens);
    }

    fn push_text(&self, text: &str, tokens: &mut Vec<u32>) {
        tokens.extend(self.tokenizer.encode_plain(text));
        tokens.push(self.end);
    }
}
