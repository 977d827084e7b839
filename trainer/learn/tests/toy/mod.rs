//! A clinic of sixteen tokens: ask for the hidden number, then name it. Asking once is right, every turn costs.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

use std::collections::BTreeMap;
use std::convert::Infallible;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use workup_learn::{Clinic, ClinicStep, Ending, Episode, Example, Policy, RolloutConfig, StreamKey};
use workup_model::RaggedBatch;

pub const VOCAB_SIZE: usize = 16;
pub const START: u32 = 0;
pub const END: u32 = 1;
pub const ASK: u32 = 2;
pub const DOCTOR: u32 = 3;
/// The answer "the number is k" is `ANSWER + k`.
pub const ANSWER: u32 = 4;
/// The diagnosis "the number is k" is `DIAGNOSE + k`.
pub const DIAGNOSE: u32 = 8;
pub const NOT_UNDERSTOOD: u32 = 12;
/// Part of every prompt, so that prompts differ in length.
pub const FILLER: u32 = 13;

/// Hidden numbers 0..4 by scenario.
#[derive(Clone, Debug)]
pub struct NumberClinic {
    pub max_turns: u32,
    /// Tokens of padding in the answer.
    pub answer_len: usize,
}

impl Default for NumberClinic {
    fn default() -> Self {
        Self { max_turns: 6, answer_len: 1 }
    }
}

#[derive(Clone, Debug)]
pub struct NumberEpisode {
    clinic: NumberClinic,
    hidden: u32,
    turns: u32,
    mistakes: u32,
}

impl NumberEpisode {
    fn ending(&self, right: bool, truncated: bool) -> Ending {
        let score = f64::from(u8::from(right));
        let reward = score - 0.05 * f64::from(self.turns) - 0.1 * f64::from(self.mistakes);
        let metrics = BTreeMap::from([("episode/mistakes".to_owned(), f64::from(self.mistakes))]);
        Ending { reward, score, truncated, metrics }
    }
}

pub fn hidden_number(scenario: u64) -> u32 {
    (ChaCha8Rng::seed_from_u64(scenario).next_u64() % 4) as u32
}

impl Clinic for NumberClinic {
    type Episode = NumberEpisode;

    fn start(&self, scenario: u64) -> (NumberEpisode, Vec<u32>) {
        let mut prompt = vec![START];
        prompt.extend(std::iter::repeat_n(FILLER, (scenario % 3) as usize));
        prompt.push(DOCTOR);
        let episode = NumberEpisode { clinic: self.clone(), hidden: hidden_number(scenario), turns: 0, mistakes: 0 };
        (episode, prompt)
    }
}

impl Episode for NumberEpisode {
    fn step(&mut self, message: &[u32]) -> ClinicStep {
        self.turns += 1;
        let reply = match *message {
            [guess, END] if (DIAGNOSE..DIAGNOSE + 4).contains(&guess) => {
                let ended = Some(self.ending(guess - DIAGNOSE == self.hidden, false));
                return ClinicStep { observation: Vec::new(), ended };
            }
            [ASK, END] => ANSWER + self.hidden,
            _ => {
                self.mistakes += 1;
                NOT_UNDERSTOOD
            }
        };
        let mut observation = if message.last() == Some(&END) { Vec::new() } else { vec![END] };
        observation.extend(std::iter::repeat_n(FILLER, self.clinic.answer_len - 1));
        observation.extend([reply, DOCTOR]);
        let ended = (self.turns >= self.clinic.max_turns).then(|| self.ending(false, true));
        ClinicStep { observation, ended }
    }

    fn truncate(&mut self) -> Ending {
        self.ending(false, true)
    }
}

/// Conversations of a doctor who asks one to three times and then names the wrong number in one case of five.
pub fn conversations(count: u64) -> Vec<Example> {
    let clinic = NumberClinic::default();
    (0..count)
        .map(|scenario| {
            let mut rng = ChaCha8Rng::seed_from_u64(scenario ^ 0xface);
            let (_, prompt) = clinic.start(scenario);
            let mut example = Example { action_mask: vec![false; prompt.len()], tokens: prompt, ..Example::default() };
            let mut push = |tokens: &[u32], chosen: bool| {
                example.tokens.extend(tokens);
                example.action_mask.extend(std::iter::repeat_n(chosen, tokens.len()));
            };
            let hidden = hidden_number(scenario);
            for _ in 0..=rng.next_u32() % 3 {
                push(&[ASK, END], true);
                push(&[ANSWER + hidden, DOCTOR], false);
            }
            let wrong = rng.next_u32() % 5 == 0;
            let named = if wrong { (hidden + 1 + rng.next_u32() % 3) % 4 } else { hidden };
            push(&[DIAGNOSE + named, END], true);
            example
        })
        .collect()
}

pub fn limits() -> RolloutConfig {
    RolloutConfig { max_tokens_per_turn: 4, max_tokens: 48, ..RolloutConfig::new(END) }
}

/// A generator of its own for every key.
pub fn stream(key: StreamKey) -> ChaCha8Rng {
    let seed = [key.scenario, u64::from(key.member), u64::from(key.turn), key.attempt];
    let bytes: Vec<u8> = seed.iter().flat_map(|word| word.to_le_bytes()).collect();
    ChaCha8Rng::from_seed(bytes.try_into().unwrap())
}

/// A policy whose logits are any function of what the row has read.
pub struct MockPolicy<F>(pub F);

impl<F: Fn(&[u32]) -> Vec<f32>> Policy for MockPolicy<F> {
    type Cache = Vec<Vec<u32>>;
    type Error = Infallible;

    fn new_cache(&self, num_rows: usize) -> Self::Cache {
        vec![Vec::new(); num_rows]
    }

    fn next_logits(&self, batch: &RaggedBatch, cache: &mut Self::Cache) -> Result<Vec<f32>, Infallible> {
        assert_eq!(batch.num_rows(), cache.len());
        let mut logits = Vec::new();
        for (row, history) in cache.iter_mut().enumerate() {
            let new = &batch.tokens()[batch.range(row)];
            history.extend(new);
            if !new.is_empty() {
                logits.extend((self.0)(history));
            }
        }
        Ok(logits)
    }

    fn select_rows(&self, cache: &Self::Cache, rows: &[usize]) -> Self::Cache {
        rows.iter().map(|&row| cache[row].clone()).collect()
    }
}

/// Every token is equally likely.
pub fn uniform(_: &[u32]) -> Vec<f32> {
    vec![0.0; VOCAB_SIZE]
}

/// Practically always this token.
pub fn certain(token: u32) -> Vec<f32> {
    let mut logits = vec![0.0; VOCAB_SIZE];
    logits[token as usize] = 60.0;
    logits
}

/// Asks, then names what was answered.
pub fn sensible(history: &[u32]) -> Vec<f32> {
    certain(match *history {
        [.., ASK, _] | [.., ASK] => END,
        [.., DOCTOR] => match history.iter().find(|token| (ANSWER..ANSWER + 4).contains(*token)) {
            Some(answer) => answer - ANSWER + DIAGNOSE,
            None => ASK,
        },
        _ => END,
    })
}

/// Different after every history, so that a mixed-up cache shows.
pub fn chaotic(history: &[u32]) -> Vec<f32> {
    let seed = history.iter().fold(17u64, |hash, &token| (hash ^ u64::from(token)).wrapping_mul(0x0100_0000_01b3));
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..VOCAB_SIZE).map(|_| (rng.next_u32() % 1000) as f32 / 250.0).collect()
}
