//! The shape of a decoder: every size that fixes its parameters.

use alloc::string::String;
use serde::{Deserialize, Serialize};

/// The shape of a Llama-family decoder. Serialises to a flat JSON object with these field names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecoderConfig {
    /// Number of token ids.
    pub vocab_size: usize,
    /// Width of the residual stream.
    pub hidden_size: usize,
    /// Number of blocks.
    pub num_layers: usize,
    /// Query heads per block; divides `hidden_size`.
    pub num_heads: usize,
    /// Key and value heads per block; divides `num_heads`.
    pub num_kv_heads: usize,
    /// Width of the gated multi-layer perceptron.
    pub intermediate_size: usize,
    /// Longest row in tokens.
    pub max_seq_len: usize,
    /// Base of the rotary angles.
    pub rope_theta: f64,
    /// Added to the mean square before the root in every norm.
    pub rms_norm_eps: f64,
    /// Whether the output head is the embedding table.
    pub tie_embeddings: bool,
}

/// Why a [`DecoderConfig`] cannot be built.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigError {
    /// Not JSON, or not an object with exactly the fields of [`DecoderConfig`].
    #[error("decoder config is not valid: {0}")]
    Json(String),
    /// A size that must be positive is zero, or far above any decoder this crate could hold.
    #[error("decoder config: `{field}` is `{value}`, use 1 to {max}")]
    Size {
        /// The field's name.
        field: &'static str,
        /// Its value.
        value: usize,
        /// The largest value allowed.
        max: usize,
    },
    /// Two sizes that must divide each other do not.
    #[error("decoder config: `{whole}` is not a multiple of `{part}`, change one of them")]
    NotDivisible {
        /// The larger field.
        whole: &'static str,
        /// The field that should divide it.
        part: &'static str,
    },
    /// The width of a head is odd, so it cannot be rotated in pairs.
    #[error("decoder config: head size `{0}` is odd, rotary positions need an even one")]
    OddHead(usize),
    /// `rope_theta` or `rms_norm_eps` is not a positive finite number.
    #[error("decoder config: `{0}` must be a positive finite number")]
    Float(&'static str),
}

impl DecoderConfig {
    /// The small decoder trained from scratch: 0.69 M parameters with a vocabulary of 1,024.
    pub fn nano(vocab_size: usize) -> Self {
        Self {
            vocab_size,
            hidden_size: 128,
            num_layers: 3,
            num_heads: 4,
            num_kv_heads: 2,
            intermediate_size: 352,
            max_seq_len: 2048,
            rope_theta: 10_000.0,
            rms_norm_eps: 1e-5,
            tie_embeddings: true,
        }
    }

    /// Width of one attention head.
    pub fn head_size(&self) -> usize {
        self.hidden_size / self.num_heads
    }

    /// Width of the joint query, key and value projection.
    pub fn qkv_size(&self) -> usize {
        (self.num_heads + 2 * self.num_kv_heads) * self.head_size()
    }

    /// Number of trained numbers, embedding included; a tied head counts once.
    pub fn num_parameters(&self) -> usize {
        let hidden = self.hidden_size;
        let attention = hidden * self.qkv_size() + hidden * hidden;
        let mlp = 3 * hidden * self.intermediate_size;
        let tables = if self.tie_embeddings { 1 } else { 2 };
        self.num_layers * (attention + mlp + 2 * hidden) + tables * self.vocab_size * hidden + hidden
    }

    /// Checks that the sizes fit together.
    pub fn validate(&self) -> Result<(), ConfigError> {
        for (field, value, max) in [
            ("vocab_size", self.vocab_size, 1 << 20),
            ("hidden_size", self.hidden_size, 1 << 15),
            ("num_layers", self.num_layers, 1 << 10),
            ("num_heads", self.num_heads, 1 << 10),
            ("num_kv_heads", self.num_kv_heads, 1 << 10),
            ("intermediate_size", self.intermediate_size, 1 << 17),
            ("max_seq_len", self.max_seq_len, 1 << 20),
        ] {
            if value == 0 || value > max {
                return Err(ConfigError::Size { field, value, max });
            }
        }
        if !self.hidden_size.is_multiple_of(self.num_heads) {
            return Err(ConfigError::NotDivisible { whole: "hidden_size", part: "num_heads" });
        }
        if !self.num_heads.is_multiple_of(self.num_kv_heads) {
            return Err(ConfigError::NotDivisible { whole: "num_heads", part: "num_kv_heads" });
        }
        if !self.head_size().is_multiple_of(2) {
            return Err(ConfigError::OddHead(self.head_size()));
        }
        for (field, value) in [("rope_theta", self.rope_theta), ("rms_norm_eps", self.rms_norm_eps)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(ConfigError::Float(field));
            }
        }
        Ok(())
    }

    /// Reads and checks a config from JSON.
    pub fn from_json(json: &str) -> Result<Self, ConfigError> {
        let config: Self = serde_json::from_str(json).map_err(|error| ConfigError::Json(alloc::format!("{error}")))?;
        config.validate()?;
        Ok(config)
    }

    /// The config as one line of JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nano_stays_within_its_budget() {
        let parameters = DecoderConfig::nano(1024).num_parameters();
        assert!(parameters <= 700_000, "{parameters}");
    }

    #[test]
    fn json_round_trips() {
        let config = DecoderConfig::nano(777);
        assert_eq!(DecoderConfig::from_json(&config.to_json()), Ok(config));
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        let mut config = DecoderConfig::nano(64);
        config.num_kv_heads = 3;
        let error = ConfigError::NotDivisible { whole: "num_heads", part: "num_kv_heads" };
        assert_eq!(config.validate(), Err(error));
        config.num_kv_heads = 0;
        assert!(matches!(config.validate(), Err(ConfigError::Size { field: "num_kv_heads", .. })));
        assert!(matches!(DecoderConfig::from_json("{}"), Err(ConfigError::Json(_))));
    }
}
