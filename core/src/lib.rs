//! The clinic of Workup: a seeded, exactly reproducible simulator of a diagnostic encounter.
//!
//! A [`scenario::Scenario`] and a [`knowledge::KnowledgeBase`] fix an [`episode::Episode`]. An agent acts ([`action::Action`]),
//! the patient answers or an exam reports ([`observation`]), both through noise ([`noise`]), every exam costs ([`exam`],
//! [`reward`]), and a referee knows the exact posterior ([`belief`]). All randomness is keyed ([`random`]): same scenario, same
//! actions, same bytes on every platform.
//!
//! No I/O, clock, thread, global or platform float. Research and teaching software, never medical advice.
#![no_std]
#![warn(missing_docs, clippy::disallowed_methods, clippy::disallowed_types)]
extern crate alloc;

pub mod action;
pub mod belief;
pub mod case;
pub mod clinic;
pub mod clinician;
pub mod diagnosis;
pub mod dialogue;
pub mod digest;
pub mod episode;
pub mod exam;
pub mod examination;
pub mod import;
pub mod knowledge;
pub mod math;
pub mod nano;
pub mod noise;
mod noise_plan;
pub mod observation;
pub mod parity;
pub mod patient;
pub mod persona;
pub mod protocol;
pub mod random;
pub mod referee;
pub mod reward;
pub mod scenario;
pub mod scenario_code;
pub mod structured;
pub mod wording;
pub mod workload;

/// The words that stand on every page and report (CLINIC 10).
pub const SAFETY: &str = "Simulator for research and teaching. Patients, findings and probabilities are invented or estimated, not checked \
for clinical use. Not medical advice, not a medical device: do not use it to diagnose, triage or treat anyone, yourself included. In an \
emergency call your local emergency number. Prices are US list values, not quotes. The agent can be wrong while sounding sure.";

/// The words that stand beside every code of an imported case (CLINIC 10).
pub const IMPORTED_WARNING: &str =
    "Do not enter real patient data. This link contains the whole case text; anyone with it can read it.";
