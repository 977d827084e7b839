//! Typed errors: a JavaScript `Error` whose `code` says which kind it is and whose message says what to do.
use std::fmt::Display;

use js_sys::{Error, Reflect};
use wasm_bindgen::prelude::*;
use workup_core::{
    exam::CallError, knowledge::KnowledgeError, scenario::ScenarioError, scenario_code::CodeError,
    workload::WorkloadError,
};

/// An error of this kind with these words.
pub(crate) fn into_error(code: &str, error: &impl Display) -> JsValue {
    let thrown = Error::new(&error.to_string());
    // Setting a property of a fresh object cannot fail.
    let _ = Reflect::set(&thrown, &"code".into(), &code.into());
    thrown.into()
}

/// Something that goes wrong in the core, with the name of its kind.
pub(crate) trait Coded: Display {
    fn code(&self) -> &'static str;

    fn thrown(&self) -> JsValue
    where
        Self: Sized,
    {
        into_error(self.code(), self)
    }
}

impl Coded for CodeError {
    fn code(&self) -> &'static str {
        match self {
            Self::EngineMismatch(_) => "engine_mismatch",
            Self::KnowledgeMismatch(_) => "knowledge_mismatch",
            Self::UnknownVersion(_) => "unknown_version",
            Self::WrongChecksum => "wrong_checksum",
            Self::TooLong(_) => "too_long",
            Self::TrailingBytes(_) => "trailing_bytes",
            _ => "bad_code",
        }
    }
}

impl Coded for ScenarioError {
    fn code(&self) -> &'static str {
        "bad_scenario"
    }
}

impl Coded for CallError {
    fn code(&self) -> &'static str {
        "invalid_call"
    }
}

impl Coded for KnowledgeError {
    fn code(&self) -> &'static str {
        "bad_knowledge"
    }
}

impl Coded for WorkloadError {
    fn code(&self) -> &'static str {
        "no_workload"
    }
}

impl Coded for serde_wasm_bindgen::Error {
    fn code(&self) -> &'static str {
        "bad_argument"
    }
}

/// A seed as it crosses: 16 hexadecimal digits.
pub(crate) fn seed_from_hex(text: &str) -> Result<u64, JsValue> {
    let digits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let seed = if digits { u64::from_str_radix(text, 16).ok() } else { None };
    seed.ok_or_else(|| into_error("bad_seed", &format!("`{text}` is no seed: give 16 hexadecimal digits")))
}

/// A seed or digest as it crosses.
pub(crate) fn hex(value: u64) -> String {
    format!("{value:016x}")
}
