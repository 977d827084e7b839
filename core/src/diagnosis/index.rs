//! Names -> diseases and groups: sorted arrays, no hashing.

use alloc::{string::String, vec::Vec};

use super::name::{loose_key, normalize_name};

/// One name for two things.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` names two conditions or groups: make it a synonym of one only")]
pub struct NameClash {
    /// The name, normalised.
    pub name: String,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    Disease(u16),
    /// Position in `groups`.
    Group(u16),
}

/// Finds diseases and groups of diseases by name.
#[derive(Clone, Debug, Default)]
pub struct DiagnosisIndex {
    /// Normalised names, sorted.
    exact: Vec<(String, Target)>,
    /// Loose keys that belong to one target only, sorted.
    loose: Vec<(String, Target)>,
    /// Members of each group, sorted.
    groups: Vec<Vec<u16>>,
}

impl DiagnosisIndex {
    /// Indexes `(disease, name or synonym)` and `(group name, members)`.
    ///
    /// # Errors
    /// A name that would stand for two diseases, or for a disease and a group.
    pub fn new<'a>(
        names: impl IntoIterator<Item = (u16, &'a str)>,
        groups: impl IntoIterator<Item = (&'a str, &'a [u16])>,
    ) -> Result<Self, NameClash> {
        let mut index = Self::default();
        for (disease, name) in names {
            index.exact.push((normalize_name(name), Target::Disease(disease)));
        }
        for (name, members) in groups {
            let mut members = members.to_vec();
            members.sort_unstable();
            members.dedup();
            index.exact.push((normalize_name(name), Target::Group(index.groups.len() as u16)));
            index.groups.push(members);
        }
        index.exact.retain(|(name, _)| !name.is_empty());
        index.exact.sort_unstable();
        index.exact.dedup();
        if let Some(pair) = index.exact.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(NameClash { name: pair[0].0.clone() });
        }
        index.loose = unambiguous(index.exact.iter().map(|(name, target)| (loose_key(name), *target)).collect());
        Ok(index)
    }

    /// What a normalised name stands for.
    pub(super) fn find(&self, normalized: &str) -> Option<Target> {
        search(&self.exact, normalized).or_else(|| search(&self.loose, &loose_key(normalized)))
    }

    pub(super) fn members(&self, group: u16) -> &[u16] {
        &self.groups[usize::from(group)]
    }
}

fn search(names: &[(String, Target)], wanted: &str) -> Option<Target> {
    let found = names.binary_search_by(|(name, _)| name.as_str().cmp(wanted)).ok()?;
    Some(names[found].1)
}

/// Drops keys that stand for several targets: word order or a plural decides between them, so only the exact name counts.
fn unambiguous(mut keys: Vec<(String, Target)>) -> Vec<(String, Target)> {
    keys.sort_unstable();
    keys.dedup();
    let same = |left: Option<&(String, Target)>, key: &str| left.is_some_and(|(other, _)| other == key);
    let single = |at: usize| {
        let key = keys[at].0.as_str();
        !key.is_empty()
            && !same(at.checked_sub(1).and_then(|before| keys.get(before)), key)
            && !same(keys.get(at + 1), key)
    };
    (0..keys.len()).filter(|at| single(*at)).map(|at| keys[at].clone()).collect()
}
