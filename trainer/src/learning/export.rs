//! A trained policy as one folder: `model.safetensors` (f16), `tokenizer.json`, `config.json`.

use std::{fs, path::Path};

use burn::prelude::Device;
use serde::{Deserialize, Serialize};
use workup_model::{Decoder, DecoderConfig, Precision, load_weights, save_weights};

use super::{LearningError, StageName, format::NanoFormat};
use crate::{
    atomic_file::write_atomically,
    setting::{hex, parse_seed},
};

/// Weights.
pub const WEIGHTS: &str = "model.safetensors";
/// Tokenizer.
pub const TOKENIZER: &str = "tokenizer.json";
/// Everything else.
pub const CONFIG: &str = "config.json";

/// What `config.json` says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyConfig {
    /// Prompt format: `nano`.
    pub format: String,
    /// Shape of the decoder.
    pub decoder: DecoderConfig,
    /// Name of the knowledge base it was trained on.
    pub knowledge: String,
    /// Digest of that knowledge base, 16 hexadecimal digits.
    pub knowledge_digest: String,
    /// How it was trained.
    pub stage: StageName,
    /// Training seed.
    pub seed: u64,
    /// What it is not.
    pub notice: String,
}

/// Words of every exported policy.
pub const NOTICE: &str =
    "A small model trained from scratch on simulated dialogue. Research and teaching, not medical advice.";

/// Writes a policy into `folder`.
///
/// # Errors
/// When the folder cannot be written or the weights not be read.
pub fn export_policy(
    folder: &Path,
    decoder: &Decoder,
    tokenizer: &str,
    config: &PolicyConfig,
) -> Result<(), LearningError> {
    fs::create_dir_all(folder).map_err(LearningError::io(folder))?;
    let weights = save_weights(decoder, Precision::F16)?;
    let config = serde_json::to_string_pretty(config).unwrap_or_default();
    for (name, bytes) in [(TOKENIZER, tokenizer.as_bytes()), (CONFIG, config.as_bytes()), (WEIGHTS, &weights[..])] {
        let path = folder.join(name);
        write_atomically(&path, bytes).map_err(LearningError::io(&path))?;
    }
    Ok(())
}

/// An exported policy.
#[derive(Debug)]
pub struct ExportedPolicy {
    /// Weights, widened to f32.
    pub decoder: Decoder,
    /// Tokenizer and prompt format.
    pub format: NanoFormat,
    /// The rest.
    pub config: PolicyConfig,
}

/// Reads what [`export_policy`] wrote.
///
/// # Errors
/// When a file is missing or wrong.
pub fn load_policy(folder: &Path, device: &Device) -> Result<ExportedPolicy, LearningError> {
    if folder.join("policy").is_dir() {
        return Err(LearningError::RunNotPolicy(folder.to_owned()));
    }
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read(&path).map_err(LearningError::io(&path))
    };
    let text = |name: &str| {
        let wrong = |error: std::string::FromUtf8Error| LearningError::Policy {
            path: folder.join(name),
            what: error.to_string(),
        };
        String::from_utf8(read(name)?).map_err(wrong)
    };
    let unusable = |what: String| LearningError::Policy { path: folder.join(CONFIG), what };
    let config: PolicyConfig = serde_json::from_str(&text(CONFIG)?).map_err(|error| unusable(error.to_string()))?;
    if config.format != "nano" {
        return Err(unusable(format!("prompt format `{}`, this program plays `nano`", config.format.escape_debug())));
    }
    if parse_seed(&config.knowledge_digest).map(hex).as_ref() != Ok(&config.knowledge_digest) {
        return Err(unusable("`knowledge_digest` is not 16 hexadecimal digits".to_owned()));
    }
    let format = NanoFormat::from_json(&text(TOKENIZER)?)?;
    let decoder = load_weights(&read(WEIGHTS)?, device)?;
    if *decoder.config() != config.decoder {
        return Err(unusable(format!("`decoder` is not the one in `{WEIGHTS}`")));
    }
    Ok(ExportedPolicy { decoder, format, config })
}
