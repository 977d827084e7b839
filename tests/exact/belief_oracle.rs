//! The belief against brute force: everything hidden of a tiny knowledge base is enumerated, and every reading is weighed by
//! the noise table of the clinic's specification, written down here a second time as "what comes out when this goes in".
//! Catches: a wrong channel, a wrong order of sums, evidence counted twice or not at all. Every noise row must have been seen.

use std::{collections::BTreeSet, sync::Arc};

use workup_core::{
    action::{Action, Question},
    belief::Belief,
    case::Patient,
    episode::{Episode, Truth},
    knowledge::{AttributeValues, ItemId, ItemKind, KnowledgeBase, TimeUnit, Topic},
    noise::{ForcedNoise, Noise, NoisePlan, NoiseSettings, PatientNoise, QuestionClass},
    observation::{Reading, Source, Value},
    random::{KeyedRng, Purpose},
    scenario::Scenario,
};

use crate::tiny;

/// One way everything hidden could be, as far as it was touched.
#[derive(Clone, Default)]
struct Hidden {
    hypothesis: usize,
    findings: Vec<bool>,
    attributes: Vec<usize>,
    patterns: Vec<usize>,
    analytes: Vec<usize>,
}

/// Rates of omission, vague, self-diagnosis and own type of one answer.
struct Rates {
    vague: f64,
    omission: f64,
    own: f64,
    guess: f64,
}

/// Which rows of the noise table have been weighed.
type Rows = BTreeSet<&'static str>;

struct Oracle<'a> {
    base: &'a KnowledgeBase,
    patient: &'a Patient,
    noise: &'a NoiseSettings,
}

impl Oracle<'_> {
    fn level(ppm: u32, occurrence: u8) -> f64 {
        let level = if occurrence == 0 { ppm } else { ppm / 2 };
        f64::from(level) / 1e6
    }

    fn rates(&self, asked: ItemId, occurrence: u8) -> Rates {
        let class = self.base.question_class(asked).expect("asked items can be asked");
        if self.noise.plan == NoisePlan::Forced {
            let name = self.base.item_name(asked);
            let forced = self.noise.forced.iter().find(|forced| forced.item == name && occurrence == 0);
            let is = |noise| f64::from(u8::from(forced.is_some_and(|forced| forced.noise == Noise::Patient(noise))));
            let own = match class {
                QuestionClass::Site => is(PatientNoise::BodyPartSwap),
                QuestionClass::Severity => is(PatientNoise::SeverityChange),
                QuestionClass::Time => is(PatientNoise::TemporalChange),
                _ => is(PatientNoise::SymptomConfusion),
            };
            let (vague, omission) = (is(PatientNoise::VagueAnswer), is(PatientNoise::Omission));
            return Rates { vague, omission, own, guess: is(PatientNoise::SelfDiagnosis) };
        }
        let level = Self::level(self.noise.patient_ppm, occurrence);
        let (types, has_omission, has_own) = match class {
            QuestionClass::Polar { confusable: true } => (4.0, true, true),
            QuestionClass::Polar { confusable: false } | QuestionClass::History | QuestionClass::Open => {
                (3.0, true, false)
            }
            _ => (3.0, false, true),
        };
        let share = level / types;
        Rates {
            vague: share,
            omission: if has_omission { share } else { 0.0 },
            own: if has_own { share } else { 0.0 },
            guess: share,
        }
    }

    /// `u_g`: forgotten in open questions.
    fn forgotten(&self) -> f64 {
        if self.noise.plan == NoisePlan::Keyed { f64::from(self.noise.patient_ppm / 3) / 1e6 } else { 0.0 }
    }

    fn prior(&self, hidden: &Hidden, touched: &Touched) -> f64 {
        let hypothesis = &self.base.hypotheses[hidden.hypothesis];
        let disease = &self.base.diseases[usize::from(hypothesis.disease)];
        let mut weight = f64::from(disease.incidence[self.patient.sex as usize][self.patient.band]) / 1e6
            * f64::from(hypothesis.weight[self.patient.band])
            / 1e6
            * f64::from(hypothesis.complaints[usize::from(self.patient.complaint)])
            / 1e6;
        let complaint = self.base.complaints[usize::from(self.patient.complaint)].finding;
        let required_by = |finding: u16| self.base.findings[usize::from(finding)].requires;
        for &finding in &touched.findings {
            let ppm = self.base.finding_probabilities(finding, self.patient.band)[hidden.hypothesis];
            let share = if finding == complaint || required_by(complaint) == Some(finding) {
                1.0
            } else if required_by(finding).is_some_and(|required| !hidden.findings[usize::from(required)]) {
                0.0
            } else {
                f64::from(ppm) / 1e6
            };
            weight *= if hidden.findings[usize::from(finding)] { share } else { 1.0 - share };
        }
        for &attribute in &touched.attributes {
            let row = self.base.attribute_probabilities(attribute, hidden.hypothesis);
            weight *= f64::from(row[hidden.attributes[usize::from(attribute)]]) / 1e6;
        }
        for &panel in &touched.panels {
            let parent = self.base.panels[usize::from(panel)].parent;
            let is_there = parent.is_some_and(|finding| hidden.findings[usize::from(finding)]);
            let row = self.base.pattern_probabilities(panel, hidden.hypothesis, is_there);
            weight *= f64::from(row[hidden.patterns[usize::from(panel)]]) / 1e6;
        }
        for &analyte in &touched.analytes {
            let entry = &self.base.analytes[usize::from(analyte)];
            let panel = &self.base.panels[usize::from(entry.panel)];
            let bands = &panel.patterns[hidden.patterns[usize::from(entry.panel)]].bands[usize::from(entry.position)];
            weight *= f64::from(bands[hidden.analytes[usize::from(analyte)]]) / 1e6;
        }
        weight
    }

    /// What a clean answer about an item says.
    fn clean(&self, hidden: &Hidden, item: ItemId) -> Value {
        match self.base.item_kind(item).expect("readings are about items") {
            ItemKind::Finding(index) => {
                if hidden.findings[usize::from(index)] {
                    Value::Present
                } else {
                    Value::Absent
                }
            }
            ItemKind::Attribute(index) => {
                let attribute = &self.base.attributes[usize::from(index)];
                if !hidden.findings[usize::from(attribute.finding)] {
                    return Value::NotApplicable;
                }
                let value = hidden.attributes[usize::from(index)];
                match &attribute.values {
                    AttributeValues::Severity => Value::Severity(value as u8 + 1),
                    AttributeValues::Duration(values) => Value::Duration(values[value].0, values[value].1),
                    AttributeValues::Sites(sites) => Value::Choice(sites[value]),
                    AttributeValues::Named(_) => Value::Choice(value as u16),
                }
            }
            ItemKind::Analyte(_) => unreachable!("analytes are not asked"),
        }
    }

    /// Everything an answer without a guess can be, with probabilities: (item, value, probability). With a guess, which everybody
    /// hears, the answer is clean.
    fn outcomes(&self, hidden: &Hidden, asked: ItemId, occurrence: u8, rows: &mut Rows) -> Vec<(ItemId, Value, f64)> {
        let rates = self.rates(asked, occurrence);
        let clean = self.clean(hidden, asked);
        let mut out = vec![
            (asked, clean, 1.0 - rates.vague - rates.omission - rates.own - rates.guess),
            (asked, Value::Vague, rates.vague),
        ];
        if rates.omission > 0.0 {
            rows.insert("omission");
            out.push((asked, Value::Absent, rates.omission / 2.0));
            out.push((asked, Value::LeftOut, rates.omission / 2.0));
        }
        let mut uniform = |values: Vec<(ItemId, Value)>| {
            let share = rates.own / values.len() as f64;
            out.extend(values.into_iter().map(|(item, value)| (item, value, share)));
        };
        match (self.base.item_kind(asked).expect("items exist"), clean) {
            (ItemKind::Finding(index), _) if rates.own > 0.0 => {
                rows.insert("symptom_confusion, polar");
                let neighbours = &self.base.findings[usize::from(index)].neighbours;
                let about = |&neighbour: &u16| (ItemId(neighbour), self.clean(hidden, ItemId(neighbour)));
                uniform(neighbours.iter().map(about).collect());
            }
            (ItemKind::Attribute(index), Value::Choice(value)) => {
                let attribute = &self.base.attributes[usize::from(index)];
                let others: &[u16] = if let AttributeValues::Sites(_) = attribute.values {
                    rows.insert("body_part_swap");
                    &self.base.sites[usize::from(value)].adjacent
                } else {
                    rows.insert("symptom_confusion, character");
                    &attribute.confused[usize::from(value)]
                };
                let identity = [value];
                let others = if others.is_empty() { &identity[..] } else { others };
                uniform(others.iter().map(|&other| (asked, Value::Choice(other))).collect());
            }
            (ItemKind::Attribute(_), Value::Severity(severity)) => {
                rows.insert("severity_change");
                let lower = |delta: u8| (asked, Value::Severity(severity.saturating_sub(delta).max(1)));
                uniform((1..=3).map(lower).collect());
            }
            (ItemKind::Attribute(_), Value::Duration(number, unit)) => {
                rows.insert("temporal_change");
                out.extend(scaled(asked, number, unit, rates.own));
            }
            // The own type cannot act on "not applicable": it stays what it is.
            _ => out.push((asked, clean, rates.own)),
        }
        out
    }

    fn likelihood(&self, hidden: &Hidden, reading: &Reading, rows: &mut Rows) -> f64 {
        match reading.source {
            Source::Direct { repeat: true, .. } | Source::Exam { repeat: true, .. } => 1.0,
            Source::Volunteered => {
                rows.insert("open question, named");
                let there = hidden.findings[usize::from(reading.item.0)];
                if there { 1.0 - self.forgotten() } else { 0.0 }
            }
            Source::PassedOver => {
                rows.insert("open question, passed over");
                let there = hidden.findings[usize::from(reading.item.0)];
                if there { self.forgotten() } else { 1.0 }
            }
            Source::Direct { asked, occurrence, .. } => {
                // Withheld and forgotten answers depend on persona and item alone.
                if matches!(reading.value, Value::Withheld | Value::NotRemembered) {
                    rows.insert("deflection");
                    return 1.0;
                }
                if reading.value == Value::Unknowable {
                    return 1.0;
                }
                if reading.value == Value::Vague {
                    rows.insert("vague");
                }
                if reading.noise == Some(Noise::Patient(PatientNoise::SelfDiagnosis)) {
                    rows.insert("self_diagnosis");
                    let clean = reading.value == self.clean(hidden, asked) && reading.item == asked;
                    return self.rates(asked, occurrence).guess * f64::from(u8::from(clean));
                }
                let same = |outcome: &&(ItemId, Value, f64)| outcome.0 == reading.item && outcome.1 == reading.value;
                self.outcomes(hidden, asked, occurrence, rows).iter().filter(same).map(|outcome| outcome.2).sum()
            }
            Source::Exam { occurrence, .. } => self.exam_likelihood(hidden, reading, occurrence, rows),
        }
    }

    fn exam_likelihood(&self, hidden: &Hidden, reading: &Reading, occurrence: u8, rows: &mut Rows) -> f64 {
        let analyte = match self.base.item_kind(reading.item).expect("items exist") {
            ItemKind::Finding(index) => {
                let there = hidden.findings[usize::from(index)];
                let told = reading.value == Value::Present;
                return if reading.value == Value::Missing { 1.0 } else { f64::from(u8::from(there == told)) };
            }
            ItemKind::Analyte(index) => index,
            ItemKind::Attribute(_) => unreachable!("reports show no attributes"),
        };
        let entry = &self.base.analytes[usize::from(analyte)];
        let truth = hidden.analytes[usize::from(analyte)];
        match reading.value {
            Value::Missing => {
                rows.insert("exam omission");
                1.0
            }
            Value::Number { band, .. } => f64::from(u8::from(usize::from(band) == truth)),
            Value::Choice(told) => {
                let level = if occurrence == 0 { self.noise.exam_ppm } else { self.noise.exam_ppm / 2 };
                let swap = if entry.site { f64::from(level / 3) / 1e6 } else { 0.0 };
                let adjacent = &entry.values[truth].adjacent;
                let same = f64::from(u8::from(usize::from(told) == truth));
                if entry.site {
                    rows.insert("exam body_part_swap");
                }
                let swapped = if adjacent.is_empty() {
                    same
                } else {
                    adjacent.iter().filter(|&&other| other == told).count() as f64 / adjacent.len() as f64
                };
                (1.0 - swap) * same + swap * swapped
            }
            other => panic!("a report shows {other:?}"),
        }
    }
}

/// N scaled by a factor uniform on [0.3, 2), rounded down, at least 1; unchanged numbers are told as "a while".
fn scaled(asked: ItemId, number: u32, unit: TimeUnit, rate: f64) -> Vec<(ItemId, Value, f64)> {
    let overlap = |low: f64, high: f64| (high.min(2.0) - low.max(0.3)).max(0.0) / 1.7;
    let n = f64::from(number);
    (1..=2 * number)
        .map(|told| {
            let low = if told == 1 { 0.0 } else { f64::from(told) / n };
            let value = if told == number { Value::Awhile } else { Value::Duration(told, unit) };
            (asked, value, rate * overlap(low, f64::from(told + 1) / n))
        })
        .collect()
}

/// What the readings touch, with everything that decides it.
#[derive(Default)]
struct Touched {
    findings: BTreeSet<u16>,
    attributes: BTreeSet<u16>,
    panels: BTreeSet<u16>,
    analytes: BTreeSet<u16>,
}

impl Touched {
    fn new(base: &KnowledgeBase, readings: &[Reading]) -> Self {
        let mut touched = Self::default();
        for reading in readings {
            let asked = if let Source::Direct { asked, .. } = reading.source { asked } else { reading.item };
            for item in [reading.item, asked] {
                match base.item_kind(item).expect("items exist") {
                    ItemKind::Finding(index) => {
                        touched.findings.insert(index);
                        touched.findings.extend(&base.findings[usize::from(index)].neighbours);
                    }
                    ItemKind::Attribute(index) => {
                        touched.attributes.insert(index);
                        touched.findings.insert(base.attributes[usize::from(index)].finding);
                    }
                    ItemKind::Analyte(index) => {
                        let panel = base.analytes[usize::from(index)].panel;
                        touched.analytes.insert(index);
                        touched.panels.insert(panel);
                        touched.findings.extend(base.panels[usize::from(panel)].parent);
                    }
                }
            }
        }
        let required: Vec<u16> =
            touched.findings.iter().filter_map(|&finding| base.findings[usize::from(finding)].requires).collect();
        touched.findings.extend(required);
        touched
    }

    /// Every assignment of what is touched.
    fn assignments(&self, base: &KnowledgeBase, visit: &mut dyn FnMut(&Hidden)) {
        let mut sizes: Vec<(usize, usize)> = vec![(0, base.hypotheses.len())];
        sizes.extend(self.findings.iter().map(|&index| (1 + usize::from(index), 2)));
        sizes.extend(
            self.attributes
                .iter()
                .map(|&index| (1_000 + usize::from(index), base.attributes[usize::from(index)].num_values)),
        );
        sizes.extend(
            self.panels
                .iter()
                .map(|&index| (2_000 + usize::from(index), base.panels[usize::from(index)].patterns.len())),
        );
        sizes.extend(
            self.analytes
                .iter()
                .map(|&index| (3_000 + usize::from(index), base.analytes[usize::from(index)].num_values)),
        );
        let mut hidden = Hidden {
            hypothesis: 0,
            findings: vec![false; base.findings.len()],
            attributes: vec![0; base.attributes.len()],
            patterns: vec![0; base.panels.len()],
            analytes: vec![0; base.analytes.len()],
        };
        assign(&sizes, &mut hidden, visit);
    }
}

fn assign(sizes: &[(usize, usize)], hidden: &mut Hidden, visit: &mut dyn FnMut(&Hidden)) {
    let Some((&(slot, size), rest)) = sizes.split_first() else { return visit(hidden) };
    for value in 0..size {
        match slot {
            0 => hidden.hypothesis = value,
            1..1_000 => hidden.findings[slot - 1] = value == 1,
            1_000..2_000 => hidden.attributes[slot - 1_000] = value,
            2_000..3_000 => hidden.patterns[slot - 2_000] = value,
            _ => hidden.analytes[slot - 3_000] = value,
        }
        assign(rest, hidden, visit);
    }
}

fn enumerated_posterior(episode: &Episode, rows: &mut Rows) -> Vec<f64> {
    let Truth::Generated(patient) = episode.truth() else { unreachable!("generated scenarios") };
    let base = episode.base();
    let oracle = Oracle { base, patient, noise: &episode.scenario().noise };
    let touched = Touched::new(base, episode.readings());
    let mut posterior = vec![0.0; base.diseases.len()];
    touched.assignments(base, &mut |hidden| {
        let mut weight = oracle.prior(hidden, &touched);
        for reading in episode.readings() {
            if weight <= 0.0 {
                return;
            }
            weight *= oracle.likelihood(hidden, reading, rows);
        }
        posterior[usize::from(base.hypotheses[hidden.hypothesis].disease)] += weight;
    });
    let total: f64 = posterior.iter().sum();
    posterior.iter().map(|weight| weight / total).collect()
}

/// A random short episode: questions about items (some twice and thrice), open questions, orders.
fn random_episode(base: &Arc<KnowledgeBase>, seed: u64, noise: NoiseSettings) -> Episode {
    let scenario = Scenario { noise, ..Scenario::headline(seed) };
    let mut episode = Episode::new(base.clone(), scenario).expect("the scenario is in range");
    let calls = ["xray(region=chest)", "cbc()", "physical_examination(type=general)"];
    let calls: Vec<_> = calls.iter().filter_map(|call| base.catalogue.parse_call_text(call).ok()).collect();
    assert_eq!(calls.len(), 3, "the tiny base's calls parse");
    let asked = (base.findings.len() + base.attributes.len()) as u32;
    let mut rng = KeyedRng::new(seed, Purpose::Auxiliary, 0, 0);
    for _ in 0..5 {
        let action = match rng.below(8) {
            0 => Action::Ask(Question::Open(Topic::Complaint)),
            1 => Action::Ask(Question::Open(Topic::History)),
            2 => Action::Order(calls[rng.below(calls.len() as u32) as usize]),
            _ => {
                let item = ItemId(rng.below(asked) as u16);
                if rng.below(3) == 0 {
                    let _ = episode.step(Action::Ask(Question::item(item)));
                }
                Action::Ask(Question::item(item))
            }
        };
        episode.step(action).expect("the action is legal");
    }
    episode
}

fn compare(episode: &Episode, rows: &mut Rows) {
    let belief = Belief::of_episode(episode).expect("generated cases have a belief");
    assert!(belief.is_exact());
    let expected = enumerated_posterior(episode, rows);
    for (disease, (got, want)) in belief.diseases().iter().zip(&expected).enumerate() {
        assert!((got - want).abs() < 1e-9, "seed {}: disease {disease}: {got} against {want}", episode.scenario().seed);
    }
}

#[test]
fn belief_equals_enumeration_with_every_noise_row_exercised() {
    let base = tiny::base();
    let mut rows = Rows::new();
    let keyed = NoiseSettings { plan: NoisePlan::Keyed, patient_ppm: 700_000, exam_ppm: 700_000, forced: Vec::new() };
    for seed in 0..160 {
        compare(&random_episode(&base, seed, keyed.clone()), &mut rows);
    }
    for row in [
        "vague",
        "self_diagnosis",
        "omission",
        "symptom_confusion, polar",
        "symptom_confusion, character",
        "body_part_swap",
        "severity_change",
        "temporal_change",
        "open question, named",
        "open question, passed over",
        "deflection",
        "exam omission",
        "exam body_part_swap",
    ] {
        assert!(rows.contains(row), "no reading exercised `{row}`: {rows:?}");
    }
}

/// Catches: a finding counted without what it requires, or evidence about one that does not reach the other.
#[test]
fn belief_equals_enumeration_where_findings_require_others() {
    let base = tiny::base_with_requirements();
    let noise = NoiseSettings { plan: NoisePlan::Keyed, patient_ppm: 700_000, exam_ppm: 700_000, forced: Vec::new() };
    let (mut rows, mut told, mut complaints) = (Rows::new(), BTreeSet::new(), BTreeSet::new());
    for seed in 0..160 {
        let episode = random_episode(&base, seed, noise.clone());
        compare(&episode, &mut rows);
        let requires =
            |item: ItemId| base.findings.get(usize::from(item.0)).is_some_and(|entry| entry.requires.is_some());
        told.extend(
            episode
                .readings()
                .iter()
                .filter(|reading| requires(reading.item))
                .map(|reading| (base.item_name(reading.item), reading.value.code())),
        );
        let Truth::Generated(patient) = episode.truth() else { unreachable!("generated scenarios") };
        complaints.insert(patient.complaint);
    }
    for (item, value) in
        [("itch", Value::Present), ("itch", Value::Absent), ("rub", Value::Present), ("rub", Value::Absent)]
    {
        assert!(told.contains(&(item.to_owned(), value.code())), "nobody told `{item}` {value:?}: {told:?}");
    }
    assert_eq!(complaints.len(), base.complaints.len(), "every complaint was played");
}

#[test]
fn belief_equals_enumeration_under_a_forced_plan() {
    let base = tiny::base();
    let force = |item: &str, noise| ForcedNoise { item: item.into(), noise: Noise::Patient(noise) };
    let forced = vec![
        force("pain.site", PatientNoise::BodyPartSwap),
        force("pain.severity", PatientNoise::SeverityChange),
        force("pain.duration", PatientNoise::TemporalChange),
        force("itch", PatientNoise::Omission),
        force("cough", PatientNoise::VagueAnswer),
    ];
    let noise = NoiseSettings { plan: NoisePlan::Forced, patient_ppm: 0, exam_ppm: 0, forced };
    let mut rows = Rows::new();
    for seed in 0..60 {
        compare(&random_episode(&base, seed, noise.clone()), &mut rows);
    }
}

#[test]
fn every_answer_channel_sums_to_one() {
    let base = tiny::base();
    let noise = NoiseSettings { plan: NoisePlan::Keyed, patient_ppm: 600_000, exam_ppm: 0, forced: Vec::new() };
    let episode = random_episode(&base, 1, noise);
    let Truth::Generated(patient) = episode.truth() else { unreachable!("generated scenarios") };
    let oracle = Oracle { base: &base, patient, noise: &episode.scenario().noise };
    let everything = Touched {
        findings: (0..base.findings.len() as u16).collect(),
        attributes: (0..1).collect(),
        ..Touched::default()
    };
    let items = 0..(base.findings.len() + base.attributes.len()) as u16;
    let mut rows = Rows::new();
    everything.assignments(&base, &mut |hidden| {
        for item in items.clone().map(ItemId) {
            for occurrence in [0, 1] {
                let told: f64 =
                    oracle.outcomes(hidden, item, occurrence, &mut rows).iter().map(|outcome| outcome.2).sum();
                let total = told + oracle.rates(item, occurrence).guess;
                assert!((total - 1.0).abs() < 1e-12, "{item:?}: {total}");
            }
        }
    });
}

#[test]
fn expected_information_gain_of_questions_is_never_negative() {
    let base = tiny::base();
    let noise = NoiseSettings { plan: NoisePlan::Keyed, patient_ppm: 500_000, exam_ppm: 0, forced: Vec::new() };
    for seed in 0..40 {
        let episode = random_episode(&base, seed, noise.clone());
        let belief = Belief::of_episode(&episode).expect("generated cases have a belief");
        for item in (0..(base.findings.len() + base.attributes.len()) as u16).map(ItemId) {
            let gain = belief.question_gain(&episode, &Question::item(item));
            assert!((-1e-12..=1.0 + 1e-9).contains(&gain), "seed {seed}, item {item:?}: {gain}");
        }
        let gain = belief.question_gain(&episode, &Question::Open(Topic::Complaint));
        assert!(gain >= -1e-12, "seed {seed}, open: {gain}");
    }
}
