//! Expected information gain.
