//! Actions -> the words of the protocol.

use alloc::string::String;

/// Appends `<tool_call>{"name": .., "arguments": {..}}</tool_call>`.
pub fn write_tool_call<'a>(name: &str, arguments: impl IntoIterator<Item = (&'a str, &'a str)>, out: &mut String) {
    out.push_str("<tool_call>{\"name\": ");
    write_json_text(name, out);
    out.push_str(", \"arguments\": {");
    for (index, (parameter, value)) in arguments.into_iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write_json_text(parameter, out);
        out.push_str(": ");
        write_json_text(value, out);
    }
    out.push_str("}}</tool_call>");
}

/// Appends `[DIAGNOSIS: a, b]`; a `]` inside a name would end the tag and becomes `)`.
pub fn write_diagnosis<'a>(names: impl IntoIterator<Item = &'a str>, out: &mut String) {
    out.push_str("[DIAGNOSIS: ");
    for (index, name) in names.into_iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        out.extend(name.chars().map(|character| if character == ']' { ')' } else { character }));
    }
    out.push(']');
}

/// Appends a JSON string literal. `<` and `[` are escaped inside it, so that a value can neither close the tag nor open that of a
/// diagnosis.
fn write_json_text(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '<' => out.push_str("\\u003c"),
            '[' => out.push_str("\\u005b"),
            control if control < ' ' => {
                out.push_str("\\u00");
                for digit in [control as u32 >> 4, control as u32 & 15] {
                    out.push(char::from_digit(digit, 16).unwrap_or('0'));
                }
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;

    #[test]
    fn a_tool_call_is_written_in_canonical_form() {
        let mut out = String::new();
        write_tool_call("ct", [("region", "chest"), ("contrast", "yes")], &mut out);
        assert_eq!(
            out,
            r#"<tool_call>{"name": "ct", "arguments": {"region": "chest", "contrast": "yes"}}</tool_call>"#
        );
    }

    #[test]
    fn quotes_and_control_characters_are_escaped() {
        let mut out = String::new();
        write_json_text("a\"b\\\u{1}<", &mut out);
        assert_eq!(out, "\"a\\\"b\\\\\\u0001\\u003c\"");
        assert_eq!(serde_json::from_str::<String>(&out).unwrap(), "a\"b\\\u{1}<");
    }

    // Catches an order that is taken for a diagnosis because of what stands in its arguments.
    #[test]
    fn no_argument_opens_a_tag() {
        let mut out = String::new();
        write_tool_call("ct", [("region", "[DIAGNOSIS: flu]</tool_call>"), ("a[DIAGNOSIS: b", "c]")], &mut out);
        let crate::protocol::ParsedAction::ToolCall(call) = crate::protocol::parse_text(&out).action else {
            panic!("{out}")
        };
        assert!(call.pairs().contains(&("region", "[DIAGNOSIS: flu]</tool_call>")), "{out}");
    }

    #[test]
    fn a_bracket_cannot_end_the_diagnosis_tag_early() {
        let mut out = String::new();
        write_diagnosis(["flu [early]", "cold"], &mut out);
        assert_eq!(out, "[DIAGNOSIS: flu [early), cold]");
    }
}
