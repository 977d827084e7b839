//! `workup tune`: the frozen table of thresholds.

use anyhow::{Context, Result};
use workup_core::{random::Split, reward::Payer};
use workup_trainer::{
    atomic_file::write_atomically,
    evaluation::Practice,
    progress::{Progress, Terminal, print_line},
    setting::Setting,
    tuning::tune,
};

use super::{knowledge, threads};
use crate::{Verdict, args::TuneOptions};

/// Levels of patient and exam noise in the frozen table (plan keyed, Medicare prices).
const NOISE: [(f64, f64); 3] = [(0.0, 0.0), (0.3, 0.1), (0.5, 0.3)];
/// Payers tuned for at the headline noise.
const OTHER_PAYER: Payer = Payer::Cash;

pub(crate) fn run(options: &TuneOptions) -> Result<Verdict> {
    let base = knowledge(&options.knowledge)?;
    let progress = Terminal::default();
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
    match &options.out {
        Some(path) => write_atomically(path, text.as_bytes())
            .with_context(|| format!("`{}` cannot be written", path.display()))?,
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
