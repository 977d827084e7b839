//! Where two runs' settings differ, in words.

use std::fmt::Write;

use serde_json::Value;

/// Most differences that are named.
const NAMED: usize = 3;

/// The first settings in which two runs differ, by their path: `dapo.steps was 4, is 50`.
pub(crate) fn difference(stored: &Value, asked: &Value) -> String {
    let mut found = Vec::new();
    collect("", Some(stored), Some(asked), &mut found);
    let more = found.len().saturating_sub(NAMED);
    found.truncate(NAMED);
    let mut text = found.join("; ");
    if more > 0 {
        let _ = write!(text, "; and {more} more");
    }
    text
}

fn collect(path: &str, stored: Option<&Value>, asked: Option<&Value>, found: &mut Vec<String>) {
    let object = |value: Option<&Value>| value.and_then(Value::as_object).cloned();
    if let (Some(ours), Some(theirs)) = (object(stored), object(asked)) {
        let names = ours.keys().chain(theirs.keys().filter(|name| !ours.contains_key(*name)));
        for name in names {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            collect(&path, ours.get(name), theirs.get(name), found);
        }
    } else if stored != asked {
        let [stored, asked] = [stored, asked].map(|value| value.map_or_else(|| "missing".to_owned(), Value::to_string));
        found.push(format!("`{path}` was {stored}, is {asked}"));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_are_named_by_their_path() {
        let stored = json!({ "stage": "dapo", "dapo": { "steps": 4, "rate": 0.1 } });
        let asked = json!({ "stage": "dapo", "dapo": { "steps": 50, "rate": 0.1, "extra": true } });
        assert_eq!(difference(&stored, &asked), "`dapo.steps` was 4, is 50; `dapo.extra` was missing, is true");
    }
}
