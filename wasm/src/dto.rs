//! What JavaScript sees. Every type stands beside its TypeScript declaration in `web/src/worker/types.ts`.
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use workup_core::{
    case::Prevalence,
    exam::{Exam, Price},
    import::{ImportReport, ImportedCase},
    knowledge::Disease,
    noise::{ForcedNoise, Noise, NoisePlan, NoiseSettings},
    observation::ReplyKind,
    persona::{Persona, Personality, Proficiency, Recall},
    random::PPM,
    referee::{ActionKind, Debrief, OrderedExam, TurnRecord},
    reward::{Payer, RewardMode, RewardParts, Tally},
    scenario::{CaseSource, PersonaChoice, Scenario},
};

use crate::error::{Coded, hex, seed_from_hex};

/// A value as a plain JavaScript object.
pub(crate) fn to_js(value: &impl Serialize) -> Result<JsValue, JsValue> {
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).map_err(|error| error.thrown())
}

/// A plain JavaScript object as a value.
pub(crate) fn from_js<T: serde::de::DeserializeOwned>(value: JsValue) -> Result<T, JsValue> {
    serde_wasm_bindgen::from_value(value).map_err(|error| error.thrown())
}

fn dollars(cents: u32) -> f64 {
    f64::from(cents) / 100.0
}

/// What fixes an encounter, in the words of the page. All but the seed may be left out: the rest is as in [`Scenario::headline`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SettingsDto {
    seed: String,
    noise_plan: NoisePlan,
    /// 0 to 1.
    patient_noise: f64,
    /// 0 to 1.
    exam_noise: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    forced_noise: Vec<ForcedNoise>,
    /// Traits left out are drawn from the seed.
    personality: Option<Personality>,
    proficiency: Option<Proficiency>,
    recall: Option<Recall>,
    reward_mode: RewardMode,
    payer: Payer,
    prevalence: Prevalence,
    max_doctor_turns: u32,
    max_patient_turns: u32,
}

impl Default for SettingsDto {
    /// The headline settings without a seed, which has to be given.
    fn default() -> Self {
        Self { seed: String::new(), ..(&Scenario::headline(0)).into() }
    }
}

impl SettingsDto {
    /// The scenario with this case.
    pub(crate) fn scenario(self, case: CaseSource) -> Result<Scenario, JsValue> {
        let seed = seed_from_hex(&self.seed)?;
        let ppm = |share: f64| (share * f64::from(PPM)).round() as u32;
        let persona = match (self.personality, self.proficiency, self.recall) {
            (None, None, None) => PersonaChoice::Drawn,
            (personality, proficiency, recall) => {
                PersonaChoice::Fixed(Persona::draw_with(seed, personality, proficiency, recall))
            }
        };
        Ok(Scenario {
            seed,
            case,
            persona,
            noise: NoiseSettings {
                plan: self.noise_plan,
                patient_ppm: ppm(self.patient_noise),
                exam_ppm: ppm(self.exam_noise),
                forced: self.forced_noise,
            },
            reward_mode: self.reward_mode,
            payer: self.payer,
            prevalence: self.prevalence,
            max_doctor_turns: self.max_doctor_turns,
            max_patient_turns: self.max_patient_turns,
        })
    }
}

impl From<&Scenario> for SettingsDto {
    fn from(scenario: &Scenario) -> Self {
        let share = |ppm: u32| f64::from(ppm) / f64::from(PPM);
        let fixed = match scenario.persona {
            PersonaChoice::Drawn => None,
            PersonaChoice::Fixed(persona) => Some(persona),
        };
        Self {
            seed: hex(scenario.seed),
            noise_plan: scenario.noise.plan,
            patient_noise: share(scenario.noise.patient_ppm),
            exam_noise: share(scenario.noise.exam_ppm),
            forced_noise: scenario.noise.forced.clone(),
            personality: fixed.map(|persona| persona.personality),
            proficiency: fixed.map(|persona| persona.proficiency),
            recall: fixed.map(|persona| persona.recall),
            reward_mode: scenario.reward_mode,
            payer: scenario.payer,
            prevalence: scenario.prevalence,
            max_doctor_turns: scenario.max_doctor_turns,
            max_patient_turns: scenario.max_patient_turns,
        }
    }
}

/// What a code holds, whether or not it can be replayed here.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CodeDto {
    pub(crate) settings: SettingsDto,
    pub(crate) imported: bool,
    pub(crate) num_actions: usize,
    /// `engine_mismatch`, `knowledge_mismatch` or null.
    pub(crate) mismatch: Option<&'static str>,
    pub(crate) message: String,
}

/// Which clinic this is.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IdentityDto {
    pub(crate) name: String,
    pub(crate) digest: String,
    pub(crate) engine_version: u16,
    pub(crate) version: &'static str,
    pub(crate) num_diseases: usize,
    pub(crate) num_findings: usize,
    pub(crate) num_exams: usize,
    /// Longest code that can be opened, in characters.
    pub(crate) max_code: usize,
}

/// Money and discomfort of a call.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PriceDto {
    medicare: f64,
    cash: f64,
    discomfort: u32,
}

impl From<&Price> for PriceDto {
    fn from(price: &Price) -> Self {
        Self {
            medicare: dollars(price.usd_cents_medicare),
            cash: dollars(price.usd_cents_cash),
            discomfort: price.discomfort,
        }
    }
}

/// What a call would cost.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallDto {
    pub(crate) label: String,
    pub(crate) price: PriceDto,
    /// The collection of the specimen, charged with it unless it was done before.
    pub(crate) collection: Option<CollectionDto>,
}

/// A specimen to be collected first.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CollectionDto {
    pub(crate) label: String,
    pub(crate) price: PriceDto,
}

/// A parameter of an exam.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ParameterDto {
    name: String,
    required: bool,
    /// Empty when any text will do.
    values: Vec<String>,
    default: Option<String>,
}

/// An exam that can be ordered.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExamDto {
    name: String,
    label: String,
    group: String,
    imported_only: bool,
    price: PriceDto,
    parameters: Vec<ParameterDto>,
}

impl From<&Exam> for ExamDto {
    fn from(exam: &Exam) -> Self {
        let parameter = |parameter: &workup_core::exam::Parameter| ParameterDto {
            name: parameter.name.clone(),
            required: parameter.required,
            values: parameter.values.clone(),
            default: parameter.default.and_then(|index| parameter.values.get(usize::from(index)).cloned()),
        };
        Self {
            name: exam.name.clone(),
            label: exam.label.clone(),
            group: exam.group.clone(),
            imported_only: exam.imported_only,
            price: (&exam.price).into(),
            parameters: exam.parameters.iter().map(parameter).collect(),
        }
    }
}

/// A disease of the simulator, in the order of every belief.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DiseaseDto {
    name: String,
    synonyms: Vec<String>,
    system: String,
}

impl From<&Disease> for DiseaseDto {
    fn from(disease: &Disease) -> Self {
        Self { name: disease.name.clone(), synonyms: disease.synonyms.clone(), system: disease.system.clone() }
    }
}

/// The speaker in the words shown to people.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PersonaDto {
    pub(crate) personality: Personality,
    pub(crate) label: &'static str,
    pub(crate) proficiency: Proficiency,
    pub(crate) recall: Recall,
}

impl From<Persona> for PersonaDto {
    fn from(persona: Persona) -> Self {
        let Persona { personality, proficiency, recall } = persona;
        Self { personality, label: personality.label(), proficiency, recall }
    }
}

/// How an encounter begins.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpeningDto {
    pub(crate) presentation: String,
    pub(crate) opening: String,
    /// What the doctor is told to do, where an imported case says so.
    pub(crate) objective: String,
    pub(crate) imported: bool,
    pub(crate) persona: PersonaDto,
    pub(crate) settings: SettingsDto,
}

/// One turn as the doctor sees it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TurnDto {
    message: String,
    action: ActionKind,
    heard: String,
    reply: String,
    kind: ReplyKind,
    dollars: f64,
    discomfort: u32,
}

impl From<&TurnRecord> for TurnDto {
    fn from(record: &TurnRecord) -> Self {
        Self {
            message: record.message.clone(),
            action: record.action,
            heard: record.heard.clone(),
            reply: record.reply.clone(),
            kind: record.kind,
            dollars: dollars(record.cents),
            discomfort: record.discomfort,
        }
    }
}

/// What was counted so far.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TallyDto {
    pub(crate) dollars: f64,
    pub(crate) dollars_medicare: f64,
    pub(crate) dollars_cash: f64,
    pub(crate) discomfort: u32,
    pub(crate) exams: u32,
    pub(crate) doctor_turns: u32,
    pub(crate) patient_turns: u32,
    pub(crate) max_doctor_turns: u32,
    pub(crate) max_patient_turns: u32,
    pub(crate) format_errors: u32,
    pub(crate) invalid_calls: u32,
    pub(crate) repeated_calls: u32,
    pub(crate) missed_severe: u32,
    pub(crate) contraindicated: u32,
    pub(crate) ended: bool,
}

impl TallyDto {
    pub(crate) fn new(tally: &Tally, patient_turns: u32, scenario: &Scenario, ended: bool) -> Self {
        Self {
            dollars: tally.dollars(),
            dollars_medicare: dollars(tally.usd_cents_medicare),
            dollars_cash: dollars(tally.usd_cents_cash),
            discomfort: tally.discomfort,
            exams: tally.num_exams,
            doctor_turns: tally.doctor_turns,
            patient_turns,
            max_doctor_turns: scenario.max_doctor_turns,
            max_patient_turns: scenario.max_patient_turns,
            format_errors: tally.format_errors,
            invalid_calls: tally.invalid_calls,
            repeated_calls: tally.repeated_calls,
            missed_severe: tally.missed_severe,
            contraindicated: tally.contraindicated,
            ended,
        }
    }
}

/// How the exact belief moved; bits.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DifferentialDto {
    /// False under the plan `paper`.
    pub(crate) exact: bool,
    pub(crate) start: Vec<f64>,
    pub(crate) start_entropy: f64,
    pub(crate) turns: Vec<BeliefDto>,
}

/// The belief after one turn.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BeliefDto {
    diseases: Vec<f64>,
    entropy: f64,
    gain: f64,
    expected_gain: Option<f64>,
    /// Cost of the turn in clinic reward.
    price: f64,
}

impl BeliefDto {
    pub(crate) fn new(record: &TurnRecord) -> Option<Self> {
        let belief = record.belief.as_ref()?;
        Some(Self {
            diseases: belief.diseases.clone(),
            entropy: belief.entropy,
            gain: belief.gain,
            expected_gain: belief.expected_gain,
            price: record.price,
        })
    }
}

/// The reward with parts that add up.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RewardDto {
    mode: RewardMode,
    diagnosis: f64,
    tool_match: f64,
    exam_cost: f64,
    turn_cost: f64,
    penalty: f64,
    total: f64,
}

impl From<&RewardParts> for RewardDto {
    fn from(parts: &RewardParts) -> Self {
        let &RewardParts { mode, diagnosis, tool_match, exam_cost, turn_cost, penalty, total, .. } = parts;
        Self { mode, diagnosis, tool_match, exam_cost, turn_cost, penalty, total }
    }
}

/// What the referee saw in one turn.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RefereeDto {
    clean: String,
    fired: Vec<NoiseDto>,
    kept_back: bool,
    toward_truth: Option<f64>,
}

/// A noise that fired.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct NoiseDto {
    /// `patient` or `exam`.
    side: &'static str,
    name: serde_json::Value,
}

impl From<&Noise> for NoiseDto {
    fn from(noise: &Noise) -> Self {
        let name = |value: Result<serde_json::Value, _>| value.unwrap_or_default();
        match noise {
            Noise::Patient(noise) => Self { side: "patient", name: name(serde_json::to_value(noise)) },
            Noise::Exam(noise) => Self { side: "exam", name: name(serde_json::to_value(noise)) },
        }
    }
}

impl From<&TurnRecord> for RefereeDto {
    fn from(record: &TurnRecord) -> Self {
        Self {
            clean: record.clean.clone(),
            fired: record.fired.iter().map(NoiseDto::from).collect(),
            kept_back: record.kept_back,
            toward_truth: record.belief.as_ref().map(|belief| belief.toward_truth),
        }
    }
}

/// What the end reveals.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DebriefDto {
    ending: workup_core::episode::Ending,
    disease: String,
    variant: String,
    icd10: String,
    severity: Option<u32>,
    diagnosis: String,
    score: f64,
    unmatched: Vec<String>,
    reward: RewardDto,
    reference_workup: Vec<OrderedExam>,
    turns: Vec<RefereeDto>,
}

impl DebriefDto {
    pub(crate) fn new(debrief: Debrief, records: &[TurnRecord]) -> Self {
        let reward = RewardDto::from(&debrief.reward);
        let Debrief {
            ending, disease, variant, icd10, severity, diagnosis, score, unmatched, reference_workup, ..
        } = debrief;
        Self {
            ending,
            disease,
            variant,
            icd10,
            severity,
            diagnosis,
            score,
            unmatched,
            reward,
            reference_workup,
            turns: records.iter().map(RefereeDto::from).collect(),
        }
    }
}

/// Cases read from a file, and what became of its rows.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CasesDto {
    cases: Vec<ImportedCase>,
    num_rows: u32,
    dropped: Vec<String>,
    left_out: Vec<String>,
}

impl CasesDto {
    pub(crate) fn new(cases: Vec<ImportedCase>, report: &ImportReport) -> Self {
        let left_out = |piece: &workup_core::import::LeftOut| {
            format!("row `{}`, `{}`: left out, {}", piece.line, piece.path, piece.reason)
        };
        Self {
            cases,
            num_rows: report.num_rows(),
            dropped: report.dropped.iter().map(ToString::to_string).collect(),
            left_out: report.left_out.iter().map(left_out).collect(),
        }
    }
}

/// The conversation as the network reads it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TranscriptDto {
    pub(crate) system: String,
    pub(crate) turns: Vec<TranscriptTurnDto>,
}

/// A message and its reply, with the mark that opens the reply.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TranscriptTurnDto {
    pub(crate) message: String,
    pub(crate) mark: String,
    pub(crate) reply: String,
}
