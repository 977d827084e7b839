//! The clinic: knowledge base, catalogue, new encounters, codes, case files.
use std::sync::Arc;

use wasm_bindgen::prelude::*;
use workup_core::{
    belief::gain::ReportChannels,
    import::{ImportedCase, read_any},
    referee::RefereedDialogue,
    scenario::CaseSource,
    scenario_code::{ENGINE_VERSION, MAX_CODE, ScenarioCode},
};

use crate::{
    dto::{CallDto, CasesDto, CodeDto, CollectionDto, DiseaseDto, ExamDto, IdentityDto, SettingsDto, from_js, to_js},
    encounter::Encounter,
    error::{Coded, hex},
};

/// The clinic of the embedded pack, loaded once.
#[wasm_bindgen]
pub struct Clinic {
    pub(crate) clinic: Arc<workup_core::clinic::Clinic>,
    channels: Arc<ReportChannels>,
}

#[wasm_bindgen]
impl Clinic {
    /// Loads the pack `core24`.
    ///
    /// # Errors
    /// Only when the module was built from wrong files.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Result<Self, JsValue> {
        let clinic = workup_core::clinic::Clinic::core24().map_err(|error| error.thrown())?;
        let channels = Arc::new(ReportChannels::new(clinic.base()));
        Ok(Self { clinic: Arc::new(clinic), channels })
    }

    /// Which clinic this is: name, versions, digest, sizes.
    ///
    /// # Errors
    /// Never in practice; the type is the conversion's.
    pub fn identity(&self) -> Result<JsValue, JsValue> {
        let base = self.clinic.base();
        to_js(&IdentityDto {
            name: base.name.clone(),
            digest: hex(base.digest),
            engine_version: ENGINE_VERSION,
            version: env!("CARGO_PKG_VERSION"),
            num_diseases: base.diseases.len(),
            num_findings: base.findings.len(),
            num_exams: base.catalogue.exams().len(),
            max_code: MAX_CODE,
        })
    }

    /// Everything that can be ordered.
    ///
    /// # Errors
    /// As [`Self::identity`].
    pub fn catalogue(&self) -> Result<JsValue, JsValue> {
        to_js(&self.clinic.base().catalogue.exams().iter().map(ExamDto::from).collect::<Vec<_>>())
    }

    /// The diseases, in the order of every belief.
    ///
    /// # Errors
    /// As [`Self::identity`].
    pub fn diseases(&self) -> Result<JsValue, JsValue> {
        to_js(&self.clinic.base().diseases.iter().map(DiseaseDto::from).collect::<Vec<_>>())
    }

    /// The parts of a diagnosis that name no disease of this clinic; none when all of it would be understood.
    #[wasm_bindgen(js_name = unmatchedDiagnoses)]
    pub fn unmatched_diagnoses(&self, diagnosis: &str) -> Vec<String> {
        self.clinic.base().names.read(diagnosis).unmatched
    }

    /// What a call would cost; `arguments` are pairs of parameter and value.
    ///
    /// # Errors
    /// `invalid_call` with what would have been right.
    pub fn price(&self, tool: &str, arguments: JsValue) -> Result<JsValue, JsValue> {
        let catalogue = &self.clinic.base().catalogue;
        let arguments: Vec<(String, String)> = from_js(arguments)?;
        let pairs: Vec<(&str, &str)> = arguments.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let call = catalogue.parse_call(tool, &pairs).map_err(|error| error.thrown())?;
        let collection = catalogue.collection(&call).map(|collection| CollectionDto {
            label: catalogue.label(&collection),
            price: (&catalogue.price(&collection)).into(),
        });
        to_js(&CallDto { label: catalogue.label(&call), price: (&catalogue.price(&call)).into(), collection })
    }

    /// Starts an encounter with a generated patient, or with an imported case.
    ///
    /// # Errors
    /// `bad_seed`, `bad_scenario`, or `bad_argument` when the settings are of another form.
    pub fn start(
        &self,
        settings: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "any")] case: JsValue,
    ) -> Result<Encounter, JsValue> {
        let case: Option<ImportedCase> = from_js(case)?;
        let case = case.map_or(CaseSource::Generated, |case| CaseSource::Imported(Arc::new(case)));
        let scenario = from_js::<SettingsDto>(settings)?.scenario(case)?;
        let refereed = RefereedDialogue::new(self.clinic.clone(), self.channels.clone(), scenario);
        refereed.map(Encounter::new).map_err(|error| error.thrown())
    }

    /// Plays a whole code again.
    ///
    /// # Errors
    /// `engine_mismatch`, `knowledge_mismatch`, `wrong_checksum`, `unknown_version`, `too_long`, `trailing_bytes`, `bad_code`.
    pub fn open(&self, code: &str) -> Result<Encounter, JsValue> {
        let code = ScenarioCode::decode(code).map_err(|error| error.thrown())?;
        let refereed = RefereedDialogue::replay(self.clinic.clone(), self.channels.clone(), &code);
        refereed.map(Encounter::new).map_err(|error| error.thrown())
    }

    /// The settings of a code, also of one that another clinic wrote.
    ///
    /// # Errors
    /// As [`Self::open`], but for the two mismatches.
    pub fn inspect(&self, code: &str) -> Result<JsValue, JsValue> {
        let code = ScenarioCode::decode(code).map_err(|error| error.thrown())?;
        let mismatch = code.check(self.clinic.base()).err();
        to_js(&CodeDto {
            settings: (&code.scenario).into(),
            imported: matches!(code.scenario.case, CaseSource::Imported(_)),
            num_actions: code.actions.len(),
            mismatch: mismatch.as_ref().map(Coded::code),
            message: mismatch.map(|error| error.to_string()).unwrap_or_default(),
        })
    }

    /// Starts the scenario of a code anew in this clinic, without its actions.
    ///
    /// # Errors
    /// As [`Self::inspect`].
    #[wasm_bindgen(js_name = startAgain)]
    pub fn start_again(&self, code: &str) -> Result<Encounter, JsValue> {
        let code = ScenarioCode::decode(code).map_err(|error| error.thrown())?;
        let refereed = RefereedDialogue::new(self.clinic.clone(), self.channels.clone(), code.scenario);
        refereed.map(Encounter::new).map_err(|error| error.thrown())
    }

    /// Reads a case file: our JSONL or `AgentClinic` JSON, one object, an array or one a line.
    ///
    /// # Errors
    /// Never in practice: what cannot be read is in the result.
    #[wasm_bindgen(js_name = readCases)]
    pub fn read_cases(&self, text: &str) -> Result<JsValue, JsValue> {
        let (cases, report) = read_any(text);
        to_js(&CasesDto::new(cases, &report))
    }
}
