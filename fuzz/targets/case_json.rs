//! Any text as a case file: rows become cases or errors with their place, and a case plays and reads back the same.
#![no_main]
use std::sync::Arc;

use workup_core::{
    dialogue::Dialogue,
    import::{Jsonl, read_all, read_any, to_line},
    scenario::{CaseSource, Scenario},
};
use workup_fuzz::{bounded_target, clinic};

bounded_target!(|text: &str| {
    let (cases, report) = read_any(text);
    assert_eq!(report.num_read as usize, cases.len());
    for error in &report.dropped {
        assert!(error.line > 0 && !error.to_string().is_empty());
    }
    for case in cases.into_iter().take(2) {
        let line = to_line(&case).expect("a case is JSON");
        assert_eq!(read_all(&line, Jsonl).0, [case.clone()]);
        let scenario = Scenario { case: CaseSource::Imported(Arc::new(case)), ..Scenario::headline(7) };
        let Ok(mut dialogue) = Dialogue::new(clinic().clone(), scenario) else { continue };
        for message in [
            "What brings you in?",
            "Anything else?",
            "Do you take any medicines?",
            "<tool_call>{\"name\": \"cbc\", \"arguments\": {}}</tool_call>",
            "<tool_call>{\"name\": \"physical_examination\", \"arguments\": {}}</tool_call>",
            "[DIAGNOSIS: influenza]",
        ] {
            dialogue.send(message);
        }
        assert!(dialogue.episode().reward().total.is_finite());
    }
});
