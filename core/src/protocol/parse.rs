//! An agent's message -> what it does. Time and memory are proportional to the length of the message.

use alloc::{
    borrow::Cow,
    string::{String, ToString},
    vec::Vec,
};

use super::{Message, reasoning::strip_reasoning, tool_call};
use crate::diagnosis::extract_diagnosis;

/// Longest JSON of one tool call, in bytes.
pub const MAX_CALL: usize = 4_096;
/// Most arguments of one tool call.
pub const MAX_ARGUMENTS: usize = 16;

const OPENING: &str = "<tool_call>";
const CLOSING: &str = "</tool_call>";
const TAG: &[u8] = b"[diagnosis:";

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
    /// Ends with the text inside the first diagnosis tag; never blank.
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
    /// `(parameter, value)` pairs, at most [`MAX_ARGUMENTS`]; numbers and booleans as text, null left out.
    pub arguments: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

/// Why a message has no usable form, with what to do instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// Nothing is left once private reasoning is removed.
    #[error("the message is empty: ask a question, order an exam or write `[DIAGNOSIS: name]`")]
    Empty,
    /// A diagnosis tag without a diagnosis.
    #[error("the diagnosis tag is empty: write `[DIAGNOSIS: name]`")]
    EmptyDiagnosis,
    /// A diagnosis tag that never ends.
    #[error("the diagnosis tag has no end: close it with `]` on the same line")]
    UnfinishedDiagnosis,
    /// Only one of the two tags of a tool call.
    #[error("the tool call is not closed: write `<tool_call>{{\"name\": .., \"arguments\": {{..}}}}</tool_call>`")]
    UnclosedToolCall,
    /// A call as bare JSON.
    #[error("a tool call stands between `<tool_call>` and `</tool_call>`: put the tags around the JSON")]
    BareJson,
    /// The JSON of a call is too long.
    #[error("the tool call has `{0}` bytes: use at most `{MAX_CALL}`")]
    TooLong(usize),
    /// The JSON of a call does not parse.
    #[error("the tool call is not valid JSON: {0}")]
    Syntax(String),
    /// The JSON of a call is not an object with a name.
    #[error("the tool call has no name: write `{{\"name\": \"ecg\", \"arguments\": {{}}}}`")]
    NoName,
    /// Arguments that are not an object.
    #[error("the arguments of a tool call are an object: write `\"arguments\": {{\"region\": \"chest\"}}`")]
    BadArguments,
    /// An argument that is a list or an object.
    #[error("argument `{0}` must be one text: write `\"{0}\": \"value\"`")]
    BadArgument(String),
    /// Too many arguments.
    #[error("the tool call has `{0}` arguments: use at most `{MAX_ARGUMENTS}`")]
    TooManyArguments(usize),
}

impl ToolCall<'_> {
    /// The arguments as borrowed pairs.
    pub fn pairs(&self) -> Vec<(&str, &str)> {
        self.arguments.iter().map(|(name, value)| (name.as_ref(), value.as_ref())).collect()
    }

    fn into_owned(self) -> ToolCall<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        ToolCall {
            name: own(self.name),
            arguments: self.arguments.into_iter().map(|(name, value)| (own(name), own(value))).collect(),
        }
    }
}

impl Parsed<'_> {
    fn into_owned(self) -> Parsed<'static> {
        let action = match self.action {
            ParsedAction::Diagnosis(text) => ParsedAction::Diagnosis(Cow::Owned(text.into_owned())),
            ParsedAction::ToolCall(call) => ParsedAction::ToolCall(call.into_owned()),
            ParsedAction::Ask(text) => ParsedAction::Ask(Cow::Owned(text.into_owned())),
            ParsedAction::FormatError(error) => ParsedAction::FormatError(error),
        };
        Parsed { action, extra_format_errors: self.extra_format_errors }
    }
}

impl From<FormatError> for Parsed<'_> {
    fn from(error: FormatError) -> Self {
        Self { action: ParsedAction::FormatError(error), extra_format_errors: 0 }
    }
}

/// Parses the text of a doctor's message: the diagnosis tag wins, else the first tool call, else it is said to the patient.
///
/// Private reasoning (`<think>` blocks, also unclosed ones) is removed first. A text that is a whole JSON message with
/// `tool_calls` is read as that message.
pub fn parse_text(text: &str) -> Parsed<'_> {
    match strip_reasoning(text) {
        Cow::Borrowed(text) => parse_spoken(text),
        Cow::Owned(text) => parse_spoken(&text).into_owned(),
    }
}

/// Parses a doctor's message whose calls stand in `tool_calls`; calls in the text beside them are format errors.
pub fn parse_message(message: &Message) -> Parsed<'_> {
    let Some(first) = message.tool_calls.first() else { return parse_text(&message.content) };
    let spoken = strip_reasoning(&message.content);
    if let Some(diagnosis) = extract_diagnosis(&spoken) {
        return diagnosed(diagnosis).into_owned();
    }
    let others = message.tool_calls.len() - 1 + spoken.matches(OPENING).count();
    let arguments = tool_call::parse_arguments(&first.function.arguments);
    let call = arguments.map(|arguments| ToolCall { name: Cow::Borrowed(&first.function.name), arguments });
    called(call.and_then(named), others)
}

fn parse_spoken(text: &str) -> Parsed<'_> {
    let text = text.trim();
    if let Some(diagnosis) = extract_diagnosis(text) {
        return diagnosed(diagnosis);
    }
    if let Some(start) = text.find(OPENING) {
        let rest = &text[start + OPENING.len()..];
        let Some(end) = rest.find(CLOSING) else { return FormatError::UnclosedToolCall.into() };
        let others = rest[end..].matches(OPENING).count();
        return called(tool_call::parse_call(&rest[..end]).and_then(named), others);
    }
    if text.is_empty() {
        return FormatError::Empty.into();
    }
    if text.starts_with('{') {
        return parse_bare_json(text);
    }
    if text.contains(CLOSING) {
        return FormatError::UnclosedToolCall.into();
    }
    if text.match_indices('[').any(|(at, _)| begins_with_tag(&text.as_bytes()[at..])) {
        return FormatError::UnfinishedDiagnosis.into();
    }
    Parsed { action: ParsedAction::Ask(Cow::Borrowed(text)), extra_format_errors: 0 }
}

fn begins_with_tag(bytes: &[u8]) -> bool {
    bytes.get(..TAG.len()).is_some_and(|start| start.eq_ignore_ascii_case(TAG))
}

/// A text that begins like JSON: a whole message with `tool_calls`, or a call without its tags.
fn parse_bare_json(text: &str) -> Parsed<'_> {
    if text.len() > MAX_CALL {
        return FormatError::TooLong(text.len()).into();
    }
    match serde_json::from_str::<Message>(text) {
        Ok(message) if !message.tool_calls.is_empty() => parse_message(&message).into_owned(),
        _ => FormatError::BareJson.into(),
    }
}

fn diagnosed(text: &str) -> Parsed<'_> {
    let action = if text.is_empty() {
        ParsedAction::FormatError(FormatError::EmptyDiagnosis)
    } else {
        ParsedAction::Diagnosis(Cow::Borrowed(text))
    };
    Parsed { action, extra_format_errors: 0 }
}

fn called(call: Result<ToolCall<'_>, FormatError>, others: usize) -> Parsed<'_> {
    let action = match call {
        Ok(call) => ParsedAction::ToolCall(call),
        Err(error) => ParsedAction::FormatError(error),
    };
    Parsed { action, extra_format_errors: u32::try_from(others).unwrap_or(u32::MAX) }
}

fn named(call: ToolCall<'_>) -> Result<ToolCall<'_>, FormatError> {
    if call.name.trim().is_empty() { Err(FormatError::NoName) } else { Ok(call) }
}

impl From<serde_json::Error> for FormatError {
    fn from(error: serde_json::Error) -> Self {
        Self::Syntax(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn error_of(text: &str) -> FormatError {
        match parse_text(text).action {
            ParsedAction::FormatError(error) => error,
            other => panic!("{text:?} is {other:?}"),
        }
    }

    fn call_of(text: &str) -> (String, Vec<(String, String)>) {
        match parse_text(text).action {
            ParsedAction::ToolCall(call) => {
                let pairs = call.pairs().iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
                (call.name.to_string(), pairs)
            }
            other => panic!("{text:?} is {other:?}"),
        }
    }

    fn ask_of(text: &str) -> String {
        match parse_text(text).action {
            ParsedAction::Ask(text) => text.into_owned(),
            other => panic!("{text:?} is {other:?}"),
        }
    }

    #[test]
    fn the_diagnosis_tag_wins_over_a_tool_call() {
        let parsed = parse_text("<tool_call>{\"name\":\"ecg\"}</tool_call> so it is [diagnosis: Angina ]");
        assert_eq!(parsed.action, ParsedAction::Diagnosis("Angina".into()));
        assert_eq!(error_of("[DIAGNOSIS: ]"), FormatError::EmptyDiagnosis);
        assert_eq!(error_of("It is [DIAGNOSIS: angina"), FormatError::UnfinishedDiagnosis);
    }

    #[test]
    fn the_first_tool_call_counts_and_further_ones_are_format_errors() {
        let text = "Let me see.\n<tool_call>\n{\"name\": \"ct\", \"arguments\": {\"region\": \"chest\"}}\n</tool_call>\
                    <tool_call>{}</tool_call> <tool_call>";
        assert_eq!(call_of(text), ("ct".into(), vec![("region".into(), "chest".into())]));
        assert_eq!(parse_text(text).extra_format_errors, 2);
    }

    #[test]
    fn private_reasoning_is_neither_heard_nor_acted_on() {
        assert_eq!(ask_of("<think>[DIAGNOSIS: flu] or not</think> Any fever?"), "Any fever?");
        assert_eq!(ask_of("hm, it may be flu</think>\n\nAny fever?"), "Any fever?");
        assert_eq!(ask_of("Any <THINK>a<think>b</think>c</THINK>fever?"), "Any fever?");
        assert_eq!(error_of("<think>so it is <tool_call>{\"name\":\"ecg\"}</tool_call>"), FormatError::Empty);
        assert_eq!(call_of("<thinking>x</thinking><tool_call>{\"name\":\"ecg\"}</tool_call>").0, "ecg");
    }

    #[test]
    fn arguments_may_be_text_numbers_or_json_text() {
        let expected = (
            "ct".to_string(),
            vec![("a".into(), "1.5".into()), ("b".into(), "true".into()), ("c".into(), "x\"y".into())],
        );
        let object = r#"{"a": 1.5, "b": true, "c": "x\"y", "d": null}"#;
        assert_eq!(
            call_of(&alloc::format!("<tool_call>{{\"arguments\":{object},\"name\":\"ct\"}}</tool_call>")),
            expected
        );
        let text = serde_json::to_string(object).unwrap();
        assert_eq!(
            call_of(&alloc::format!("<tool_call>{{\"name\":\"ct\",\"arguments\":{text}}}</tool_call>")),
            expected
        );
        assert_eq!(call_of("<tool_call>{\"name\":\"ecg\",\"arguments\":null}</tool_call>").1, vec![]);
        assert_eq!(
            call_of("<tool_call>{\"name\":\"ct\",\"parameters\":{\"a\":\"1\",\"a\":\"2\"}}</tool_call>").1,
            vec![("a".into(), "2".into())]
        );
    }

    #[test]
    fn every_malformed_call_says_what_to_do() {
        for (text, expected) in [
            ("", FormatError::Empty),
            (" \n\t ", FormatError::Empty),
            ("<tool_call>{\"name\": \"ecg\"}", FormatError::UnclosedToolCall),
            ("{\"name\": \"ecg\"}</tool_call>", FormatError::BareJson),
            ("ecg</tool_call>", FormatError::UnclosedToolCall),
            ("{\"name\": \"ecg\", \"arguments\": {}}", FormatError::BareJson),
            ("<tool_call>[1]</tool_call>", FormatError::NoName),
            ("<tool_call>{\"name\": \" \"}</tool_call>", FormatError::NoName),
            ("<tool_call>{\"arguments\": {}}</tool_call>", FormatError::NoName),
            ("<tool_call>{\"name\":\"a\",\"arguments\":[]}</tool_call>", FormatError::BadArguments),
            ("<tool_call>{\"name\":\"a\",\"arguments\":{\"b\":[]}}</tool_call>", FormatError::BadArgument("b".into())),
        ] {
            assert_eq!(error_of(text), expected, "{text:?}");
        }
        assert!(matches!(error_of("<tool_call>ecg()</tool_call>"), FormatError::Syntax(_)));
        let long = alloc::format!("<tool_call>{}</tool_call>", "[".repeat(MAX_CALL + 1));
        assert_eq!(error_of(&long), FormatError::TooLong(MAX_CALL + 1));
        let deep = alloc::format!("<tool_call>{}</tool_call>", "[".repeat(MAX_CALL));
        assert!(matches!(error_of(&deep), FormatError::Syntax(_)));
        let many: Vec<String> = (0..17).map(|index| alloc::format!("\"p{index}\":\"v\"")).collect();
        let many = alloc::format!("<tool_call>{{\"name\":\"a\",\"arguments\":{{{}}}}}</tool_call>", many.join(","));
        assert_eq!(error_of(&many), FormatError::TooManyArguments(17));
    }

    #[test]
    fn messages_with_tool_calls_parse_like_text() {
        let text = r#"{"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_0000", "type": "function", "function": {"name": "xray", "arguments": "{\"region\": \"chest\"}"}},
            {"id": "call_0001", "type": "function", "function": {"name": "ecg", "arguments": {}}}]}"#;
        let message: Message = serde_json::from_str(text).unwrap();
        let parsed = parse_message(&message);
        assert_eq!(parsed.extra_format_errors, 1);
        let ParsedAction::ToolCall(call) = &parsed.action else { panic!("{parsed:?}") };
        assert_eq!((call.name.as_ref(), call.pairs()), ("xray", vec![("region", "chest")]));
        assert_eq!(parse_text(text), parsed);
        let diagnosed = Message { content: "[DIAGNOSIS: gout]".into(), ..message };
        assert_eq!(parse_message(&diagnosed).action, ParsedAction::Diagnosis("gout".into()));
    }

    #[test]
    fn written_calls_and_diagnoses_parse_back() {
        let mut out = String::new();
        super::super::write_tool_call("ct", [("region", "che<st>\"\\"), ("contrast", "yes")], &mut out);
        let pairs = vec![("region".into(), "che<st>\"\\".into()), ("contrast".into(), "yes".into())];
        let (name, mut heard) = call_of(&out);
        heard.sort_by_key(|(name, _)| core::cmp::Reverse(name.clone()));
        assert_eq!((name.as_str(), heard), ("ct", pairs));
        out.clear();
        super::super::write_diagnosis(["a", "b"], &mut out);
        assert_eq!(parse_text(&out).action, ParsedAction::Diagnosis("a, b".into()));
    }

    #[test]
    fn any_bytes_parse_to_something() {
        let pieces = [
            "<think>",
            "</think>",
            "<tool_call>",
            "</tool_call>",
            "{",
            "}",
            "\"name\"",
            ":",
            "\"",
            "\\",
            "[DIAGNOSIS:",
            "]",
            "é",
            "\u{0}",
            "<",
            " ",
        ];
        for key in 0..20_000 {
            let mut rng = crate::random::KeyedRng::new(5, crate::random::Purpose::Auxiliary, key, 0);
            let num = rng.below(12);
            let text: String = (0..num).map(|_| pieces[rng.below(pieces.len() as u32) as usize]).collect();
            let parsed = parse_text(&text);
            if let ParsedAction::Ask(said) | ParsedAction::Diagnosis(said) = &parsed.action {
                assert!(!said.trim().is_empty(), "{text:?}");
            }
        }
    }
}
