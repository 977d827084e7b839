//! The order of the reference clinicians (CLINIC 6): who knows more does better. Catches a belief, a price or a noise channel that
//! has come apart from the clinic, which shows nowhere else.

use std::sync::Arc;

use workup_core::{knowledge::KnowledgeBase, scenario::Scenario};
use workup_trainer::{
    evaluation::{ClinicianKind, ClinicianPolicy, EvaluationReport, Practice, evaluate, parallel::available_threads},
    progress::Silent,
    setting::Setting,
};

const CASES: u64 = 500;

fn reports(patient_noise: f64, exam_noise: f64) -> impl Fn(ClinicianKind) -> EvaluationReport {
    let base = Arc::new(KnowledgeBase::core24().unwrap());
    let setting = Setting { cases: CASES, seed: 7, patient_noise, exam_noise, ..Setting::default() };
    let practice = Practice::new(base.clone(), setting.payer);
    move |kind| {
        let scenario: Scenario = setting.scenario(0);
        let policy = ClinicianPolicy::new(kind, practice.clone(), &scenario, available_threads());
        evaluate(&policy, &setting, &base, available_threads(), &Silent).unwrap().0
    }
}

#[test]
fn who_knows_more_is_right_more_often_with_and_without_noise() {
    for (patient_noise, exam_noise) in [(0.0, 0.0), (0.3, 0.1)] {
        let report = reports(patient_noise, exam_noise);
        let [random, checklist, ideal, noisy, clean] = [
            ClinicianKind::Random,
            ClinicianKind::Checklist,
            ClinicianKind::Ideal,
            ClinicianKind::OracleNoisy,
            ClinicianKind::OracleClean,
        ]
        .map(report);
        assert!(random.accuracy.high < checklist.accuracy.low, "random against checklist");
        assert!(checklist.accuracy.high < ideal.accuracy.low, "checklist against ideal");
        assert!(ideal.accuracy.mean <= noisy.accuracy.mean, "ideal against oracle_noisy");
        assert!(noisy.accuracy.mean <= clean.accuracy.mean, "oracle_noisy against oracle_clean");
        assert!(random.reward.high < checklist.reward.low && checklist.reward.high < ideal.reward.low);
    }
}

#[test]
fn believing_every_word_costs_reward_under_heavy_noise() {
    let report = reports(0.5, 0.3);
    let (ideal, naive) = (report(ClinicianKind::Ideal), report(ClinicianKind::IdealNaive));
    assert!(naive.reward.mean < ideal.reward.mean, "{} against {}", naive.reward.mean, ideal.reward.mean);
}
