//! The trained agent in the tab: weights and tokenizer in, the doctor's next message out.
use burn::prelude::Device;
use wasm_bindgen::prelude::*;
use workup_core::{
    nano::{DOCTOR, END, MAX_MESSAGE_TOKENS, MAX_TOKENS, SYSTEM},
    random::{KeyedRng, Purpose},
};
use workup_model::{Decoder, KvCache, RaggedBatch, Sampling, Tokenizer, load_weights, sample};

use crate::{
    dto::{TranscriptDto, from_js},
    error::{into_error, seed_from_hex},
};

/// A checkpoint that can talk.
#[wasm_bindgen]
pub struct Agent {
    decoder: Decoder,
    tokenizer: Tokenizer,
    end: u32,
    device: Device,
}

#[wasm_bindgen]
impl Agent {
    /// Reads a safetensors file and its `tokenizer.json`.
    ///
    /// # Errors
    /// `bad_checkpoint` with what is wrong with which file.
    #[wasm_bindgen(constructor)]
    pub fn new(weights: &[u8], tokenizer: &str) -> Result<Self, JsValue> {
        let device = Device::flex();
        let decoder = load_weights(weights, &device).map_err(|error| into_error("bad_checkpoint", &error))?;
        let tokenizer = Tokenizer::from_json(tokenizer).map_err(|error| into_error("bad_checkpoint", &error))?;
        let end = tokenizer.special(END).ok_or_else(|| {
            into_error("bad_checkpoint", &format!("the tokenizer has no token `{END}`: export it again"))
        })?;
        Ok(Self { decoder, tokenizer, end, device })
    }

    /// Number of parameters.
    #[wasm_bindgen(js_name = numParameters)]
    pub fn num_parameters(&self) -> usize {
        self.decoder.config().num_parameters()
    }

    /// The doctor's next message for a transcript; the most likely one at temperature 0, else drawn from `seed` and turn.
    ///
    /// # Errors
    /// `too_long` when the conversation does not fit into the network's memory.
    #[wasm_bindgen(js_name = nextMessage)]
    pub fn next_message(&self, transcript: JsValue, temperature: f32, seed: &str) -> Result<String, JsValue> {
        let transcript: TranscriptDto = from_js(transcript)?;
        let mut rng = KeyedRng::new(seed_from_hex(seed)?, Purpose::Clinician, transcript.turns.len() as u64, 2);
        let mut unread = self.prompt(&transcript);
        let mut cache = KvCache::new(self.decoder.config(), 1, MAX_TOKENS, &self.device);
        let mut message = Vec::new();
        let sampling = Sampling { temperature, top_p: 1.0 };
        while message.len() < MAX_MESSAGE_TOKENS {
            let batch = RaggedBatch::from_rows([&unread]);
            let logits =
                self.decoder.next_logits(&batch, &mut cache).map_err(|error| into_error("too_long", &error))?;
            let logits: Vec<f32> =
                logits.into_data().try_to_vec().map_err(|error| into_error("bad_checkpoint", &format!("{error:?}")))?;
            let token = sample(&logits, sampling, &mut rng).token;
            if token == self.end {
                break;
            }
            message.push(token);
            unread = vec![token];
        }
        Ok(self.tokenizer.decode(&message))
    }
}

impl Agent {
    /// The transcript up to where the doctor speaks next. Parts are encoded one by one, as in training: what somebody writes
    /// never becomes a special token.
    fn prompt(&self, transcript: &TranscriptDto) -> Vec<u32> {
        let mut tokens = Vec::with_capacity(MAX_TOKENS);
        self.push_part(SYSTEM, &transcript.system, &mut tokens);
        for turn in &transcript.turns {
            self.push_part(DOCTOR, &turn.message, &mut tokens);
            self.push_part(&turn.mark, &turn.reply, &mut tokens);
        }
        tokens.extend(self.tokenizer.special(DOCTOR));
        tokens
    }

    fn push_part(&self, mark: &str, text: &str, tokens: &mut Vec<u32>) {
        tokens.extend(self.tokenizer.special(mark));
        tokens.extend(self.tokenizer.encode_plain(text));
        tokens.push(self.end);
    }
}
