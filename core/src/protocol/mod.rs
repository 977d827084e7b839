//! The conversation protocol: messages of agents -> actions, and back. Parsing is total: whatever an agent emits becomes an
//! action or a counted format error with a message that says what to do.

mod message;
mod parse;
mod reasoning;
mod render;
mod tool_call;

pub use message::{FunctionCall, Message, Role, ToolCallEntry};
pub use parse::{FormatError, MAX_ARGUMENTS, MAX_CALL, Parsed, ParsedAction, ToolCall, parse_message, parse_text};
pub use render::{write_diagnosis, write_tool_call};
