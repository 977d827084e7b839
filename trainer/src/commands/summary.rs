//! What a learner sees at the end: the reward in parts, every noisy answer beside its clean text, how the differential moved.

use std::{fmt::Write, sync::Arc};

use anyhow::Result;
use serde::Serialize;
use workup_core::{
    belief::{Belief, gain::ReportChannels},
    dialogue::Dialogue,
    episode::Truth,
    noise::Noise,
    referee::{RefereedDialogue, TurnRecord},
    reward::RewardParts,
    scenario_code::ScenarioCode,
};
use workup_trainer::setting::hex;

/// Diseases shown of a differential.
const SHOWN: usize = 5;
/// Width of a full bar.
const BAR: f64 = 24.0;

/// The end of an episode, told in full.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) diagnosis: String,
    pub(crate) score: f64,
    pub(crate) reward: RewardParts,
    /// Every turn with its clean words, the noise that fired, what it told and what it cost.
    pub(crate) turns: Vec<TurnRecord>,
    /// Disease and probability, most probable first. Absent for imported cases: there is no belief over free text.
    pub(crate) differential: Option<Vec<(String, f64)>>,
    pub(crate) digest: String,
    pub(crate) code: String,
    /// Said wherever the code of an imported case is: the case's words are in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) warning: Option<&'static str>,
    #[serde(skip)]
    diseases: Vec<String>,
}

impl Summary {
    /// Sums up a dialogue.
    pub(crate) fn new(dialogue: &Dialogue) -> Result<Self> {
        let episode = dialogue.episode();
        let code = ScenarioCode::of_dialogue(dialogue);
        let base = episode.base();
        let channels = Arc::new(ReportChannels::new(base));
        let refereed = RefereedDialogue::replay(dialogue.clinic().clone(), channels, &code)?;
        let diagnosis = match episode.truth() {
            Truth::Generated(patient) => base.diseases[usize::from(patient.disease(base))].name.clone(),
            Truth::Imported(case) => case.diagnosis.clone(),
        };
        Ok(Self {
            diagnosis,
            score: episode.diagnosis_score(),
            reward: episode.reward(),
            turns: refereed.records().to_vec(),
            differential: refereed.belief().map(ranked),
            digest: hex(dialogue.digest()),
            code: code.encode(),
            warning: matches!(episode.truth(), Truth::Imported(_)).then_some(workup_core::IMPORTED_WARNING),
            diseases: base.diseases.iter().map(|disease| disease.name.clone()).collect(),
        })
    }

    /// The summary for people.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("The diagnosis was: {}. Yours scored {:.2}.\n", self.diagnosis, self.score);
        self.write_reward(&mut text);
        self.write_noise(&mut text);
        self.write_differential(&mut text);
        let _ = write!(text, "\nPlay it again: workup replay {}", self.code);
        if let Some(warning) = self.warning {
            let _ = write!(text, "\n{warning}");
        }
        text
    }

    fn write_reward(&self, text: &mut String) {
        let (parts, tally) = (&self.reward, &self.reward.tally);
        let _ = write!(
            text,
            "\nReward ({})          {:>8.4}\n  diagnosis            {:>+8.4}\n",
            parts.mode.name(),
            parts.total,
            parts.diagnosis
        );
        if parts.tool_match > 0.0 {
            let _ = writeln!(text, "  tool match           {:>+8.4}", parts.tool_match);
        }
        let _ = write!(
            text,
            "  {:>2} exams, ${:<9.2} {:>+8.4}\n  {:>2} turns             {:>+8.4}\n  errors and repeats   {:>+8.4}\n",
            tally.num_exams,
            tally.dollars(),
            -parts.exam_cost,
            tally.doctor_turns,
            -parts.turn_cost,
            -parts.penalty
        );
        if tally.missed_severe > 0 {
            text.push_str("A most severe disease was missed.\n");
        }
        if tally.contraindicated > 0 {
            let _ = writeln!(text, "{} orders would have harmed this patient.", tally.contraindicated);
        }
    }

    fn write_noise(&self, text: &mut String) {
        let noisy: Vec<(usize, &TurnRecord)> =
            self.turns.iter().enumerate().filter(|(_, turn)| !turn.fired.is_empty()).collect();
        if noisy.is_empty() {
            text.push_str("\nNo answer was noisy.\n");
            return;
        }
        let _ = writeln!(text, "\nNoisy answers: {}", noisy.len());
        for (index, turn) in noisy {
            let noise: Vec<String> = turn.fired.iter().map(|noise| noise_name(*noise)).collect();
            let _ = writeln!(text, "  turn {} ({})", index + 1, noise.join(", "));
            let _ = writeln!(text, "    said:  {}", turn.reply);
            let same = turn.reply == turn.clean;
            let _ = writeln!(text, "    clean: {}", if same { "the same" } else { &turn.clean });
        }
    }

    fn write_differential(&self, text: &mut String) {
        let Some(differential) = &self.differential else {
            text.push_str("\nThis case is imported text: there is no exact differential over free text.\n");
            return;
        };
        text.push_str("\nHow the differential moved:\n  turn   bits   price  most probable\n");
        for (index, turn) in self.turns.iter().enumerate() {
            let Some(belief) = &turn.belief else { continue };
            let top = (0..belief.diseases.len()).max_by(|&a, &b| belief.diseases[a].total_cmp(&belief.diseases[b]));
            let Some(top) = top else { continue };
            let (name, probability) = (&self.diseases[top], belief.diseases[top]);
            let (bits, price) = (belief.gain, turn.price);
            let _ = writeln!(text, "  {:>4} {bits:>+6.2} {price:>7.4}  {name} {probability:.3}", index + 1);
        }
        let _ = writeln!(text, "\nAt the end, among the {} conditions of this simulator:", self.diseases.len());
        for (disease, probability) in differential.iter().take(SHOWN) {
            let bar = "#".repeat((probability * BAR).round() as usize);
            let _ = writeln!(text, "  {disease:<28} {probability:>6.3} {bar}");
        }
    }
}

fn noise_name(noise: Noise) -> String {
    let name = match noise {
        Noise::Patient(noise) => serde_json::to_string(&noise),
        Noise::Exam(noise) => serde_json::to_string(&noise),
    };
    name.unwrap_or_default().trim_matches('"').replace('_', " ")
}

fn ranked(belief: &Belief) -> Vec<(String, f64)> {
    let diseases = belief.base().diseases.iter().map(|disease| disease.name.clone());
    let mut ranked: Vec<(String, f64)> = diseases.zip(belief.diseases()).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranked
}
