//! A trained policy as one folder: `model.safetensors` (f16), `tokenizer.json`, `config.json`.

use std::{fs, path::Path};

use burn::prelude::Device;
use serde::{Deserialize, Serialize};
use workup_model::{Decoder, DecoderConfig, Precision, load_weights, save_weights};

use super::{
    LearningError, StageName,
    folder::{part_of, recover_folder, replace_folder},
    format::NanoFormat,
};
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

/// Puts a policy in the place of `folder`, all of it at once.
///
/// # Errors
/// When the folder cannot be written or the weights not be read; what was there stays then.
pub fn export_policy(
    folder: &Path,
    decoder: &Decoder,
    tokenizer: &str,
    config: &PolicyConfig,
) -> Result<(), LearningError> {
    recover_folder(folder).map_err(LearningError::io(folder))?;
    let part = part_of(folder);
    fs::create_dir_all(&part).map_err(LearningError::io(&part))?;
    let weights = save_weights(decoder, Precision::F16)?;
    let config = serde_json::to_string_pretty(config).unwrap_or_default();
    for (name, bytes) in [(TOKENIZER, tokenizer.as_bytes()), (CONFIG, config.as_bytes()), (WEIGHTS, &weights[..])] {
        let path = part.join(name);
        write_atomically(&path, bytes).map_err(LearningError::io(&path))?;
    }
    replace_folder(folder).map_err(LearningError::io(folder))
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
    let policies = StageName::ALL.map(|stage| stage.policy_folder(folder)).into_iter().filter(|policy| policy.is_dir());
    let policies: Vec<String> = policies.map(|policy| format!("`{}`", policy.display())).collect();
    if !policies.is_empty() {
        return Err(LearningError::RunNotPolicy { run: folder.to_owned(), policies: policies.join(", ") });
    }
    let (config, tokenizer) = load_texts(folder)?;
    let format = NanoFormat::from_json(&tokenizer)?;
    let path = folder.join(WEIGHTS);
    let decoder = load_weights(&fs::read(&path).map_err(LearningError::io(&path))?, device)?;
    if *decoder.config() != config.decoder {
        let what = format!("`decoder` is not the one in `{WEIGHTS}`");
        return Err(LearningError::Policy { path: folder.join(CONFIG), what });
    }
    Ok(ExportedPolicy { decoder, format, config })
}

/// Reads config and tokenizer of what [`export_policy`] wrote.
///
/// # Errors
/// When a file is missing or wrong.
pub fn load_texts(folder: &Path) -> Result<(PolicyConfig, String), LearningError> {
    let text = |name: &str| {
        let path = folder.join(name);
        let bytes = fs::read(&path).map_err(LearningError::io(&path))?;
        String::from_utf8(bytes).map_err(|error| LearningError::Policy { path, what: error.to_string() })
    };
    let unusable = |what: String| LearningError::Policy { path: folder.join(CONFIG), what };
    let config: PolicyConfig = serde_json::from_str(&text(CONFIG)?).map_err(|error| unusable(error.to_string()))?;
    if config.format != "nano" {
        return Err(unusable(format!("prompt format `{}`, this program plays `nano`", config.format.escape_debug())));
    }
    if parse_seed(&config.knowledge_digest).map(hex).as_ref() != Ok(&config.knowledge_digest) {
        return Err(unusable("`knowledge_digest` is not 16 hexadecimal digits".to_owned()));
    }
    Ok((config, text(TOKENIZER)?))
}
