//! The language model of the agent: a Llama-family decoder on Burn, its byte-level BPE tokenizer, sampling and
//! weight files. Everything here runs in a browser tab as well as on a training machine, and knows nothing of the clinic.
//!
//! A batch is *ragged*: rows of different lengths laid end to end ([`RaggedBatch`]), so no work goes into padding.
//! `n` in shapes is the number of tokens of the whole batch.
//!
//! ```text
//! let decoder = DecoderConfig::nano(1024).init(&device);
//! let hidden = decoder.hidden(&batch);                        // training: [n, hidden_size], differentiable
//! let scores = decoder.score(hidden.select(0, wanted), targets); // log-probabilities, only where the loss needs them
//! let logits = decoder.next_logits(&batch, &mut cache)?;      // sampling: [rows that fed a token, vocab_size]
//! ```
#![no_std]
#![warn(missing_docs)]
#![allow(clippy::cast_possible_wrap, reason = "token ids, positions and cache slots are far below 2^31")]
extern crate alloc;

mod attention;
mod config;
#[cfg(feature = "flex")]
mod cpu;
mod decoder;
mod kv_cache;
mod layout;
mod merges;
mod ops;
mod ragged;
mod safetensors;
mod sampling;
mod softmax;
mod split;
mod tokenizer;
mod tokenizer_file;
mod unicode;
mod weights;

pub use config::{ConfigError, DecoderConfig};
pub use decoder::{Decoder, TokenScores};
pub use kv_cache::{CacheError, KvCache};
pub use ragged::RaggedBatch;
pub use sampling::{Sampled, Sampling, log_softmax, sample};
pub use tokenizer::{Tokenizer, TokenizerError};
pub use weights::{Precision, WeightsError, load_weights, save_weights};
