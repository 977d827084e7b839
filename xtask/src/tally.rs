//! Counting what the test runners report, so that the whole run can close with one true sum.

/// Tests that passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl Tally {
    /// Adds what `line` says when it is the closing line of a known test runner.
    ///
    /// Known: nextest (`Summary [1.2s] 3 tests run: 3 passed`), libtest (`test result: ok. 3 passed; 0 failed`),
    /// vitest (`Tests  1 failed | 2 passed (3)`) and our own scripts (`3 passed, 0 failed`).
    pub(crate) fn read(&mut self, line: &str) {
        let line = without_colour(line);
        let line = line.trim();
        let closes = line.starts_with("Summary [")
            || line.starts_with("test result:")
            || line.strip_prefix("Tests ").is_some_and(|rest| rest.starts_with(' '))
            || (line.starts_with(|first: char| first.is_ascii_digit()) && line.ends_with(" failed"));
        if closes {
            self.passed += number_before(line, "passed");
            self.failed += number_before(line, "failed");
        }
    }

    /// The sum of both.
    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} passed, {} failed", self.passed, self.failed)
    }
}

fn number_before(line: &str, word: &str) -> u64 {
    let words: Vec<&str> = line.split_whitespace().collect();
    let position = words.iter().position(|candidate| candidate.trim_end_matches([',', ';']) == word);
    position.and_then(|index| words.get(index.checked_sub(1)?)?.parse().ok()).unwrap_or(0)
}

fn without_colour(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            characters.by_ref().find(char::is_ascii_alphabetic);
        } else {
            plain.push(character);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally_of(line: &str) -> (u64, u64) {
        let mut tally = Tally::default();
        tally.read(line);
        (tally.passed, tally.failed)
    }

    #[test]
    fn closing_lines_of_every_runner_are_counted() {
        assert_eq!(tally_of("     Summary [   0.012s] 45 tests run: 44 passed (1 slow), 1 failed, 2 skipped"), (44, 1));
        assert_eq!(tally_of("test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured"), (3, 2));
        assert_eq!(tally_of("      Tests  1 failed | 11 passed (12)"), (11, 1));
        assert_eq!(tally_of("\u{1b}[2m      Tests \u{1b}[22m \u{1b}[1m\u{1b}[32m9 passed\u{1b}[39m (9)"), (9, 0));
        assert_eq!(tally_of("7 passed, 0 failed"), (7, 0));
    }

    #[test]
    fn other_lines_count_nothing() {
        assert_eq!(tally_of("Test Files  2 passed (2)"), (0, 0));
        assert_eq!(tally_of("the exam passed, the other failed"), (0, 0));
        assert_eq!(tally_of("2 tests passed here"), (0, 0));
    }
}
