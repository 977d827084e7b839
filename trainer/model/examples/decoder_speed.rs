//! How fast the nano decoder trains and samples on the CPU: one line of JSON on stdout.
//!
//! `cargo run --release -p workup-model --features flex,native --example decoder_speed`
//! (optionally with the number of tokens of a training batch, and the seconds to spend on each part).
//! Training is forward, scores of every token and backward over rows of 200 to 460 tokens, without the optimiser's step.
//! Sampling is 64 rows with one token each, from a prefix of 40 tokens to 400, the draws on the host included.

use std::time::{Duration, Instant};

use burn::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use workup_model::{Decoder, DecoderConfig, KvCache, RaggedBatch, Sampling, sample};

const SAMPLED_ROWS: usize = 64;
const PREFIX_LEN: usize = 40;
const LONGEST: usize = 400;

#[allow(clippy::print_stdout, reason = "its output is its purpose")]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let batch_tokens = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(4096);
    let seconds = Duration::from_secs(arguments.next().and_then(|text| text.parse().ok()).unwrap_or(5));
    let config = DecoderConfig::nano(1024);
    let decoder = config.init(&Device::flex().autodiff());
    let training = training_speed(&decoder, batch_tokens, seconds);
    let sampling = sampling_speed(&decoder.valid(), seconds);
    let line = serde_json::json!({
        "parameters": config.num_parameters(),
        "batch_tokens": batch_tokens,
        "training_tokens_per_s": training.round(),
        "sampled_rows": SAMPLED_ROWS,
        "sampled_tokens_per_s": sampling.round(),
    });
    println!("{line}");
}

/// Rows of 200 to 460 tokens, `batch_tokens` together.
fn training_batch(batch_tokens: usize) -> RaggedBatch {
    let mut batch = RaggedBatch::default();
    while batch.num_tokens() < batch_tokens {
        let row = batch.num_rows();
        let len = (200 + row * 97 % 260).min(batch_tokens - batch.num_tokens());
        batch.push(&(0..len).map(|token| ((row * 31 + token * 7) % 1024) as u32).collect::<Vec<_>>());
    }
    batch
}

fn training_speed(decoder: &Decoder, batch_tokens: usize, seconds: Duration) -> f64 {
    let batch = training_batch(batch_tokens);
    let device = Device::flex().autodiff();
    let targets: Vec<i32> = batch.tokens().iter().map(|&token| ((token + 1) % 1024).cast_signed()).collect();
    per_second(batch.num_tokens(), seconds, || {
        let targets = Tensor::<1, Int>::from_ints(targets.as_slice(), &device);
        let scores = decoder.score(decoder.hidden(&batch), targets);
        let _ = scores.log_probs.mean().neg().backward();
    })
}

fn sampling_speed(decoder: &Decoder, seconds: Duration) -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let prefix: Vec<u32> = (0..PREFIX_LEN as u32).collect();
    per_second(SAMPLED_ROWS * (LONGEST - PREFIX_LEN), seconds, || {
        let mut cache = KvCache::new(decoder.config(), 1, LONGEST, &Device::flex());
        decoder.forward_cached(&RaggedBatch::from_rows([&prefix]), &mut cache).expect("the prefix fits");
        let mut cache = cache.repeat(SAMPLED_ROWS);
        let mut next = vec![1; SAMPLED_ROWS];
        for _ in PREFIX_LEN..LONGEST {
            let batch = RaggedBatch::from_rows(next.chunks(1));
            let logits = decoder.next_logits(&batch, &mut cache).expect("the rows fit");
            let logits = logits.try_into_vec_as::<f32>().expect("the CPU can always be read");
            for (next, logits) in next.iter_mut().zip(logits.chunks_exact(1024)) {
                *next = sample(logits, Sampling::PLAIN, &mut rng).token;
            }
        }
    })
}

/// `amount` divided by the fastest of the runs that fit into `seconds` (at least two).
fn per_second(amount: usize, seconds: Duration, mut run: impl FnMut()) -> f64 {
    let started = Instant::now();
    let mut fastest = f64::INFINITY;
    for index in 0.. {
        let before = Instant::now();
        run();
        fastest = fastest.min(before.elapsed().as_secs_f64());
        if index > 0 && started.elapsed() > seconds {
            break;
        }
    }
    amount as f64 / fastest
}
