//! Any text as a message with tool calls, as an OpenAI-style message and as a call in short form: an action or a counted error,
//! and what is understood is written in a way that is understood the same.
#![no_main]
use workup_core::protocol::{
    MAX_CALL, Message, Parsed, ParsedAction, ToolCall, parse_message, parse_text, write_tool_call,
};
use workup_fuzz::{bounded_target, clinic};

bounded_target!(|text: &str| {
    order(parse_text(text));
    if let Ok(message) = serde_json::from_str::<Message>(text) {
        order(parse_message(&message));
    }
    let catalogue = &clinic().base().catalogue;
    if let Ok(call) = catalogue.parse_call_text(text)
        && call.text_key() == 0
    {
        assert_eq!(catalogue.parse_call_text(&catalogue.call_text(&call)).as_ref(), Ok(&call));
    }
});

fn order(parsed: Parsed<'_>) {
    let ParsedAction::ToolCall(call) = parsed.action else { return };
    let mut written = String::new();
    write_tool_call(&call.name, call.pairs(), &mut written);
    let ParsedAction::ToolCall(again) = parse_text(&written).action else {
        // Escapes make a call longer: it may outgrow what is read.
        assert!(written.len() > MAX_CALL, "{written}");
        return;
    };
    // The order of arguments means nothing.
    let sorted = |call: &ToolCall<'_>| {
        let mut arguments = call.arguments.clone();
        arguments.sort();
        arguments.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect::<Vec<_>>()
    };
    assert_eq!((&again.name, sorted(&again)), (&call.name, sorted(&call)), "{written}");
    match clinic().base().catalogue.parse_call(&call.name, &call.pairs()) {
        Ok(exam) => assert!(clinic().base().catalogue.holds(&exam)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
