//! How the published Python code treats white space, which is a little wider than Rust's notion.

/// What Python's `str.isspace` and the `\s` of its `re` module accept.
pub(crate) fn is_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{1c}'..='\u{1f}')
}

/// Python's `str.strip()`.
pub(crate) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}
