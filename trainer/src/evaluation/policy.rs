//! Who plays: the reference clinicians by name, and a seam for trained policies.

use std::sync::Arc;

use serde::Serialize;
use workup_core::{
    action::Action,
    belief::gain::ReportChannels,
    clinician::{
        Candidates, Ceiling, Checklist, Clinician, Expert, Greedy, RandomClinician, oracle_diagnosis, play,
        {ChosenThresholds, Thresholds},
    },
    episode::Episode,
    knowledge::KnowledgeBase,
    reward::Payer,
    scenario::Scenario,
};

use super::{EvaluationError, Outcome, parallel};
use crate::progress::Progress;

/// Someone whose play can be evaluated.
pub trait Policy: Sync {
    /// The name under which it is reported.
    fn name(&self) -> &str;

    /// Whether it sees the truth: a ceiling in accuracy that never enters a reward ranking.
    fn is_ceiling(&self) -> bool {
        false
    }

    /// When it stops, for those that have such numbers.
    fn thresholds(&self) -> Option<ChosenThresholds> {
        None
    }

    /// How it chooses tokens, for those that do.
    fn sampling(&self) -> Option<&'static str> {
        None
    }

    /// Digest of the knowledge base it was trained in, for those that were.
    fn trained_on(&self) -> Option<&str> {
        None
    }

    /// Plays every scenario to its end; outcomes in the order of the scenarios. Calls [`Progress::advance`] once per case.
    ///
    /// # Errors
    /// When a scenario cannot be played.
    fn play(&self, scenarios: &[Scenario], progress: &dyn Progress) -> Result<Vec<Outcome>, EvaluationError>;
}

/// What all reference clinicians share: built once per knowledge base and payer.
#[derive(Clone, Debug)]
pub struct Practice {
    base: Arc<KnowledgeBase>,
    candidates: Arc<Candidates>,
    channels: Arc<ReportChannels>,
}

impl Practice {
    /// Lists what can be done in a knowledge base, and what it can tell.
    pub fn new(base: Arc<KnowledgeBase>, payer: Payer) -> Self {
        let candidates = Arc::new(Candidates::new(&base, payer));
        let channels = Arc::new(ReportChannels::new(&base));
        Self { base, candidates, channels }
    }

    /// The knowledge base.
    pub fn base(&self) -> &Arc<KnowledgeBase> {
        &self.base
    }

    /// What can be done.
    pub fn candidates(&self) -> &Arc<Candidates> {
        &self.candidates
    }

    /// What reports can tell.
    pub fn channels(&self) -> &Arc<ReportChannels> {
        &self.channels
    }
}

/// The reference clinicians (CLINIC 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClinicianKind {
    /// Any question, any exam.
    Random,
    /// A fixed list per complaint.
    Checklist,
    /// Greedy Bayes that knows the noise.
    Ideal,
    /// Greedy Bayes that believes every word.
    IdealNaive,
    /// Sees all items as they are.
    OracleClean,
    /// Sees every item once, through the noise.
    OracleNoisy,
    /// The one whose conversations are learned from.
    Expert,
}

impl ClinicianKind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Random,
        Self::Checklist,
        Self::Ideal,
        Self::IdealNaive,
        Self::OracleClean,
        Self::OracleNoisy,
        Self::Expert,
    ];

    /// The name in flags and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Checklist => "checklist",
            Self::Ideal => "ideal",
            Self::IdealNaive => "ideal_naive",
            Self::OracleClean => "oracle_clean",
            Self::OracleNoisy => "oracle_noisy",
            Self::Expert => "expert",
        }
    }

    /// The clinician of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A reference clinician as a policy: one value per thread plays case after case.
#[derive(Clone, Debug)]
pub struct ClinicianPolicy {
    kind: ClinicianKind,
    practice: Practice,
    thresholds: ChosenThresholds,
    threads: usize,
}

impl ClinicianPolicy {
    /// A clinician with the thresholds that are frozen for `scenario`'s setting.
    pub fn new(kind: ClinicianKind, practice: Practice, scenario: &Scenario, threads: usize) -> Self {
        let naive = kind == ClinicianKind::IdealNaive;
        let thresholds = Thresholds::for_scenario(practice.base(), scenario, naive);
        Self { kind, practice, thresholds, threads }
    }

    fn clinician(&self) -> Box<dyn Clinician> {
        let (candidates, channels) = (self.practice.candidates.clone(), self.practice.channels.clone());
        let thresholds = self.thresholds.thresholds;
        match self.kind {
            ClinicianKind::Random => Box::new(RandomClinician::new(candidates)),
            ClinicianKind::Checklist => Box::new(Checklist::new(candidates)),
            ClinicianKind::Ideal => Box::new(Greedy::new(candidates, channels, thresholds)),
            ClinicianKind::IdealNaive => Box::new(Greedy::naive(candidates, channels, thresholds)),
            ClinicianKind::OracleClean => Box::new(Oracle { candidates, ceiling: Ceiling::Clean }),
            ClinicianKind::OracleNoisy => Box::new(Oracle { candidates, ceiling: Ceiling::Noisy }),
            ClinicianKind::Expert => Box::new(Expert::new(candidates, channels)),
        }
    }
}

impl Policy for ClinicianPolicy {
    fn name(&self) -> &str {
        self.kind.name()
    }

    fn is_ceiling(&self) -> bool {
        matches!(self.kind, ClinicianKind::OracleClean | ClinicianKind::OracleNoisy)
    }

    fn thresholds(&self) -> Option<ChosenThresholds> {
        matches!(self.kind, ClinicianKind::Ideal | ClinicianKind::IdealNaive).then_some(self.thresholds)
    }

    fn play(&self, scenarios: &[Scenario], progress: &dyn Progress) -> Result<Vec<Outcome>, EvaluationError> {
        let work = |clinician: &mut Box<dyn Clinician>, index: usize| {
            let mut episode = Episode::new(self.practice.base.clone(), scenarios[index].clone())?;
            play(clinician.as_mut(), &mut episode);
            Ok(Outcome::of_episode(&episode))
        };
        let outcomes = parallel::map(scenarios.len(), self.threads, progress, || self.clinician(), work);
        outcomes.into_iter().collect()
    }
}

/// Names the ceiling's diagnosis at once.
struct Oracle {
    candidates: Arc<Candidates>,
    ceiling: Ceiling,
}

impl Clinician for Oracle {
    fn start(&mut self, _episode: &Episode) {}

    fn next_action(&mut self, episode: &Episode) -> Action {
        oracle_diagnosis(episode, &self.candidates, self.ceiling)
            .map_or(Action::FormatError, |disease| Action::DiagnoseDiseases(vec![disease]))
    }
}
