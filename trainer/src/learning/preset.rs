//! Sizes, rates and lengths of a whole training run by name. Steps, never seconds: the same seed gives the same bytes.

use serde::{Deserialize, Serialize};
use workup_core::nano;
use workup_learn::{
    DapoConfig, Decay, GroupFilter, LearningRate, MatrixUpdate, OptimizerConfig, Overlong, RolloutConfig, SftConfig,
};
use workup_model::DecoderConfig;

use super::{dapo::DapoRun, sft::SftRun};

/// First scenario of the training split that DAPO plays; conversations are written about those before it.
pub const FIRST_DAPO_SCENARIO: u64 = 1_000_000;

/// The expert says 40 tokens an encounter; twenty messages at the limit would be 960.
const OVERLONG: Overlong = Overlong { max_tokens: 256, buffer: 96 };

/// A named training run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// The demonstration: nano decoder, a quarter of an hour on two cores.
    Quick,
    /// Seconds: shows that everything runs, learns next to nothing.
    Tiny,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Quick, Self::Tiny];

    /// The name in flags and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Tiny => "tiny",
        }
    }

    /// The preset of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// Conversations written: a few more than fine-tuning reads in one pass.
    pub const fn conversations(self) -> u64 {
        match self {
            Self::Quick => 18_200,
            Self::Tiny => 96,
        }
    }

    /// Conversations held out of them to watch the loss on.
    pub const fn held_out(self) -> usize {
        match self {
            Self::Quick => 100,
            Self::Tiny => 8,
        }
    }

    /// Token ids of the vocabulary.
    pub const fn vocab_size(self) -> usize {
        match self {
            Self::Quick => 1_024,
            Self::Tiny => 384,
        }
    }

    /// Test scenarios the policies are compared on.
    pub const fn test_cases(self) -> u64 {
        match self {
            Self::Quick => 2_000,
            Self::Tiny => 64,
        }
    }

    /// Supervised fine-tuning for a vocabulary of `vocab_size`.
    pub fn sft(self, vocab_size: usize, seed: u64) -> SftRun {
        let nano = DecoderConfig::nano(vocab_size);
        match self {
            Self::Quick => {
                let steps = 1_100;
                SftRun {
                    decoder: DecoderConfig { max_seq_len: nano::MAX_TOKENS, ..nano },
                    config: SftConfig {
                        batch_size: 16,
                        micro_batch_tokens: 2_048,
                        learning_rate: LearningRate {
                            peak: 4e-3,
                            warmup_steps: 40,
                            decay: Decay::Cosine { total_steps: steps, floor: 0.05 },
                        },
                        optimizer: OptimizerConfig { matrices: MatrixUpdate::Muon, ..OptimizerConfig::default() },
                    },
                    steps,
                    checkpoint_every: 100,
                    seed,
                }
            }
            Self::Tiny => SftRun {
                decoder: DecoderConfig {
                    hidden_size: 32,
                    num_layers: 1,
                    num_heads: 2,
                    num_kv_heads: 1,
                    intermediate_size: 64,
                    max_seq_len: nano::MAX_TOKENS,
                    ..nano
                },
                config: SftConfig {
                    batch_size: 8,
                    micro_batch_tokens: 512,
                    learning_rate: LearningRate::constant(1e-2),
                    optimizer: OptimizerConfig { matrices: MatrixUpdate::Muon, ..OptimizerConfig::default() },
                },
                steps: 30,
                checkpoint_every: 10,
                seed,
            },
        }
    }

    /// DAPO with the token that closes a message.
    pub fn dapo(self, end_token: u32) -> DapoRun {
        let rollout = RolloutConfig {
            max_tokens: nano::MAX_TOKENS as u32,
            max_tokens_per_turn: nano::MAX_MESSAGE_TOKENS as u32,
            max_rows: 80,
            ..RolloutConfig::new(end_token)
        };
        match self {
            Self::Quick => DapoRun {
                config: DapoConfig {
                    group_size: 8,
                    groups_per_step: 16,
                    // About half of the groups agree in everything once the policy is any good.
                    oversample: 2.0,
                    micro_batch_tokens: 2_048,
                    overlong: Some(OVERLONG),
                    ..DapoConfig::new(
                        rollout,
                        LearningRate {
                            peak: 4e-4,
                            warmup_steps: 4,
                            decay: Decay::Cosine { total_steps: 64, floor: 0.2 },
                        },
                    )
                },
                steps: 64,
                checkpoint_every: 10,
                first_scenario: FIRST_DAPO_SCENARIO,
            },
            Self::Tiny => DapoRun {
                config: DapoConfig {
                    group_size: 4,
                    groups_per_step: 3,
                    overlong: Some(OVERLONG),
                    filter: GroupFilter::OFF,
                    micro_batch_tokens: 512,
                    ..DapoConfig::new(
                        RolloutConfig { max_tokens: 256, max_rows: 4, ..rollout },
                        LearningRate { peak: 1e-3, warmup_steps: 0, decay: Decay::Constant },
                    )
                },
                steps: 4,
                checkpoint_every: 1,
                first_scenario: FIRST_DAPO_SCENARIO,
            },
        }
    }
}
