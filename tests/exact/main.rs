//! What must hold exactly in the core: published numbers, goldens, properties.

mod belief_oracle;
mod imported;
mod parity;
mod properties;
mod published_reward;
mod tiny;
