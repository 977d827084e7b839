//! Reading cases row by row: a bad row is reported and never stops the rest.

use alloc::vec::Vec;

use super::{
    ImportedCase,
    error::{ImportError, ImportProblem, LeftOut},
};

/// Longest row in bytes.
pub const MAX_LINE_LEN: u32 = 1 << 20;

/// How one line becomes a case.
pub trait RowFormat {
    /// The case of one line; what it does not carry goes to `left_out`. Line numbers are filled in by the reader.
    ///
    /// # Errors
    /// The first problem of the row, with its path.
    fn parse(&self, line: u32, text: &str, left_out: &mut Vec<LeftOut>) -> Result<ImportedCase, ImportError>;
}

/// What became of the rows read so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Rows that became cases.
    pub num_read: u32,
    /// Rows dropped, with the reason.
    pub dropped: Vec<ImportError>,
    /// Pieces of accepted rows that the cases do not carry.
    pub left_out: Vec<LeftOut>,
}

impl ImportReport {
    /// Rows seen: read and dropped, blank lines not counted.
    pub fn num_rows(&self) -> u32 {
        self.num_read + self.dropped.len() as u32
    }
}

/// An iterator over the cases of an iterator of lines; blank lines are skipped, bad rows are in the report.
#[derive(Clone, Debug)]
pub struct Reader<I, F> {
    lines: I,
    format: F,
    line: u32,
    report: ImportReport,
}

impl<I, F> Reader<I, F> {
    /// A reader of `lines` (with or without their line ends).
    pub fn new(lines: impl IntoIterator<IntoIter = I>, format: F) -> Self {
        Self { lines: lines.into_iter(), format, line: 0, report: ImportReport::default() }
    }

    /// What became of the rows so far.
    pub fn report(&self) -> &ImportReport {
        &self.report
    }

    /// The report, at the end.
    pub fn into_report(self) -> ImportReport {
        self.report
    }
}

impl<L: AsRef<[u8]>, I: Iterator<Item = L>, F: RowFormat> Iterator for Reader<I, F> {
    type Item = ImportedCase;

    fn next(&mut self) -> Option<ImportedCase> {
        loop {
            let row = self.lines.next()?;
            self.line = self.line.saturating_add(1);
            let first = self.report.left_out.len();
            match parse_row(&self.format, self.line, row.as_ref(), &mut self.report.left_out) {
                Ok(None) => {}
                Ok(Some(case)) => {
                    for piece in &mut self.report.left_out[first..] {
                        piece.line = self.line;
                    }
                    self.report.num_read += 1;
                    return Some(case);
                }
                Err(error) => {
                    self.report.left_out.truncate(first);
                    self.report.dropped.push(ImportError { line: self.line, ..error });
                }
            }
        }
    }
}

fn parse_row(
    format: &impl RowFormat,
    line: u32,
    row: &[u8],
    left_out: &mut Vec<LeftOut>,
) -> Result<Option<ImportedCase>, ImportError> {
    if row.len() > MAX_LINE_LEN as usize {
        return Err(ImportProblem::TooLong { len: row.len() as u64, limit: MAX_LINE_LEN }.at(""));
    }
    let text = core::str::from_utf8(row)
        .map_err(|error| ImportProblem::NotUtf8 { valid_up_to: error.valid_up_to() as u32 }.at(""))?;
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(None);
    }
    format.parse(line, text, left_out).map(Some)
}

/// All cases of a text of lines, and the report.
pub fn read_all<F: RowFormat>(text: &str, format: F) -> (Vec<ImportedCase>, ImportReport) {
    let mut reader = Reader::new(text.lines(), format);
    let cases = reader.by_ref().collect();
    (cases, reader.into_report())
}
