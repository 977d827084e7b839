//! Properties of whole episodes: order invariance, forks, truth outside the declared noise, finite rewards, no leak in the words.

use std::{collections::BTreeMap, sync::Arc};

use workup_core::{
    action::{Action, Question},
    belief::Belief,
    clinic::Clinic,
    dialogue::Dialogue,
    episode::{Episode, Truth},
    exam::ExamCall,
    knowledge::{FindingKind, ItemId, KnowledgeBase},
    noise::{ForcedNoise, Noise, NoisePlan, NoiseSettings, PatientNoise},
    observation::{Reading, Source, Value},
    random::{KeyedRng, Purpose},
    reward::RewardMode,
    scenario::{PersonaChoice, Scenario},
    scenario_code::ScenarioCode,
};

fn base() -> Arc<KnowledgeBase> {
    Arc::new(KnowledgeBase::core24().unwrap_or_else(|error| panic!("{error}")))
}

fn noisy(plan: NoisePlan) -> NoiseSettings {
    NoiseSettings { plan, patient_ppm: 600_000, exam_ppm: 500_000, forced: Vec::new() }
}

/// Items that can be asked.
fn askable(base: &KnowledgeBase) -> Vec<ItemId> {
    let num = (base.findings.len() + base.attributes.len()) as u16;
    (0..num).map(ItemId).collect()
}

fn shuffled<T: Clone>(items: &[T], seed: u64) -> Vec<T> {
    let mut items = items.to_vec();
    let mut rng = KeyedRng::new(seed, Purpose::Shuffle, 0, 0);
    for index in (1..items.len()).rev() {
        items.swap(index, rng.below(index as u32 + 1) as usize);
    }
    items
}

/// First readings by item after asking everything in the order given, with caps out of the way.
fn first_answers(base: &Arc<KnowledgeBase>, scenario: &Scenario, order: &[ItemId]) -> BTreeMap<u16, (Value, Value)> {
    let scenario = Scenario { max_doctor_turns: 200, max_patient_turns: 200, ..scenario.clone() };
    let mut episode = Episode::new(base.clone(), scenario).expect("in range");
    let mut answers = BTreeMap::new();
    for &item in order.iter().take(150) {
        episode.step(Action::Ask(Question::item(item))).expect("legal");
        let step = episode.history().last().expect("a step was made");
        let reading = episode.readings_of(step)[0];
        answers.insert(item.0, (reading.value, reading.clean));
    }
    answers
}

#[test]
fn the_first_answer_to_an_item_depends_on_scenario_and_item_alone() {
    let base = base();
    let forced = vec![
        ForcedNoise { item: "cough".into(), noise: Noise::Patient(PatientNoise::Omission) },
        ForcedNoise { item: "headache".into(), noise: Noise::Patient(PatientNoise::VagueAnswer) },
    ];
    let plans = [noisy(NoisePlan::Keyed), NoiseSettings { forced, ..noisy(NoisePlan::Forced) }];
    for noise in plans {
        for seed in 0..12 {
            let scenario = Scenario { noise: noise.clone(), ..Scenario::headline(seed) };
            let items = shuffled(&askable(&base), seed)[..150].to_vec();
            let forwards = first_answers(&base, &scenario, &items);
            let otherwise = first_answers(&base, &scenario, &shuffled(&items, seed + 1_000));
            assert_eq!(forwards, otherwise, "seed {seed}");
        }
    }
}

/// Plays some random turns.
fn wander(episode: &mut Episode, turns: u32, salt: u64) {
    let base = episode.base().clone();
    let items = askable(&base);
    let calls = calls(&base);
    for turn in 0..turns {
        if episode.ending().is_some() {
            return;
        }
        let mut rng = KeyedRng::new(salt, Purpose::Auxiliary, u64::from(turn), 0);
        let action = match rng.below(6) {
            0 => Action::Order(calls[rng.below(calls.len() as u32) as usize]),
            1 => Action::Ask(Question::Open(workup_core::knowledge::Topic::Complaint)),
            2 => Action::InvalidCall,
            3 => Action::FormatError,
            _ => Action::Ask(Question::item(items[rng.below(items.len() as u32) as usize])),
        };
        episode.step(action).expect("legal");
    }
}

fn calls(base: &KnowledgeBase) -> Vec<ExamCall> {
    ["ecg()", "cbc()", "cmp()", "xray(region=chest)", "ct(region=head)", "csf_analysis()", "physical_examination()"]
        .iter()
        .map(|text| base.catalogue.parse_call_text(text).unwrap_or_else(|error| panic!("{error}")))
        .collect()
}

#[test]
fn a_fork_goes_on_like_the_original_and_a_code_replays_to_the_same_digest() {
    let base = base();
    let clinic = Arc::new(Clinic::new(base.clone()));
    for plan in [NoisePlan::Keyed, NoisePlan::Paper] {
        for seed in 0..20 {
            let scenario = Scenario { noise: noisy(plan), ..Scenario::headline(seed) };
            let mut original = Episode::new(base.clone(), scenario).expect("in range");
            wander(&mut original, 6, seed);
            let mut fork = original.fork();
            wander(&mut original, 8, seed + 7);
            wander(&mut fork, 8, seed + 7);
            assert_eq!(original.digest(), fork.digest(), "seed {seed}");

            let code = ScenarioCode::of_episode(&original);
            let read = ScenarioCode::decode(&code.encode()).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(read, code);
            let replayed = read.replay(clinic.clone()).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(replayed.episode().digest(), original.digest(), "seed {seed}");
        }
    }
}

#[test]
fn a_dialogue_replays_from_its_code_word_for_word() {
    let clinic = Arc::new(Clinic::new(base()));
    for seed in 0..20 {
        let mut dialogue = Dialogue::new(clinic.clone(), Scenario::headline(seed)).expect("in range");
        for message in [
            "Hello, what brings you in today?",
            "Do you have a fever?",
            "Where is it?",
            "<tool_call>{\"name\": \"ecg\", \"arguments\": {}}</tool_call>",
            "<tool_call>{\"name\": \"nonsense\"}</tool_call>",
            "",
            "It looks like [DIAGNOSIS: Pneumonia]",
        ] {
            dialogue.send(message);
        }
        let code = ScenarioCode::of_dialogue(&dialogue).encode();
        let read = ScenarioCode::decode(&code).unwrap_or_else(|error| panic!("{error}"));
        let replayed = read.replay(clinic.clone()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(replayed.digest(), dialogue.digest(), "seed {seed}");
        assert!(code.len() < 2_000, "a generated episode fits a link: {}", code.len());
    }
}

#[test]
fn without_noise_and_deflection_every_answer_is_true() {
    let base = base();
    for seed in 0..40 {
        let persona = PersonaChoice::Fixed(workup_core::persona::Persona::PLAIN);
        let scenario = Scenario { noise: NoiseSettings::OFF, persona, ..Scenario::headline(seed) };
        let scenario = Scenario { max_doctor_turns: 200, max_patient_turns: 200, ..scenario };
        let mut episode = Episode::new(base.clone(), scenario).expect("in range");
        wander(&mut episode, 120, seed);
        let Truth::Generated(patient) = *episode.truth() else { unreachable!("generated scenarios") };
        for reading in episode.readings() {
            assert_eq!(reading.noise, None);
            if let (Some(workup_core::knowledge::ItemKind::Finding(finding)), Value::Present | Value::Absent) =
                (base.item_kind(reading.item), reading.value)
            {
                assert_eq!(reading.value == Value::Present, patient.has(&base, finding), "seed {seed}: {reading:?}");
            }
        }
    }
}

#[test]
fn with_noise_every_contradiction_is_recorded() {
    let base = base();
    let mut contradictions = 0;
    for seed in 0..300 {
        let scenario = Scenario { noise: noisy(NoisePlan::Keyed), ..Scenario::headline(seed) };
        let scenario = Scenario { max_doctor_turns: 200, max_patient_turns: 200, ..scenario };
        let mut episode = Episode::new(base.clone(), scenario).expect("in range");
        wander(&mut episode, 120, seed);
        for reading in episode.readings() {
            let told = !reading.value.is_no_answer();
            let same_item = !matches!(reading.source, Source::Direct { asked, .. } if asked != reading.item);
            if told && same_item && reading.value != reading.clean {
                contradictions += 1;
                assert!(reading.noise.is_some(), "seed {seed}: {reading:?}");
            }
        }
    }
    assert!(contradictions > 100, "the noise was on: {contradictions}");
}

#[test]
fn reward_parts_are_finite_and_add_up_for_every_ending() {
    let base = base();
    let endings: [&[Action]; 5] = [
        &[],
        &[Action::Diagnose(String::new())],
        &[Action::Diagnose("pneumonia, asthma, migraine, influenza, appendicitis".into())],
        &[Action::DiagnoseDiseases(Vec::new())],
        &[Action::DiagnoseDiseases(vec![0, 1, 2])],
    ];
    for mode in [RewardMode::Clinic, RewardMode::Paper] {
        for (index, ending) in endings.iter().enumerate() {
            let scenario = Scenario { reward_mode: mode, ..Scenario::headline(index as u64) };
            let mut episode = Episode::new(base.clone(), scenario).expect("in range");
            wander(&mut episode, if ending.is_empty() { 40 } else { 9 }, index as u64);
            for action in *ending {
                episode.step(action.clone()).expect("legal");
            }
            assert!(episode.ending().is_some());
            let parts = episode.reward();
            let sum = parts.diagnosis + parts.tool_match - parts.exam_cost - parts.turn_cost - parts.penalty;
            assert!(
                parts.total.is_finite() && (sum - parts.total).abs() < 1e-12,
                "{mode:?}, ending {index}: {parts:?}"
            );
        }
    }
}

#[test]
fn belief_does_not_depend_on_the_order_of_questions_to_the_last_bit() {
    let base = base();
    for seed in 0..10 {
        let scenario = Scenario { noise: noisy(NoisePlan::Keyed), ..Scenario::headline(seed) };
        let items: Vec<ItemId> = shuffled(&askable(&base), seed)[..15].to_vec();
        let posterior = |order: &[ItemId]| {
            let mut episode = Episode::new(base.clone(), scenario.clone()).expect("in range");
            for &item in order {
                episode.step(Action::Ask(Question::item(item))).expect("legal");
            }
            Belief::of_episode(&episode).expect("generated").diseases()
        };
        let bits = |weights: Vec<f64>| weights.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        assert_eq!(bits(posterior(&items)), bits(posterior(&shuffled(&items, seed + 5))), "seed {seed}");
    }
}

/// What is left of a reply when its findings are masked.
type Features = (usize, usize, usize, usize);

/// What a probe may see of a reply: how long it is and how it is punctuated once every phrase about findings is masked.
fn masked_features(reply: &str, phrases: &[String]) -> Features {
    let mut text = reply.to_lowercase();
    for phrase in phrases {
        text = text.replace(phrase, "x");
    }
    let count = |mark: char| text.chars().filter(|&letter| letter == mark).count();
    (text.split_whitespace().count(), count(','), count('.'), count('?') + count('!'))
}

/// Every phrase of the knowledge base that stands for content, longest first.
fn content_phrases(base: &KnowledgeBase) -> Vec<String> {
    let mut phrases: Vec<String> = base
        .findings
        .iter()
        .flat_map(|finding| finding.present.iter().chain(&finding.absent))
        .map(|phrase| phrase.to_lowercase())
        .collect();
    phrases.extend(base.diseases.iter().map(|disease| disease.lay.to_lowercase()));
    phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
    phrases
}

#[test]
fn a_probe_that_sees_length_and_punctuation_predicts_the_disease_at_chance() {
    const EPISODES: u64 = 4_000;
    let clinic = Arc::new(Clinic::new(base()));
    let base = clinic.base().clone();
    let phrases = content_phrases(&base);
    let symptoms: Vec<u16> = (0..base.findings.len() as u16)
        .filter(|&index| base.findings[usize::from(index)].kind == FindingKind::Symptom)
        .step_by(12)
        .take(5)
        .collect();
    // Naive Bayes over the masked features of each reply, learned on even seeds, tried on odd ones, within one complaint.
    let mut counts: BTreeMap<(u16, usize, Features), BTreeMap<u16, f64>> = BTreeMap::new();
    let mut totals: BTreeMap<(u16, u16), f64> = BTreeMap::new();
    let (mut tried, mut right, mut by_majority) = (0.0, 0.0, 0.0);
    for pass in 0..2 {
        for seed in (0..EPISODES).filter(|seed| seed % 2 == pass) {
            let mut dialogue = Dialogue::new(clinic.clone(), Scenario::headline(seed)).expect("in range");
            let Truth::Generated(patient) = *dialogue.episode().truth() else { unreachable!("generated scenarios") };
            let disease = patient.disease(&base);
            let mut features = Vec::new();
            for &symptom in &symptoms {
                let action = Action::Ask(Question::item(base.finding_item(symptom)));
                dialogue.act("", &action).expect("legal");
                let reply = &dialogue.exchanges().last().expect("one was made").reply;
                features.push(masked_features(reply, &phrases));
            }
            if pass == 0 {
                *totals.entry((patient.complaint, disease)).or_default() += 1.0;
                for (turn, &feature) in features.iter().enumerate() {
                    *counts.entry((patient.complaint, turn, feature)).or_default().entry(disease).or_default() += 1.0;
                }
                continue;
            }
            let prior = |disease: u16| totals.get(&(patient.complaint, disease)).copied().unwrap_or(0.0);
            let score = |candidate: u16| {
                let mut score = prior(candidate).ln();
                for (turn, &feature) in features.iter().enumerate() {
                    let seen = counts.get(&(patient.complaint, turn, feature)).and_then(|map| map.get(&candidate));
                    score += ((seen.copied().unwrap_or(0.0) + 1.0) / (prior(candidate) + 20.0)).ln();
                }
                score
            };
            let best = |score: &dyn Fn(u16) -> f64| {
                (0..base.diseases.len() as u16)
                    .filter(|&candidate| prior(candidate) > 0.0)
                    .max_by(|&a, &b| score(a).total_cmp(&score(b)))
            };
            tried += 1.0;
            right += f64::from(u8::from(best(&score) == Some(disease)));
            by_majority += f64::from(u8::from(best(&prior) == Some(disease)));
        }
    }
    let chance: f64 = by_majority / tried;
    let margin = 3.0 * (chance * (1.0 - chance) / tried).sqrt();
    let accuracy = right / tried;
    assert!(accuracy <= chance + margin, "probe {accuracy}, chance {chance} + {margin}, {tried} episodes");
}

#[test]
fn damaged_codes_give_typed_errors() {
    use workup_core::scenario_code::CodeError;
    let base = base();
    let code = ScenarioCode::of_scenario(&base, &Scenario::headline(3));
    let text = code.encode();
    assert!(matches!(ScenarioCode::decode(""), Err(CodeError::Truncated(_))));
    assert!(matches!(ScenarioCode::decode("%%%"), Err(CodeError::BadCharacter)));
    assert!(matches!(ScenarioCode::decode(&"A".repeat(600_000)), Err(CodeError::TooLong(_))));
    let mut changed = text.clone().into_bytes();
    changed[12] = if changed[12] == b'A' { b'B' } else { b'A' };
    let changed = String::from_utf8(changed).expect("still ASCII");
    assert!(matches!(ScenarioCode::decode(&changed), Err(CodeError::WrongChecksum)));
    let newer = ScenarioCode { engine_version: 999, ..code.clone() };
    assert!(matches!(newer.check(&base), Err(CodeError::EngineMismatch(999))));
    let foreign = ScenarioCode { knowledge_digest: 1, ..code };
    assert!(matches!(foreign.check(&base), Err(CodeError::KnowledgeMismatch(1))));
    for cut in 0..text.len() {
        assert!(ScenarioCode::decode(&text[..cut]).is_err(), "cut at {cut}");
    }
}

/// The readings of one report, for comparison.
fn report(episode: &mut Episode, call: ExamCall) -> Vec<(u16, Value)> {
    episode.step(Action::Order(call)).expect("legal");
    let step = episode.history().last().expect("a step was made");
    let pairs = |reading: &Reading| (reading.item.0, reading.value);
    episode.readings_of(step).iter().map(pairs).collect()
}

#[test]
fn the_same_specimen_gives_the_same_values_again() {
    let base = base();
    let call = base.catalogue.parse_call_text("cmp()").expect("cmp exists");
    for seed in 0..20 {
        let scenario = Scenario { noise: NoiseSettings::OFF, ..Scenario::headline(seed) };
        let mut episode = Episode::new(base.clone(), scenario).expect("in range");
        let first = report(&mut episode, call);
        assert_eq!(first, report(&mut episode, call));
        assert_eq!(episode.tally().repeated_calls, 1);
        assert_eq!(episode.tally().num_exams, 2, "a repeat is charged");
    }
}
