//! A knowledge base small enough to enumerate everything hidden.

use std::sync::Arc;

use workup_core::knowledge::KnowledgeBase;

/// Three hypotheses of two diseases, six findings of every kind, four attributes of every kind, a panel of its own with a site
/// field and a panel that depends on a finding.
pub(crate) const TINY: &str = include_str!("tiny.kb.json");

/// The compiled base.
pub(crate) fn base() -> Arc<KnowledgeBase> {
    Arc::new(KnowledgeBase::from_json(TINY).unwrap_or_else(|error| panic!("{error}")))
}
