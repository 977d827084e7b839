//! What must hold exactly in the core: published numbers, goldens, properties.

mod published_reward;
