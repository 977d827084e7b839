//! Our own JSONL: one [`ImportedCase`] a line.

use alloc::{string::String, vec::Vec};

use super::{
    ImportedCase,
    error::{ImportError, ImportProblem, LeftOut},
    node::MAX_LEAVES,
    rows::{Reader, RowFormat},
};

/// The row format of our own case files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Jsonl;

/// A reader of our own case files.
pub fn read_jsonl<L: AsRef<[u8]>, I: IntoIterator<Item = L>>(lines: I) -> Reader<I::IntoIter, Jsonl> {
    Reader::new(lines, Jsonl)
}

/// A case as one line of JSON, without the line end.
///
/// # Errors
/// Never for a case in memory; the type is the serializer's.
pub fn to_line(case: &ImportedCase) -> Result<String, serde_json::Error> {
    serde_json::to_string(case)
}

impl RowFormat for Jsonl {
    fn parse(&self, _line: u32, text: &str, _left_out: &mut Vec<LeftOut>) -> Result<ImportedCase, ImportError> {
        let case: ImportedCase = serde_json::from_str(text).map_err(|error| ImportProblem::from(error).at(""))?;
        case.check()?;
        Ok(case)
    }
}

impl ImportedCase {
    /// Checks what playing relies on: a diagnosis, something to say, and indexes that fit.
    ///
    /// # Errors
    /// Names the field.
    pub fn check(&self) -> Result<(), ImportError> {
        let filled = |field, text: &str| {
            if text.trim().is_empty() { Err(ImportProblem::Empty.at(field)) } else { Ok(()) }
        };
        filled("diagnosis", &self.diagnosis)?;
        filled("complaint", &self.complaint)?;
        for (field, len) in [("facts", self.facts.len()), ("exams", self.exams.len())] {
            if len > MAX_ITEMS as usize {
                return Err(ImportProblem::TooMany { limit: MAX_ITEMS }.at(field));
            }
        }
        Ok(())
    }
}

/// Most facts, and most recorded exams, of a case: indexes are 16 bits.
const MAX_ITEMS: u32 = 4 * MAX_LEAVES;

#[cfg(test)]
mod tests {
    use super::{
        super::{Fact, RecordedExam, read_all},
        *,
    };

    fn case() -> ImportedCase {
        ImportedCase {
            id: "mine:1".into(),
            complaint: "Cough\n\"dry\"".into(),
            diagnosis: "Flu".into(),
            facts: alloc::vec![Fact { path: "History".into(), text: "µ – two days".into() }],
            exams: alloc::vec![RecordedExam { path: "Lungs".into(), text: "Clear".into(), bedside: true }],
            ..ImportedCase::default()
        }
    }

    #[test]
    fn a_case_reads_back_equal_from_its_line() {
        let line = to_line(&case()).expect("a case is JSON");
        assert!(!line.contains('\n'));
        assert_eq!(read_all(&alloc::format!("{line}\r\n{line}\n\n"), Jsonl).0, [case(), case()]);
    }

    #[test]
    fn unknown_fields_and_empty_diagnoses_are_errors_with_their_line() {
        let line = to_line(&case()).expect("a case is JSON");
        let rows = [line.clone(), line.replace("\"Flu\"", "\" \""), line.replace("\"id\"", "\"identity\""), line];
        let (cases, report) = read_all(&rows.join("\n"), Jsonl);
        assert_eq!(cases.len(), 2);
        assert_eq!(report.dropped[0], ImportError { line: 2, path: "diagnosis".into(), problem: ImportProblem::Empty });
        assert!(matches!(report.dropped[1], ImportError { line: 3, problem: ImportProblem::Json { .. }, .. }));
    }
}
