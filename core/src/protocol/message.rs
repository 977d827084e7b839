//! OpenAI-style messages, as they stand in JSONL files and go over the wire.

use alloc::{string::String, vec::Vec};

use serde::{Deserialize, Serialize};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Instructions.
    System,
    /// The patient (and reports, where a template has no tool role).
    User,
    /// The doctor.
    Assistant,
    /// An exam report.
    Tool,
}

/// One message; unknown fields are ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text; null counts as empty.
    #[serde(default, deserialize_with = "null_as_empty")]
    pub content: String,
    /// Calls of an assistant message.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "null_as_none")]
    pub tool_calls: Vec<ToolCallEntry>,
    /// The call a tool message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

/// An entry of `tool_calls`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCallEntry {
    /// Identity of the call.
    #[serde(default)]
    pub id: String,
    /// Always `function`.
    #[serde(default = "function", rename = "type")]
    pub kind: String,
    /// What is called.
    pub function: FunctionCall,
}

/// Name and arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionCall {
    /// Tool name.
    pub name: String,
    /// Arguments as JSON text; an object is accepted too.
    #[serde(default, deserialize_with = "text_or_object")]
    pub arguments: String,
}

fn function() -> String {
    String::from("function")
}

fn null_as_empty<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.unwrap_or_default())
}

fn null_as_none<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<ToolCallEntry>, D::Error> {
    Ok(Option::<Vec<ToolCallEntry>>::deserialize(deserializer)?.unwrap_or_default())
}

fn text_or_object<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(match serde_json::Value::deserialize(deserializer)? {
        serde_json::Value::String(text) => text,
        serde_json::Value::Null => String::new(),
        other => alloc::format!("{other}"),
    })
}

impl Message {
    /// A message of text alone.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), tool_calls: Vec::new(), tool_call_id: None }
    }
}
