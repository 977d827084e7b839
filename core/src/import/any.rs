//! Case files as people have them: our JSONL or `AgentClinic` rows, one a line, in an array, or a single object over many lines.

use alloc::vec::Vec;

use super::{
    AgentClinic, ImportedCase, Jsonl,
    error::{ImportError, LeftOut},
    rows::{ImportReport, Reader, RowFormat},
};

/// Rows of either format, told apart by their first field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnyFormat;

impl RowFormat for AnyFormat {
    fn parse(&self, line: u32, text: &str, left_out: &mut Vec<LeftOut>) -> Result<ImportedCase, ImportError> {
        if text.contains("\"OSCE_Examination\"") {
            AgentClinic.parse(line, text, left_out)
        } else {
            Jsonl.parse(line, text, left_out)
        }
    }
}

/// All cases of a file, and the report; rows are counted from 1 in the order in which they stand.
pub fn read_any(text: &str) -> (Vec<ImportedCase>, ImportReport) {
    let text = text.trim_start_matches('\u{feff}').trim();
    let rows = if is_lines(text) { text.lines().collect() } else { objects(text) };
    let mut reader = Reader::new(rows, AnyFormat);
    let cases = reader.by_ref().collect();
    (cases, reader.into_report())
}

/// Whether the first line is a whole row.
fn is_lines(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default().trim();
    let closes = objects(first).first().is_some_and(|object| object.len() == first.len() && object.ends_with('}'));
    closes || !first.starts_with(['{', '['])
}

/// The objects of a text, each from its brace to the brace that closes it; what is never closed reaches to the end.
fn objects(text: &str) -> Vec<&str> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0u32, 0);
    let (mut in_string, mut escaped) = (false, false);
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' => {
                if depth == 0 {
                    start = index;
                }
                depth += 1;
            }
            b'}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    found.extend(text.get(start..=index));
                }
            }
            _ => {}
        }
    }
    if depth > 0 || (found.is_empty() && !text.is_empty()) {
        found.extend(text.get(if depth > 0 { start } else { 0 }..));
    }
    found
}

#[cfg(test)]
mod tests {
    use alloc::{format, string::String};

    use super::*;

    fn row(name: &str) -> String {
        format!(
            r#"{{"id":"","demographics":"40-year-old man","complaint":"{name} }} hurts","diagnosis":"Flu","facts":[],"exams":[]}}"#
        )
    }

    #[test]
    fn lines_an_array_and_an_object_over_many_lines_read_alike() {
        let (first, second) = (row("arm"), row("leg"));
        let spread = first.replace(",\"", ",\n  \"");
        for (text, expected) in [
            (format!("{first}\n{second}\n"), 2),
            (format!("[{first},\n{second}]"), 2),
            (format!("[\n  {first},\n  {second}\n]\n"), 2),
            (spread, 1),
        ] {
            let (cases, report) = read_any(&text);
            assert_eq!((cases.len(), report.dropped.len()), (expected, 0), "{text} {report:?}");
            assert_eq!(cases[0].complaint, "arm } hurts");
        }
    }

    #[test]
    fn what_is_no_case_is_reported_with_its_row() {
        for text in ["hello", "[]", "[1, 2]", "{", "{\"a\": 1}", &format!("{}\n{{", row("arm"))] {
            let (_, report) = read_any(text);
            assert_eq!(report.dropped.len(), 1, "{text} {report:?}");
        }
        assert_eq!(read_any("").1.num_rows(), 0);
    }
}
