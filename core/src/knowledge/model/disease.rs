//! Diseases, the ways they present, and what brings a patient in.

use alloc::{string::String, vec::Vec};

use crate::exam::CallPattern;

/// A disease.
#[derive(Clone, Debug)]
pub struct Disease {
    /// Identity.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Other names.
    pub synonyms: Vec<String>,
    /// Lay guess.
    pub lay: String,
    /// ICD-10 code.
    pub icd10: String,
    /// Body system.
    pub system: String,
    /// 1 (most severe) to 5.
    pub severity: u32,
    /// Relative incidence, `[sex][age band]`, sex as in [`Sex`](crate::knowledge::Sex).
    pub incidence: [[u32; 4]; 2],
    /// Total incidence over all cells, relative to the other diseases, in units of 1/1000; at least 1.
    pub prevalence: u32,
    /// Diagnosed clinically.
    pub clinical: bool,
    /// Its hypotheses: the range of indexes.
    pub hypotheses: core::ops::Range<usize>,
    /// Calls a sensible clinician would order, as written.
    pub reference_workup: Vec<String>,
    /// Calls that would harm, as patterns.
    pub contraindicated: Vec<CallPattern>,
    /// Sources.
    pub sources: Vec<String>,
}

/// A disease in one way it presents.
#[derive(Clone, Debug)]
pub struct Hypothesis {
    /// The disease (index).
    pub disease: u16,
    /// Variant id; empty for the only one.
    pub variant: String,
    /// Weight among the disease's variants, by age band, in parts per million.
    pub weight: [u32; 4],
    /// Complaint weights in parts per million, by complaint index.
    pub complaints: Vec<u32>,
}

/// What brings a patient in.
#[derive(Clone, Debug)]
pub struct Complaint {
    /// The finding (index).
    pub finding: u16,
    /// First sentences.
    pub opening: Vec<String>,
    /// Public order of volunteering (indexes of findings).
    pub order: Vec<u16>,
}
