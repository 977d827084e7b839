//! Expected information gain of direct and open questions.

use alloc::{vec, vec::Vec};

use super::{Frame, Row};
use crate::{
    action::{MAX_ITEMS_PER_TURN, Question},
    belief::channel::{among, duration_shift, severity_shift},
    episode::Episode,
    knowledge::{AttributeValues, FindingKind, ItemId, ItemKind, Topic},
    noise::{DENIAL_PPM, PatientNoise},
    random::PPM,
};

const MILLION: f64 = PPM as f64;
const DENIAL: f64 = DENIAL_PPM as f64 / MILLION;

impl Frame<'_> {
    /// Expected information gain, in bits, of asking `question` now in `episode`. A question about two items counts the first.
    pub fn question_gain(&self, episode: &Episode, question: &Question) -> f64 {
        let gain = match question {
            Question::About(items) => match items.iter().flatten().next() {
                Some(&item) => self.direct_gain(episode, item),
                None => None,
            },
            Question::Open(topic) => Some(self.open_gain(episode, *topic)),
            Question::NotUnderstood => None,
        };
        gain.unwrap_or(0.0)
    }

    fn direct_gain(&self, episode: &Episode, item: ItemId) -> Option<f64> {
        let asked = episode.times_asked(item);
        if asked > 1 {
            return None;
        }
        match self.belief.base.item_kind(item)? {
            ItemKind::Finding(finding) => self.finding_gain(episode, finding, asked),
            ItemKind::Attribute(attribute) => self.attribute_gain(episode, attribute, asked),
            ItemKind::Analyte(_) => None,
        }
    }

    fn finding_gain(&self, episode: &Episode, finding: u16, asked: u16) -> Option<f64> {
        let base = &self.belief.base;
        let entry = &base.findings[usize::from(finding)];
        if entry.kind == FindingKind::Sign {
            return None;
        }
        let item = base.finding_item(finding);
        let class = base.question_class(item)?;
        let rates = self.belief.plan(episode).answer_rates(item, class, asked, episode.patient_turns());
        let rate = |noise: PatientNoise| rates[noise as usize];
        let (vague, omission) = (rate(PatientNoise::VagueAnswer), rate(PatientNoise::Omission));
        let confusion = rate(PatientNoise::SymptomConfusion);
        let guess = rate(PatientNoise::SelfDiagnosis);
        let present = self.present(finding);
        let yes = 1.0 - vague - omission - confusion - guess;
        let no = [yes + DENIAL * omission, DENIAL * omission];
        let mut gauge = self.gauge();
        gauge.outcome(present.iter().map(|p| p * guess));
        gauge.outcome(present.iter().map(|p| (1.0 - p) * guess));
        gauge.outcome(present.iter().map(|p| p * yes));
        gauge.outcome(present.iter().map(|p| (1.0 - p) * no[0] + p * no[1]));
        gauge.silence(vague + (1.0 - DENIAL) * omission);
        if confusion > 0.0 {
            let share = confusion / entry.neighbours.len() as f64;
            for &neighbour in &entry.neighbours {
                let present = self.present(neighbour);
                gauge.outcome(present.iter().map(|p| p * share));
                gauge.outcome(present.iter().map(|p| (1.0 - p) * share));
            }
        }
        Some(gauge.gain())
    }

    fn attribute_gain(&self, episode: &Episode, attribute: u16, asked: u16) -> Option<f64> {
        let base = &self.belief.base;
        let entry = &base.attributes[usize::from(attribute)];
        let item = base.attribute_item(attribute);
        let class = base.question_class(item)?;
        let rates = self.belief.plan(episode).answer_rates(item, class, asked, episode.patient_turns());
        let vague = rates[PatientNoise::VagueAnswer as usize];
        let own: f64 = rates[..4].iter().sum();
        let guess = rates[PatientNoise::SelfDiagnosis as usize];
        let clean = 1.0 - vague - own - guess;
        let present = self.present(entry.finding);
        let values = self.attribute_posterior(attribute);
        let mut gauge = self.gauge();
        gauge.silence(vague);
        gauge.outcome(present.iter().map(|p| (1.0 - p) * (1.0 - vague - guess)));
        gauge.outcome(present.iter().map(|p| (1.0 - p) * guess));
        let guessed = self.own_noise_rows(attribute, guess, 0.0);
        for row in self.own_noise_rows(attribute, clean, own).into_iter().chain(guessed) {
            let told = |(present, shares): (&f64, &[f64])| -> f64 {
                present * shares.iter().zip(&row).map(|(share, told)| share * told).sum::<f64>()
            };
            gauge.outcome(present.iter().zip(values.chunks_exact(entry.num_values)).map(told));
        }
        Some(gauge.gain())
    }

    /// P(reported | true value) for every report an attribute can get, one row per report; rows of reports that never come are
    /// left out.
    fn own_noise_rows(&self, attribute: u16, clean: f64, own: f64) -> Vec<Vec<f64>> {
        let base = &self.belief.base;
        let entry = &base.attributes[usize::from(attribute)];
        let same = |a: usize, b: usize| f64::from(u8::from(a == b));
        let num = entry.num_values;
        let square = |shift: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
            (0..num)
                .map(|told| (0..num).map(|value| clean * same(told, value) + own * shift(value, told)).collect())
                .collect()
        };
        let mut rows = match &entry.values {
            AttributeValues::Severity => square(&|value, told| severity_shift(value as u8 + 1, told as u8 + 1)),
            AttributeValues::Named(_) => {
                square(&|value, told| among(&entry.confused[value], told as u16, value == told))
            }
            AttributeValues::Sites(sites) => {
                let mut told: Vec<u16> = sites.clone();
                for &site in sites {
                    told.extend(&base.sites[usize::from(site)].adjacent);
                }
                told.sort_unstable();
                told.dedup();
                let of = |site: u16, value: usize| {
                    let is = sites[value] == site;
                    let adjacent = &base.sites[usize::from(sites[value])].adjacent;
                    clean * f64::from(u8::from(is)) + own * among(adjacent, site, is)
                };
                told.iter().map(|&site| (0..num).map(|value| of(site, value)).collect()).collect()
            }
            AttributeValues::Duration(values) => {
                let mut told: Vec<(u32, _)> = Vec::new();
                for &(number, unit) in values {
                    told.extend((1..=number.saturating_mul(2)).map(|number| (number, unit)));
                    told.push((number, unit));
                }
                told.sort_unstable();
                told.dedup();
                let of = |(number, unit): (u32, crate::knowledge::TimeUnit), value: usize| {
                    let (truth, true_unit) = values[value];
                    let same_unit = f64::from(u8::from(unit == true_unit));
                    let shift = if number == truth { 0.0 } else { duration_shift(truth, number) };
                    same_unit * (clean * f64::from(u8::from(number == truth)) + own * shift)
                };
                let mut rows: Vec<Vec<f64>> =
                    told.iter().map(|&told| (0..num).map(|value| of(told, value)).collect()).collect();
                rows.push(values.iter().map(|&(number, _)| own * duration_shift(number, number)).collect());
                rows
            }
        };
        rows.retain(|row| row.iter().any(|&told| told > 0.0));
        rows
    }

    /// P(value | hypothesis, finding present, everything observed): `[hypothesis][value]`.
    fn attribute_posterior(&self, attribute: u16) -> Vec<f64> {
        let base = &self.belief.base;
        let entry = &base.attributes[usize::from(attribute)];
        let evidence = self.belief.evidence(entry.finding).and_then(|root| root.attributes.get(&attribute));
        let mut result = Vec::with_capacity(self.hypotheses.len() * entry.num_values);
        for &hypothesis in &self.hypotheses {
            let start = result.len();
            let weights = base.attribute_probabilities(attribute, hypothesis);
            result.extend(weights.iter().map(|&weight| f64::from(weight) / MILLION));
            if let Some((values, _)) = evidence {
                result[start..].iter_mut().zip(values).for_each(|(share, value)| *share *= value);
                crate::math::normalize(&mut result[start..]);
            }
        }
        result
    }

    /// Every pair, single and nothing that an open question can bring up, and a vague answer.
    fn open_gain(&self, episode: &Episode, topic: Topic) -> f64 {
        const { assert!(MAX_ITEMS_PER_TURN == 2) };
        let vague = episode.open_vague_rate(self.belief.plan(episode), topic);
        let forgotten = f64::from(self.belief.plan(episode).forgotten_ppm()) / MILLION;
        let mut gauge = self.gauge();
        gauge.silence(vague);
        let told: Vec<Row> = episode
            .untold(topic)
            .into_iter()
            .map(|finding| self.present(finding).iter().map(|p| p * (1.0 - forgotten)).collect())
            .collect();
        let mut before = vec![1.0 - vague; self.hypotheses.len()];
        let mut reached = before.clone();
        for (first, row) in told.iter().enumerate() {
            for ((reached, before), told) in reached.iter_mut().zip(&before).zip(row) {
                *reached = before * told;
            }
            for second in &told[first + 1..] {
                gauge.outcome(reached.iter().zip(second).map(|(reached, told)| reached * told));
                reached.iter_mut().zip(second).for_each(|(reached, told)| *reached *= 1.0 - told);
            }
            gauge.outcome(reached.iter().copied());
            before.iter_mut().zip(row).for_each(|(before, told)| *before *= 1.0 - told);
        }
        gauge.outcome(before.iter().copied());
        gauge.gain()
    }
}
