use super::*;
use crate::{
    clinician::{Candidates, Clinician as _, Expert},
    noise::{NoisePlan, NoiseSettings},
    persona::Persona,
    scenario::PersonaChoice,
};

fn clinic() -> (Arc<Clinic>, Arc<ReportChannels>) {
    let clinic = Arc::new(Clinic::core24().unwrap());
    let channels = Arc::new(ReportChannels::new(clinic.base()));
    (clinic, channels)
}

fn play(refereed: &mut RefereedDialogue) {
    for message in [
        "What brings you in?",
        "Anything else?",
        "Do you have a fever?",
        "How bad is it from 0 to 10?",
        "Where is the pain?",
        "Since when?",
    ] {
        refereed.send(message);
    }
    refereed.order("ecg", []);
    refereed.order("xray", [("region", "chest")]);
    refereed.order("xray", [("region", "the moon")]);
    refereed.diagnose("Pneumonia");
}

fn scenario(seed: u64, level: u32) -> Scenario {
    Scenario {
        noise: NoiseSettings { plan: NoisePlan::Keyed, patient_ppm: level, exam_ppm: level, forced: Vec::new() },
        persona: PersonaChoice::Fixed(Persona::PLAIN),
        ..Scenario::headline(seed)
    }
}

#[test]
fn clean_words_are_the_words_of_the_same_turn_without_noise() {
    let (clinic, channels) = clinic();
    let mut changed = 0;
    for seed in 0..40 {
        let mut noisy = RefereedDialogue::new(clinic.clone(), channels.clone(), scenario(seed, 900_000)).unwrap();
        let mut quiet = RefereedDialogue::new(clinic.clone(), channels.clone(), scenario(seed, 0)).unwrap();
        play(&mut noisy);
        play(&mut quiet);
        for (noisy, quiet) in noisy.records().iter().zip(quiet.records()) {
            assert_eq!(quiet.reply, quiet.clean);
            assert!(quiet.fired.is_empty());
            // What an open question still has to tell depends on what noise hid before; orders and direct answers do not.
            if noisy.heard == quiet.heard && !noisy.heard.starts_with("open") {
                assert_eq!(noisy.clean, quiet.reply, "seed {seed}, {}", noisy.message);
            }
            changed += u32::from(noisy.clean != noisy.reply);
            assert!(noisy.clean == noisy.reply || !noisy.fired.is_empty(), "{noisy:?}");
        }
    }
    assert!(changed > 100, "{changed}");
}

#[test]
fn gains_add_up_to_the_drop_of_entropy_and_prices_to_the_cost() {
    let (clinic, channels) = clinic();
    for seed in 0..20 {
        let mut refereed = RefereedDialogue::new(clinic.clone(), channels.clone(), Scenario::headline(seed)).unwrap();
        play(&mut refereed);
        let moves = || refereed.records().iter().filter_map(|record| record.belief.as_ref());
        let drop = refereed.start().unwrap().entropy() - refereed.belief().unwrap().entropy();
        assert!((moves().map(|belief| belief.gain).sum::<f64>() - drop).abs() < 1e-9);
        assert!(moves().all(|belief| belief.expected_gain.is_none_or(|gain| gain >= -1e-9)));
        assert!(moves().all(|belief| (belief.diseases.iter().sum::<f64>() - 1.0).abs() < 1e-9));
        let reward = refereed.debrief().unwrap().reward;
        let price: f64 = refereed.records().iter().map(|record| record.price).sum();
        assert!((reward.total - (reward.diagnosis - price)).abs() < 1e-9);
        let cents: u32 = refereed.records().iter().map(|record| record.cents).sum();
        assert_eq!(cents, reward.tally.usd_cents);
    }
}

#[test]
fn a_fork_and_a_replay_have_the_same_digest_and_record() {
    let (clinic, channels) = clinic();
    let mut refereed = RefereedDialogue::new(clinic.clone(), channels.clone(), Scenario::headline(11)).unwrap();
    play(&mut refereed);
    let code = ScenarioCode::decode(&refereed.code().encode()).unwrap();
    let replayed = RefereedDialogue::replay(clinic, channels, &code).unwrap();
    assert_eq!(replayed.dialogue().digest(), refereed.dialogue().digest());
    assert_eq!(replayed.records(), refereed.records());
    let mut fork = refereed.fork_at(4).unwrap();
    assert_eq!(fork.records(), &refereed.records()[..4]);
    assert!(fork.debrief().is_none() && fork.send("Since when?").is_some());
    assert!(refereed.send("Since when?").is_none());
}

#[test]
fn an_experts_encounter_ends_in_a_debrief_that_knows_its_workup() {
    let (clinic, channels) = clinic();
    let candidates = Arc::new(Candidates::new(clinic.base(), crate::reward::Payer::Medicare));
    let mut expert = Expert::new(candidates, channels.clone());
    let mut refereed = RefereedDialogue::new(clinic.clone(), channels, scenario(5, 0)).unwrap();
    expert.start(refereed.dialogue().episode());
    while refereed.dialogue().episode().ending().is_none() {
        match expert.next_action(refereed.dialogue().episode()) {
            Action::Order(call) => {
                let name = clinic.base().catalogue.exam(&call).name.clone();
                let arguments: Vec<(&str, &str)> = clinic.base().catalogue.arguments(&call).collect();
                refereed.order(&name, arguments);
            }
            Action::DiagnoseDiseases(diseases) => {
                refereed.diagnose(&clinic.base().diseases[usize::from(diseases[0])].name);
            }
            action => {
                refereed.watch(|dialogue| {
                    dialogue.act("", &action).unwrap();
                });
            }
        }
    }
    let debrief = refereed.debrief().unwrap();
    assert!(!debrief.disease.is_empty() && !debrief.reference_workup.is_empty() && debrief.unmatched.is_empty());
}
