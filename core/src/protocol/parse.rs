//! An agent's message -> what it does.

use alloc::{borrow::Cow, vec::Vec};

use super::Message;

/// A parsed message: one action, and how many format errors stand beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed<'a> {
    /// What the message does.
    pub action: ParsedAction<'a>,
    /// Tool calls beyond the first; each is a format error of its own.
    pub extra_format_errors: u32,
}

/// What a message does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParsedAction<'a> {
    /// Ends with the text inside the first diagnosis tag.
    Diagnosis(Cow<'a, str>),
    /// Calls a tool.
    ToolCall(ToolCall<'a>),
    /// Says something to the patient; never blank, private reasoning removed.
    Ask(Cow<'a, str>),
    /// No usable form.
    FormatError(FormatError),
}

/// A tool call as written; names and values are not yet checked against the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall<'a> {
    /// Tool name.
    pub name: Cow<'a, str>,
    /// `(parameter, value)` pairs; numbers and booleans as text, null left out.
    pub arguments: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

/// Why a message has no usable form, with what to do instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// Nothing is left once private reasoning is removed.
    #[error("the message is empty: ask a question, order an exam or write `[DIAGNOSIS: name]`")]
    Empty,
}

/// Parses the text of a doctor's message.
pub fn parse_text(text: &str) -> Parsed<'_> {
    Parsed { action: ParsedAction::Ask(Cow::Borrowed(text)), extra_format_errors: 0 }
}

/// Parses a doctor's message with `tool_calls`.
pub fn parse_message(message: &Message) -> Parsed<'_> {
    parse_text(&message.content)
}
