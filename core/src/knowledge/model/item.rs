//! Numbers for everything that can be reported.

/// Index over all items that can be reported: findings first, then attributes, then analytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct ItemId(pub u16);

/// What an [`ItemId`] stands for; the number indexes the vector of that kind in [`KnowledgeBase`](super::KnowledgeBase).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A finding: present or absent.
    Finding(u16),
    /// An attribute of a finding.
    Attribute(u16),
    /// An analyte or report field of a panel.
    Analyte(u16),
}
