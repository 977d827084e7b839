//! The JSON of one tool call. The canonical form is read in place; everything else goes through `serde_json`.

use alloc::{borrow::Cow, string::ToString, vec::Vec};

use serde_json::Value;

use super::parse::{FormatError, MAX_ARGUMENTS, MAX_CALL, ToolCall};

type Arguments<'a> = Vec<(Cow<'a, str>, Cow<'a, str>)>;

/// Parses `{"name": .., "arguments": {..}}`.
pub(super) fn parse_call(text: &str) -> Result<ToolCall<'_>, FormatError> {
    if let Some(call) = (Scanner { bytes: text.as_bytes(), text, at: 0 }).call() {
        return Ok(call);
    }
    let Value::Object(mut fields) = parse_json(text)? else { return Err(FormatError::NoName) };
    let Some(Value::String(name)) = fields.remove("name") else { return Err(FormatError::NoName) };
    let arguments = fields.remove("arguments").or_else(|| fields.remove("parameters"));
    Ok(ToolCall { name: Cow::Owned(name), arguments: arguments_of(arguments.unwrap_or_default())? })
}

/// Parses the arguments of a call as they stand in `tool_calls`: the text of a JSON object, or nothing.
pub(super) fn parse_arguments(text: &str) -> Result<Arguments<'_>, FormatError> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut scanner = Scanner { bytes: text.as_bytes(), text, at: 0 };
    if let Some(arguments) = scanner.object()
        && scanner.at_end()
    {
        return Ok(arguments);
    }
    arguments_of(parse_json(text)?)
}

fn parse_json(text: &str) -> Result<Value, FormatError> {
    if text.len() > MAX_CALL {
        return Err(FormatError::TooLong(text.len()));
    }
    Ok(serde_json::from_str(text)?)
}

fn arguments_of(value: Value) -> Result<Arguments<'static>, FormatError> {
    let fields = match value {
        Value::Null => return Ok(Vec::new()),
        Value::Object(fields) => fields,
        // Models write the object as text, as it stands in `tool_calls`.
        Value::String(text) if text.trim().is_empty() => return Ok(Vec::new()),
        Value::String(text) => match parse_json(&text)? {
            Value::Object(fields) => fields,
            _ => return Err(FormatError::BadArguments),
        },
        _ => return Err(FormatError::BadArguments),
    };
    if fields.len() > MAX_ARGUMENTS {
        return Err(FormatError::TooManyArguments(fields.len()));
    }
    let mut arguments = Vec::with_capacity(fields.len());
    for (name, value) in fields {
        let text = match value {
            Value::Null => continue,
            Value::String(text) => text,
            Value::Number(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            Value::Array(_) | Value::Object(_) => return Err(FormatError::BadArgument(name)),
        };
        arguments.push((Cow::Owned(name), Cow::Owned(text)));
    }
    Ok(arguments)
}

/// Reads the canonical form without copying: texts without escapes, the name first. `None`: not canonical, not yet wrong.
struct Scanner<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn call(&mut self) -> Option<ToolCall<'a>> {
        self.expect(b'{')?;
        (self.plain_text()? == "name").then_some(())?;
        self.expect(b':')?;
        let name = Cow::Borrowed(self.plain_text()?);
        self.expect(b',')?;
        (self.plain_text()? == "arguments").then_some(())?;
        self.expect(b':')?;
        let arguments = self.object()?;
        self.expect(b'}')?;
        self.at_end().then_some(ToolCall { name, arguments })
    }

    fn object(&mut self) -> Option<Arguments<'a>> {
        self.expect(b'{')?;
        let mut arguments: Arguments<'a> = Vec::new();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Some(arguments);
        }
        loop {
            let name = self.plain_text()?;
            self.expect(b':')?;
            let value = self.plain_text()?;
            if arguments.len() == MAX_ARGUMENTS || arguments.iter().any(|(other, _)| other == name) {
                return None;
            }
            arguments.push((Cow::Borrowed(name), Cow::Borrowed(value)));
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Some(arguments);
                }
                _ => return None,
            }
        }
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    fn expect(&mut self, wanted: u8) -> Option<()> {
        (self.peek()? == wanted).then(|| self.at += 1)
    }

    fn at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// A JSON text without escapes or control characters.
    fn plain_text(&mut self) -> Option<&'a str> {
        self.expect(b'"')?;
        let start = self.at;
        loop {
            match self.bytes.get(self.at)? {
                b'"' => break,
                b'\\' | 0..=0x1f => return None,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        self.text.get(start..self.at - 1)
    }
}
