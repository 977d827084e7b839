//! Digests of whole episodes, words included: `tests/parity.mjs` and the page in Chromium compare the same file.
//! Catches anything that moves an episode, on purpose or not, and any difference between native and wasm. Rewritten by
//! `cargo xtask golden` alone.

use std::{fs, path::Path, sync::Arc};

use serde_json::{Value, json};
use workup_core::{clinic::Clinic, parity::episodes_digest, scenario_code::ENGINE_VERSION};

/// Scenarios and master seeds that are compared.
const COMPARED: [(u64, u64); 3] = [(2000, 1), (300, 7), (300, u64::MAX)];

#[test]
fn golden_digests_of_whole_episodes_have_not_moved() {
    let clinic = Arc::new(Clinic::core24().unwrap());
    let digest = |(scenarios, seed)| {
        let digest = episodes_digest(&clinic, seed, scenarios).unwrap();
        json!({ "scenarios": scenarios, "seed": format!("{seed:016x}"), "digest": format!("{digest:016x}") })
    };
    let found = json!({
        "engine_version": ENGINE_VERSION,
        "knowledge": clinic.base().name,
        "knowledge_digest": format!("{:016x}", clinic.base().digest),
        "episodes": COMPARED.map(digest),
    });
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/parity.json");
    if std::env::var_os("WORKUP_REWRITE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("{found:#}\n")).unwrap();
        return;
    }
    let golden: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(found, golden, "raise ENGINE_VERSION and run `cargo xtask golden` in a commit of its own");
}
