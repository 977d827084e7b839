//! Named numbers of one step, under the names people already search for in verl and TRL.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Metrics of one step, in the order of their names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metrics(pub BTreeMap<String, f64>);

impl Metrics {
    /// Sets one value.
    pub fn set(&mut self, name: &str, value: f64) {
        self.0.insert(name.to_owned(), value);
    }

    /// One value, when it was set.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// Takes over all values of `other`, replacing those of the same name.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Sets `name/mean`, `name/min` and `name/max` of some values; nothing without values.
    pub(crate) fn summarise(&mut self, name: &str, values: &[f64]) {
        if values.is_empty() {
            return;
        }
        self.set(&format!("{name}/mean"), crate::advantage::mean(values));
        self.set(&format!("{name}/min"), values.iter().copied().fold(f64::INFINITY, f64::min));
        self.set(&format!("{name}/max"), values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    }
}
