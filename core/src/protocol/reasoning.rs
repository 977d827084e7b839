//! Private reasoning of a model, which the patient must not hear.

use alloc::{borrow::Cow, string::String};

/// Names of the blocks; written `<name>` .. `</name>` in any case.
const NAMES: [&str; 3] = ["think", "thinking", "reasoning"];

/// Removes reasoning blocks, nested and unclosed ones too. An end without a beginning removes everything before it: some
/// chat templates put the beginning into the prompt.
pub(super) fn strip_reasoning(text: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let mut changed = false;
    let mut depth = 0u32;
    let mut from = 0;
    let mut search = 0;
    while let Some(found) = text[search..].find('<') {
        let at = search + found;
        let Some((closing, length)) = tag_at(&text.as_bytes()[at..]) else {
            search = at + 1;
            continue;
        };
        if depth == 0 && closing {
            kept.clear();
        } else if depth == 0 {
            kept.push_str(&text[from..at]);
        }
        depth = if closing { depth.saturating_sub(1) } else { depth + 1 };
        changed = true;
        search = at + length;
        from = search;
    }
    if !changed {
        return Cow::Borrowed(text);
    }
    if depth == 0 {
        kept.push_str(&text[from..]);
    }
    Cow::Owned(kept)
}

/// Whether bytes begin with a reasoning tag: true for an end, and its length.
fn tag_at(bytes: &[u8]) -> Option<(bool, usize)> {
    let closing = bytes.get(1) == Some(&b'/');
    let start = if closing { 2 } else { 1 };
    let rest = bytes.get(start..)?;
    NAMES.iter().find_map(|name| {
        let named = rest.get(..name.len())?.eq_ignore_ascii_case(name.as_bytes());
        (named && rest.get(name.len()) == Some(&b'>')).then_some((closing, start + name.len() + 1))
    })
}
