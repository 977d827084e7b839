//! A knowledge base with everything that is built from it once: what text agents need beside it.

use alloc::sync::Arc;

use crate::{
    knowledge::{KnowledgeBase, KnowledgeError},
    patient::understand::PhraseIndex,
};

/// A knowledge base and its phrases. Episodes share it.
#[derive(Clone, Debug)]
pub struct Clinic {
    base: Arc<KnowledgeBase>,
    phrases: Arc<PhraseIndex>,
}

impl Clinic {
    /// Builds the phrase index of a knowledge base.
    pub fn new(base: Arc<KnowledgeBase>) -> Self {
        let phrases = Arc::new(PhraseIndex::new(&base));
        Self { base, phrases }
    }

    /// The clinic of the embedded pack `core24`.
    ///
    /// # Errors
    /// Only when the files the crate was built from are wrong.
    pub fn core24() -> Result<Self, KnowledgeError> {
        Ok(Self::new(Arc::new(KnowledgeBase::core24()?)))
    }

    /// The knowledge base.
    pub fn base(&self) -> &Arc<KnowledgeBase> {
        &self.base
    }

    /// The phrases that are understood.
    pub fn phrases(&self) -> &PhraseIndex {
        &self.phrases
    }
}
