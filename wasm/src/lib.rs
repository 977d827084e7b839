//! The clinic in a browser: thin `wasm-bindgen` newtypes over [`workup_core`], and no decision about the domain.
//!
//! Built twice by `cargo xtask wasm`: package `clinic` holds the clinic alone; package `agent` (feature `agent`) adds the
//! network and is loaded lazily. What crosses to JavaScript goes through `serde-wasm-bindgen`; seeds and digests cross as
//! 16 lower-case hexadecimal digits, because JavaScript numbers end at 2^53.
#[cfg(feature = "agent")]
pub mod agent;
pub mod clinic;
pub mod dto;
pub mod encounter;
mod error;
pub mod parity;
pub mod platform;
