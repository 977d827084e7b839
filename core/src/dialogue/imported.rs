//! Imported words: facts by retrieval, recorded exams by name, noise on spans.

use alloc::string::String;

use super::Dialogue;
use crate::{
    digest::key,
    exam::ExamCall,
    import::{ImportedCase, perturb_report, perturb_text, speak_exams, speak_text},
    noise::{ExamNoise, Noise, PatientNoise},
    observation::ReplyKind,
    protocol::ToolCall,
    random::{KeyedRng, Purpose},
};

/// What the patient says when the case holds nothing on a question.
const NOTHING: &str = "I can't say anything about that.";
/// What the patient says when noise hides a fact and no span of it can be changed.
const VAGUE: &str = "It's hard to say.";

impl Dialogue {
    pub(super) fn ask_imported(&mut self, case: &ImportedCase, text: &str, reply: &mut String) -> ReplyKind {
        let Some((kind, facts, turn)) = self.episode.ask_words(text) else { return ReplyKind::End };
        if kind == ReplyKind::PatientTurnsUsedUp {
            reply.push_str("I think I have answered enough questions, doctor.");
            return kind;
        }
        self.understood += u32::from(!facts.is_empty());
        for &fact in &facts {
            let fact = &case.facts[usize::from(fact)];
            let struck = self.episode.strike_words(&fact.path, turn);
            let words =
                struck.map_or_else(|| Some(fact.text.clone()), |noise| self.perturbed(&fact.path, &fact.text, noise));
            let words = words.map_or_else(|| String::from(VAGUE), |words| speak_text(case, &words));
            if !reply.is_empty() {
                reply.push(' ');
            }
            reply.push_str(&words);
            if let Some(noise) = struck {
                self.episode.note_noise(Noise::Patient(noise));
            }
        }
        if facts.is_empty() {
            reply.push_str(NOTHING);
        }
        kind
    }

    /// The text with one span changed; `None` when the noise hides it or finds no span.
    fn perturbed(&self, path: &str, text: &str, noise: PatientNoise) -> Option<String> {
        let mut rng = KeyedRng::new(self.episode.scenario().seed, Purpose::PatientNoise, key(path), 1 << 8);
        perturb_text(text, noise, &mut rng)
    }

    pub(super) fn order_imported(
        &mut self,
        case: &ImportedCase,
        exam: ExamCall,
        call: &ToolCall<'_>,
        reply: &mut String,
    ) -> ReplyKind {
        let arguments: alloc::vec::Vec<(String, String)> = call
            .arguments
            .iter()
            .map(|(name, value)| (name.clone().into_owned(), value.clone().into_owned()))
            .collect();
        let name = self.clinic.base().catalogue.exam(&exam).name.clone();
        let found = case.exam(&name, &arguments);
        let Some((kind, struck)) = self.episode.order_words(exam, found.clone()) else { return ReplyKind::End };
        if found.is_empty() {
            reply.push_str(&self.clinic.base().catalogue.label(&exam));
            reply.push_str(": not recorded in this case.");
            return kind;
        }
        let clean = speak_exams(case, &found);
        let Some(noise) = struck else {
            reply.push_str(&clean);
            return kind;
        };
        let mut rng = KeyedRng::new(self.episode.scenario().seed, Purpose::ExamNoise, exam.key(), 1 << 8);
        let noisy = perturb_report(&clean, noise, &mut rng);
        let fired = if noisy.is_some() { noise } else { ExamNoise::Ambiguity };
        self.episode.note_noise(Noise::Exam(fired));
        if let Some(noisy) = noisy {
            reply.push_str(&noisy);
        } else {
            reply.push_str(&clean);
            reply.push_str(" The findings are uncertain.");
        }
        kind
    }
}
