//! What a question can tell at most: cheap to compute, so that most questions need not be worked out.

use super::Frame;
use crate::{
    action::Question,
    episode::Episode,
    knowledge::{FindingKind, ItemKind},
    math::entropy_bits,
    noise::PatientNoise,
};

impl Frame<'_> {
    /// An upper bound of [`Frame::question_gain`].
    ///
    /// The answer about a finding is a noisy function of whether it is there, or, under symptom confusion (which shows), of
    /// whether a neighbour is: no more can be learned than those are uncertain (data-processing inequality).
    pub fn question_bound(&self, episode: &Episode, question: &Question) -> f64 {
        let Question::About(items) = question else { return self.entropy };
        let Some(&item) = items.iter().flatten().next() else { return 0.0 };
        let Some(ItemKind::Finding(finding)) = self.belief.base.item_kind(item) else { return self.entropy };
        let entry = &self.belief.base.findings[usize::from(finding)];
        if entry.kind == FindingKind::Sign {
            return 0.0;
        }
        let Some(class) = self.belief.base.question_class(item) else { return 0.0 };
        let rates =
            self.belief.plan(episode).answer_rates(item, class, episode.times_asked(item), episode.patient_turns());
        let confusion = rates[PatientNoise::SymptomConfusion as usize];
        let mut bound = self.uncertainty(finding);
        if confusion > 0.0 {
            let share = confusion / entry.neighbours.len() as f64;
            bound += entry.neighbours.iter().map(|&neighbour| share * self.uncertainty(neighbour)).sum::<f64>();
        }
        bound.min(self.entropy)
    }

    /// Entropy of whether a finding is there, in bits.
    fn uncertainty(&self, finding: u16) -> f64 {
        let present = self.mean_presence(finding).clamp(0.0, 1.0);
        entropy_bits(&[present, 1.0 - present])
    }
}
