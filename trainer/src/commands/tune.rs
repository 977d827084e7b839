//! `workup tune`: the frozen table of thresholds.

use std::io::Write;

use anyhow::{Context, Result};
use workup_core::{random::Split, reward::Payer};
use workup_trainer::{
    atomic_file::AtomicFile,
    evaluation::Practice,
    progress::{Progress, Terminal},
    setting::Setting,
    tuning::tune,
};

use super::{knowledge, threads};
use crate::{Verdict, args::TuneOptions, output::print_line};

/// Levels of patient and exam noise in the frozen table (plan keyed, Medicare prices).
const NOISE: [(f64, f64); 3] = [(0.0, 0.0), (0.3, 0.1), (0.5, 0.3)];
/// Payers tuned for at the headline noise.
const OTHER_PAYER: Payer = Payer::Cash;

pub(crate) fn run(options: &TuneOptions) -> Result<Verdict> {
    let base = knowledge(&options.knowledge)?;
    let progress = Terminal::default();
    // Before the work: an output that cannot be written must not cost it.
    let unwritable = |path: &std::path::Path| format!("`{}` cannot be written", path.display());
    let out = match &options.out {
        Some(path) => Some((path, AtomicFile::create(path).with_context(|| unwritable(path))?)),
        None => None,
    };
    let mut rows = Vec::new();
    for setting in settings(options) {
        let practice = Practice::new(base.clone(), setting.payer);
        for naive in [false, true] {
            let row = tune(&practice, &setting, naive, threads(options.threads), &progress)?;
            progress.note(&format!(
                "{} keyed {}/{} {}: stop at {} or below {}, reward {:.4}",
                row.clinician,
                setting.patient_noise,
                setting.exam_noise,
                setting.payer.name(),
                row.thresholds.confidence,
                row.thresholds.ratio,
                row.reward
            ));
            rows.push(row);
        }
    }
    let text = serde_json::to_string_pretty(&rows)? + "\n";
    match out {
        Some((path, mut file)) => {
            file.write_all(text.as_bytes()).and_then(|()| file.commit()).with_context(|| unwritable(path))?;
        }
        None => print_line(text.trim_end()),
    }
    Ok(Verdict::Fine)
}

fn settings(options: &TuneOptions) -> Vec<Setting> {
    let setting = |(patient_noise, exam_noise), payer| Setting {
        cases: options.cases,
        seed: options.seed,
        split: Split::Validation,
        patient_noise,
        exam_noise,
        payer,
        ..Setting::default()
    };
    if options.noise.is_empty() {
        let mut settings: Vec<Setting> = NOISE.map(|noise| setting(noise, Payer::Medicare)).into();
        settings.push(setting(NOISE[1], OTHER_PAYER));
        return settings;
    }
    options.noise.iter().map(|&levels| setting(levels, Payer::Medicare)).collect()
}
