//! What a learner sees at the end: the reward in parts, every noisy answer beside its clean text, how the differential moved.

use std::fmt::Write;

use anyhow::Result;
use serde::Serialize;
use workup_core::{
    belief::Belief,
    dialogue::Dialogue,
    episode::{Episode, Truth},
    noise::{Noise, NoiseSettings},
    reward::RewardParts,
    scenario_code::ScenarioCode,
};
use workup_trainer::setting::hex;

/// Diseases shown of a differential.
const SHOWN: usize = 5;
/// Width of a full bar.
const BAR: f64 = 24.0;

/// An answer that noise struck.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct NoisyAnswer {
    /// Turn, from 1.
    turn: usize,
    /// What struck.
    noise: Vec<Noise>,
    /// What was said.
    said: String,
    /// What would have been said without any noise.
    clean: String,
}

/// How the differential stood after a turn.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Movement {
    /// Turn, from 1.
    turn: usize,
    /// Bits learned about the disease.
    bits: f64,
    /// The most probable disease.
    top: String,
    /// Its probability.
    probability: f64,
    /// US cents charged.
    cents: u32,
}

/// The end of an episode, told in full.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) diagnosis: String,
    pub(crate) score: f64,
    pub(crate) reward: RewardParts,
    pub(crate) noisy_answers: Vec<NoisyAnswer>,
    /// Absent for imported cases: there is no belief over free text.
    pub(crate) differential: Option<Vec<(String, f64)>>,
    pub(crate) movements: Vec<Movement>,
    pub(crate) digest: String,
    pub(crate) code: String,
    num_diseases: usize,
}

impl Summary {
    /// Sums up a dialogue.
    pub(crate) fn new(dialogue: &Dialogue) -> Result<Self> {
        let episode = dialogue.episode();
        let code = ScenarioCode::of_dialogue(dialogue);
        let base = episode.base();
        let diagnosis = match episode.truth() {
            Truth::Generated(patient) => base.diseases[usize::from(patient.disease(base))].name.clone(),
            Truth::Imported(case) => case.diagnosis.clone(),
        };
        Ok(Self {
            diagnosis,
            score: episode.diagnosis_score(),
            reward: episode.reward(),
            noisy_answers: noisy_answers(dialogue, &code)?,
            differential: Belief::of_episode(episode).map(|belief| ranked(&belief)),
            movements: movements(episode),
            digest: hex(dialogue.digest()),
            code: code.encode(),
            num_diseases: base.diseases.len(),
        })
    }

    /// The summary for people.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("The diagnosis was: {}. Yours scored {:.2}.\n", self.diagnosis, self.score);
        self.write_reward(&mut text);
        self.write_noise(&mut text);
        self.write_differential(&mut text);
        let _ = write!(text, "\nPlay it again: workup replay {}", self.code);
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
        if self.noisy_answers.is_empty() {
            text.push_str("\nNo answer was noisy.\n");
            return;
        }
        let _ = writeln!(text, "\n{} noisy answers:", self.noisy_answers.len());
        for answer in &self.noisy_answers {
            let noise: Vec<String> = answer.noise.iter().map(|noise| noise_name(*noise)).collect();
            let _ = writeln!(text, "  turn {} ({})", answer.turn, noise.join(", "));
            let _ = writeln!(text, "    said:  {}", answer.said);
            let same = answer.said == answer.clean;
            let _ = writeln!(text, "    clean: {}", if same { "the same" } else { &answer.clean });
        }
    }

    fn write_differential(&self, text: &mut String) {
        let Some(differential) = &self.differential else {
            text.push_str("\nThis case is imported text: there is no exact differential over free text.\n");
            return;
        };
        text.push_str("\nHow the differential moved (turn, bits learned, charged, most probable):\n");
        for movement in &self.movements {
            let Movement { turn, bits, top, probability, cents } = movement;
            let dollars = f64::from(*cents) / 100.0;
            let _ = writeln!(text, "  {turn:>2} {bits:>+6.2}  ${dollars:<8.2} {top} {probability:.3}");
        }
        let _ = writeln!(text, "\nAt the end, among the {} conditions of this simulator:", self.num_diseases);
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

/// The same actions without noise, turn by turn beside what was said.
fn noisy_answers(dialogue: &Dialogue, code: &ScenarioCode) -> Result<Vec<NoisyAnswer>> {
    let mut clean = code.clone();
    clean.scenario.noise = NoiseSettings::OFF;
    let clean = clean.replay(dialogue.clinic().clone())?;
    let episode = dialogue.episode();
    let mut answers = Vec::new();
    let exchanges = dialogue.exchanges().iter().zip(clean.exchanges());
    for (index, (step, (said, clean))) in episode.history().iter().zip(exchanges).enumerate() {
        let mut noise: Vec<Noise> = step.noise.into_iter().collect();
        for fired in episode.readings_of(step).iter().filter_map(|reading| reading.noise) {
            if !noise.contains(&fired) {
                noise.push(fired);
            }
        }
        if !noise.is_empty() {
            let (said, clean) = (said.reply.clone(), clean.reply.clone());
            answers.push(NoisyAnswer { turn: index + 1, noise, said, clean });
        }
    }
    Ok(answers)
}

fn movements(episode: &Episode) -> Vec<Movement> {
    let Some(mut belief) = Belief::at_start(episode) else { return Vec::new() };
    let mut before = belief.entropy();
    let mut movements = Vec::new();
    for (index, step) in episode.history().iter().enumerate() {
        belief.observe_step(episode, step);
        let after = belief.entropy();
        let (disease, probability) = belief.top();
        movements.push(Movement {
            turn: index + 1,
            bits: before - after,
            top: episode.base().diseases[usize::from(disease)].name.clone(),
            probability,
            cents: step.cents,
        });
        before = after;
    }
    movements
}

fn ranked(belief: &Belief) -> Vec<(String, f64)> {
    let diseases = belief.base().diseases.iter().map(|disease| disease.name.clone());
    let mut ranked: Vec<(String, f64)> = diseases.zip(belief.diseases()).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranked
}
