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

/// The same base where one finding cannot be without another: the itch (a complaint here) wants the cough, which has attributes;
/// the rub wants the fever, on which a panel depends.
pub(crate) fn base_with_requirements() -> Arc<KnowledgeBase> {
    let edits = [
        (r#""id": "itch", "#, r#""id": "itch", "requires": "cough", "#),
        (r#""id": "rub", "#, r#""id": "rub", "requires": "fever", "#),
        (
            r#""complaints": ["#,
            r#""complaints": [{ "finding": "itch", "opening": ["I itch"], "order": ["cough", "fever", "pain", "smoking"] },"#,
        ),
        (r#"{ "pain": 3, "cough": 1 }"#, r#"{ "pain": 3, "cough": 1, "itch": 2 }"#),
        (r#"{ "pain": 1, "cough": 2 }"#, r#"{ "pain": 1, "cough": 2, "itch": 1 }"#),
    ];
    let text = edits.iter().fold(TINY.to_owned(), |text, (from, to)| {
        assert_eq!(text.matches(from).count(), 1, "`{from}` stands once in the tiny base");
        text.replace(from, to)
    });
    Arc::new(KnowledgeBase::from_json(&text).unwrap_or_else(|error| panic!("{error}")))
}
