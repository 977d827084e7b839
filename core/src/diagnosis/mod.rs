//! What a diagnosis text says, and how well it fits the truth (CLINIC 5).
//!
//! [`extract_diagnosis`] finds the tag as the published code does. [`DiagnosisIndex`] reads the text as a set of conditions:
//! names and synonyms of diseases, names of groups, and fragments it does not know, each of which counts as one condition.
//! [`similarity`] compares two such sets. All of it is deterministic and total.

mod index;
mod name;
mod read;
mod tag;

pub use index::{DiagnosisIndex, NameClash};
pub use name::normalize_name;
pub use read::DiagnosisReading;
pub use tag::extract_diagnosis;

use alloc::vec::Vec;

/// More listed conditions than this earn nothing.
pub const MAX_LISTED: usize = 3;

/// One condition of a diagnosis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// A disease of the knowledge base, by index.
    Disease(u16),
    /// Something else, by the key of its normalised name.
    Unmatched(u64),
}

/// S: Jaccard similarity of the listed and the true conditions, both without duplicates. 0 when either is empty or more than
/// [`MAX_LISTED`] are listed.
pub fn similarity(listed: &[Condition], truth: &[Condition]) -> f64 {
    let (listed, truth) = (distinct(listed), distinct(truth));
    if listed.is_empty() || truth.is_empty() || listed.len() > MAX_LISTED {
        return 0.0;
    }
    let shared = listed.iter().filter(|condition| truth.contains(condition)).count();
    shared as f64 / (listed.len() + truth.len() - shared) as f64
}

fn distinct(conditions: &[Condition]) -> Vec<Condition> {
    let mut distinct = conditions.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listing_k_with_one_right_earns_one_kth_and_more_than_three_nothing() {
        let truth = [Condition::Disease(7)];
        let listed: alloc::vec::Vec<Condition> = (7..11).map(Condition::Disease).collect();
        assert!((similarity(&listed[..1], &truth) - 1.0).abs() < 1e-15);
        assert!((similarity(&listed[..2], &truth) - 0.5).abs() < 1e-15);
        assert!((similarity(&listed[..3], &truth) - 1.0 / 3.0).abs() < 1e-15);
        assert!(similarity(&listed, &truth).abs() < 1e-15);
        assert!(similarity(&[], &truth).abs() < 1e-15);
        assert!(similarity(&[Condition::Unmatched(7)], &truth).abs() < 1e-15);
    }

    #[test]
    fn naming_a_condition_twice_counts_once() {
        let seven = Condition::Disease(7);
        assert!((similarity(&[seven, seven, seven], &[seven]) - 1.0).abs() < 1e-15);
        assert!((similarity(&[seven, seven, Condition::Disease(8)], &[seven]) - 0.5).abs() < 1e-15);
    }
}
