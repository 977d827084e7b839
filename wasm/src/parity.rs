//! The same clinic everywhere: digests to compare and the workload that speed is measured on.
use std::sync::Arc;

use wasm_bindgen::prelude::*;
use workup_core::{clinic::Clinic as CoreClinic, parity::episodes_digest, workload::Workload as CoreWorkload};

use crate::error::{Coded, hex, seed_from_hex};

fn core24() -> Result<Arc<CoreClinic>, JsValue> {
    CoreClinic::core24().map(Arc::new).map_err(|error| error.thrown())
}

/// The digest of `scenarios` whole episodes under a master seed (16 hexadecimal digits): `workup digest`.
///
/// # Errors
/// `bad_seed`.
#[wasm_bindgen(js_name = episodesDigest)]
pub fn js_episodes_digest(scenarios: u32, seed: &str) -> Result<String, JsValue> {
    let digest = episodes_digest(&core24()?, seed_from_hex(seed)?, u64::from(scenarios));
    digest.map(hex).map_err(|error| error.thrown())
}

/// Recorded episodes of the expert; who calls measures the time.
#[wasm_bindgen]
pub struct Workload(CoreWorkload);

#[wasm_bindgen]
impl Workload {
    /// Has the expert play `episodes` training scenarios of a master seed.
    ///
    /// # Errors
    /// `bad_seed`, `no_workload`.
    #[wasm_bindgen(constructor)]
    pub fn new(episodes: u32, seed: &str) -> Result<Self, JsValue> {
        let workload = CoreWorkload::new(core24()?, seed_from_hex(seed)?, u64::from(episodes));
        workload.map(Self).map_err(|error| error.thrown())
    }

    /// Plays every episode in words; returns the text turns.
    #[wasm_bindgen(js_name = runText)]
    pub fn run_text(&self) -> f64 {
        self.0.run_text() as f64
    }

    /// Plays every episode with structured actions; returns the steps.
    #[wasm_bindgen(js_name = runStructured)]
    pub fn run_structured(&self) -> f64 {
        self.0.run_structured() as f64
    }

    /// As [`Self::run_structured`], followed by the exact belief.
    #[wasm_bindgen(js_name = runBelief)]
    pub fn run_belief(&self) -> f64 {
        self.0.run_belief() as f64
    }
}
