//! Expected information gain of direct and open questions.

use alloc::{vec, vec::Vec};

use super::Outcomes;
use crate::{
    action::{MAX_ITEMS_PER_TURN, Question},
    belief::{
        Belief,
        channel::{among, duration_shift, severity_shift},
        evidence::RootEvidence,
    },
    episode::Episode,
    knowledge::{AttributeValues, FindingKind, ItemId, ItemKind, Topic},
    noise::{DENIAL_PPM, PatientNoise},
    random::PPM,
};

const MILLION: f64 = PPM as f64;
const DENIAL: f64 = DENIAL_PPM as f64 / MILLION;

impl Belief {
    /// Expected information gain, in bits, of asking `question` now in `episode`. A question about two items counts the first.
    pub fn question_gain(&self, episode: &Episode, question: &Question) -> f64 {
        let outcomes = match question {
            Question::About(items) => match items.iter().flatten().next() {
                Some(&item) => self.direct_outcomes(episode, item),
                None => None,
            },
            Question::Open(topic) => Some(self.open_outcomes(episode, *topic)),
            Question::NotUnderstood => None,
        };
        outcomes.map_or(0.0, |outcomes| self.mutual_information(&outcomes))
    }

    fn direct_outcomes(&self, episode: &Episode, item: ItemId) -> Option<Outcomes> {
        let asked = episode.times_asked(item);
        if asked > 1 {
            return None;
        }
        match self.base.item_kind(item)? {
            ItemKind::Finding(finding) => self.finding_outcomes(episode, finding, asked),
            ItemKind::Attribute(attribute) => self.attribute_outcomes(episode, attribute, asked),
            ItemKind::Analyte(_) => None,
        }
    }

    fn finding_outcomes(&self, episode: &Episode, finding: u16, asked: u16) -> Option<Outcomes> {
        let entry = &self.base.findings[usize::from(finding)];
        if entry.kind == FindingKind::Sign {
            return None;
        }
        let item = self.base.finding_item(finding);
        let class = self.base.question_class(item)?;
        let rates = episode.plan().answer_rates(item, class, asked, episode.patient_turns());
        let rate = |noise: PatientNoise| rates[noise as usize];
        let (vague, omission) = (rate(PatientNoise::VagueAnswer), rate(PatientNoise::Omission));
        let confusion = rate(PatientNoise::SymptomConfusion);
        let present = self.finding_posterior(finding);
        let yes = 1.0 - vague - omission - confusion;
        let no = [1.0 - vague - (1.0 - DENIAL) * omission - confusion, DENIAL * omission];
        let mut outcomes = Outcomes::new();
        outcomes.push(present.iter().map(|p| p * yes).collect());
        outcomes.push(present.iter().map(|p| (1.0 - p) * no[0] + p * no[1]).collect());
        outcomes.push(vec![vague + (1.0 - DENIAL) * omission; present.len()]);
        if confusion > 0.0 {
            let share = confusion / entry.neighbours.len() as f64;
            for &neighbour in &entry.neighbours {
                let present = self.finding_posterior(neighbour);
                outcomes.push(present.iter().map(|p| p * share).collect());
                outcomes.push(present.iter().map(|p| (1.0 - p) * share).collect());
            }
        }
        Some(outcomes)
    }

    fn attribute_outcomes(&self, episode: &Episode, attribute: u16, asked: u16) -> Option<Outcomes> {
        let entry = &self.base.attributes[usize::from(attribute)];
        let item = self.base.attribute_item(attribute);
        let class = self.base.question_class(item)?;
        let rates = episode.plan().answer_rates(item, class, asked, episode.patient_turns());
        let vague = rates[PatientNoise::VagueAnswer as usize];
        let own: f64 = rates[..4].iter().sum();
        let clean = 1.0 - vague - own;
        let present = self.finding_posterior(entry.finding);
        let values = self.attribute_posterior(attribute);
        let num = present.len();
        let mut outcomes = Outcomes::new();
        outcomes.push(vec![vague; num]);
        outcomes.push(present.iter().map(|p| (1.0 - p) * (1.0 - vague)).collect());
        for row in self.own_noise_rows(attribute, clean, own) {
            let told = |hypothesis: usize| -> f64 {
                let shares = &values[hypothesis * entry.num_values..(hypothesis + 1) * entry.num_values];
                present[hypothesis] * shares.iter().zip(&row).map(|(share, told)| share * told).sum::<f64>()
            };
            outcomes.push((0..num).map(told).collect());
        }
        Some(outcomes)
    }

    /// P(reported | true value) for every report an attribute can get, one row per report.
    fn own_noise_rows(&self, attribute: u16, clean: f64, own: f64) -> Vec<Vec<f64>> {
        let entry = &self.base.attributes[usize::from(attribute)];
        let same = |a: usize, b: usize| f64::from(u8::from(a == b));
        let num = entry.num_values;
        let square = |shift: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
            (0..num)
                .map(|told| (0..num).map(|value| clean * same(told, value) + own * shift(value, told)).collect())
                .collect()
        };
        match &entry.values {
            AttributeValues::Severity => square(&|value, told| severity_shift(value as u8 + 1, told as u8 + 1)),
            AttributeValues::Named(_) => {
                square(&|value, told| among(&entry.confused[value], told as u16, value == told))
            }
            AttributeValues::Sites(sites) => {
                let mut told: Vec<u16> = sites.clone();
                for &site in sites {
                    told.extend(&self.base.sites[usize::from(site)].adjacent);
                }
                told.sort_unstable();
                told.dedup();
                let of = |site: u16, value: usize| {
                    let is = sites[value] == site;
                    let adjacent = &self.base.sites[usize::from(sites[value])].adjacent;
                    clean * f64::from(u8::from(is)) + own * among(adjacent, site, is)
                };
                told.iter().map(|&site| (0..num).map(|value| of(site, value)).collect()).collect()
            }
            AttributeValues::Duration(values) => {
                let mut told: Vec<(u32, _)> = Vec::new();
                for &(number, unit) in values {
                    told.extend((1..=number.saturating_mul(2).min(400)).map(|number| (number, unit)));
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
        }
    }

    /// P(value | hypothesis, finding present, everything observed): `[hypothesis][value]`.
    fn attribute_posterior(&self, attribute: u16) -> Vec<f64> {
        let entry = &self.base.attributes[usize::from(attribute)];
        let evidence = self.roots.get(&entry.finding).and_then(|root| root.attributes.get(&attribute));
        let mut result = Vec::with_capacity(self.base.hypotheses.len() * entry.num_values);
        for hypothesis in 0..self.base.hypotheses.len() {
            let start = result.len();
            let weights = self.base.attribute_probabilities(attribute, hypothesis);
            result.extend(weights.iter().map(|&weight| f64::from(weight) / MILLION));
            if let Some((values, _)) = evidence {
                result[start..].iter_mut().zip(values).for_each(|(share, value)| *share *= value);
                crate::math::normalize(&mut result[start..]);
            }
        }
        result
    }

    /// Every pair, single and nothing that an open question can bring up, and a vague answer.
    fn open_outcomes(&self, episode: &Episode, topic: Topic) -> Outcomes {
        let num = self.base.hypotheses.len();
        let vague = episode.open_vague_rate(topic);
        let forgotten = f64::from(episode.plan().forgotten_ppm()) / MILLION;
        let mut outcomes = Outcomes::new();
        outcomes.push(vec![vague; num]);
        let told: Vec<Vec<f64>> = episode
            .untold(topic)
            .into_iter()
            .map(|finding| self.finding_posterior(finding).into_iter().map(|p| p * (1.0 - forgotten)).collect())
            .collect();
        let mut before = vec![1.0 - vague; num];
        for (first, row) in told.iter().enumerate() {
            let reached: Vec<f64> = before.iter().zip(row).map(|(before, told)| before * told).collect();
            self.second_named(&mut outcomes, reached, &told[first + 1..]);
            before.iter_mut().zip(row).for_each(|(before, told)| *before *= 1.0 - told);
        }
        outcomes.push(before);
        outcomes
    }

    fn second_named(&self, outcomes: &mut Outcomes, mut reached: Vec<f64>, rest: &[Vec<f64>]) {
        const { assert!(MAX_ITEMS_PER_TURN == 2) };
        for row in rest {
            outcomes.push(reached.iter().zip(row).map(|(reached, told)| reached * told).collect());
            reached.iter_mut().zip(row).for_each(|(reached, told)| *reached *= 1.0 - told);
        }
        outcomes.push(reached);
    }

    /// The evidence about a finding so far, when there is any.
    pub(super) fn evidence(&self, finding: u16) -> Option<&RootEvidence> {
        self.roots.get(&finding)
    }
}
