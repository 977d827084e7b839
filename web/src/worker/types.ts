/** What crosses from the clinic. Mirrors `wasm/src/dto.rs`; money in US dollars, gains in bits, shares 0 to 1. */

export type NoisePlan = 'keyed' | 'paper' | 'forced';
export type Personality = 'verbose' | 'pleasing' | 'impatient' | 'distrust' | 'overanxious' | 'plain';
export type Proficiency = 'level_a' | 'level_b' | 'level_c';
export type Recall = 'low' | 'high';
export type RewardMode = 'clinic' | 'paper';
export type Payer = 'medicare' | 'cash';
export type Prevalence = 'uniform' | 'incidence';

export interface Settings {
  /** 16 lower-case hexadecimal digits. */
  readonly seed: string;
  readonly noisePlan: NoisePlan;
  readonly patientNoise: number;
  readonly examNoise: number;
  /** null: drawn from the seed. */
  readonly personality: Personality | null;
  readonly proficiency: Proficiency | null;
  readonly recall: Recall | null;
  readonly rewardMode: RewardMode;
  readonly payer: Payer;
  readonly prevalence: Prevalence;
  readonly maxDoctorTurns: number;
  readonly maxPatientTurns: number;
}

export interface Identity {
  readonly name: string;
  readonly digest: string;
  readonly engineVersion: number;
  readonly version: string;
  readonly numDiseases: number;
  readonly numFindings: number;
  readonly numExams: number;
  /** Longest code that can be opened, in characters. */
  readonly maxCode: number;
}

export interface Price {
  readonly medicare: number;
  readonly cash: number;
  /** 1 (none) to 3. */
  readonly discomfort: number;
}

export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  /** Empty when any text will do. */
  readonly values: readonly string[];
  readonly default: string | null;
}

export interface Exam {
  readonly name: string;
  readonly label: string;
  readonly group: string;
  readonly importedOnly: boolean;
  readonly price: Price;
  readonly parameters: readonly Parameter[];
}

export interface CallPrice {
  readonly label: string;
  readonly price: Price;
  /** Charged with it unless it was done before. */
  readonly collection: { readonly label: string; readonly price: Price } | null;
}

export interface Disease {
  readonly name: string;
  readonly synonyms: readonly string[];
  readonly system: string;
}

export interface Opening {
  readonly presentation: string;
  readonly opening: string;
  readonly objective: string;
  readonly imported: boolean;
  readonly persona: {
    readonly personality: Personality;
    readonly label: string;
    readonly proficiency: Proficiency;
    readonly recall: Recall;
  };
  readonly settings: Settings;
}

export type ReplyKind =
  | 'answer'
  | 'open_answer'
  | 'not_understood'
  | 'report'
  | 'not_applicable'
  | 'not_recorded'
  | 'invalid_call'
  | 'format_error'
  | 'patient_turns_used_up'
  | 'end';

export interface Turn {
  readonly message: string;
  readonly action: 'ask' | 'order' | 'diagnose' | 'mistake';
  /** The action as it was understood, in words. */
  readonly heard: string;
  readonly reply: string;
  readonly kind: ReplyKind;
  readonly dollars: number;
  readonly discomfort: number;
}

export interface Tally {
  readonly dollars: number;
  readonly dollarsMedicare: number;
  readonly dollarsCash: number;
  readonly discomfort: number;
  readonly exams: number;
  readonly doctorTurns: number;
  readonly patientTurns: number;
  readonly maxDoctorTurns: number;
  readonly maxPatientTurns: number;
  readonly formatErrors: number;
  readonly invalidCalls: number;
  readonly repeatedCalls: number;
  readonly missedSevere: number;
  readonly contraindicated: number;
  readonly ended: boolean;
}

export interface BeliefAfterTurn {
  /** In the order of the diseases. */
  readonly diseases: readonly number[];
  readonly entropy: number;
  /** What the reply told; negative when it raised doubt. */
  readonly gain: number;
  readonly expectedGain: number | null;
  /** Cost of the turn in clinic reward. */
  readonly price: number;
}

export interface Differential {
  /** False under the noise plan `paper`. */
  readonly exact: boolean;
  readonly start: readonly number[];
  readonly startEntropy: number;
  readonly turns: readonly BeliefAfterTurn[];
}

export interface Reward {
  readonly mode: RewardMode;
  readonly diagnosis: number;
  readonly toolMatch: number;
  readonly examCost: number;
  readonly turnCost: number;
  readonly penalty: number;
  readonly total: number;
}

export interface Fired {
  readonly side: 'patient' | 'exam';
  readonly name: string;
}

export interface RefereeTurn {
  readonly clean: string;
  readonly fired: readonly Fired[];
  readonly keptBack: boolean;
  /** log2 of how much more probable the truth became; null for imported cases. */
  readonly towardTruth: number | null;
}

export interface Debrief {
  readonly ending: 'terminated' | 'truncated';
  readonly disease: string;
  readonly variant: string;
  readonly icd10: string;
  readonly severity: number | null;
  readonly diagnosis: string;
  readonly score: number;
  readonly unmatched: readonly string[];
  readonly reward: Reward;
  readonly referenceWorkup: readonly { readonly label: string; readonly done: boolean }[];
  readonly turns: readonly RefereeTurn[];
}

/** Everything the page shows of an encounter. */
export interface View {
  readonly opening: Opening;
  readonly turns: readonly Turn[];
  readonly tally: Tally;
  /** null for imported cases. */
  readonly differential: Differential | null;
  /** null before the end. */
  readonly debrief: Debrief | null;
  readonly code: string;
  readonly digest: string;
}

export interface ImportedCase {
  readonly id: string;
  readonly demographics: string;
  readonly complaint: string;
  readonly diagnosis: string;
}

export interface CaseFile {
  readonly cases: readonly ImportedCase[];
  readonly numRows: number;
  readonly dropped: readonly string[];
  readonly leftOut: readonly string[];
}

export interface CodeInfo {
  readonly settings: Settings;
  readonly imported: boolean;
  readonly numActions: number;
  readonly mismatch: 'engine_mismatch' | 'knowledge_mismatch' | null;
  readonly message: string;
}

export interface Welcome {
  readonly identity: Identity;
  readonly catalogue: readonly Exam[];
  readonly diseases: readonly Disease[];
}

/** `config.json` of an exported policy, as far as it is shown. */
export interface AgentInfo {
  readonly folder: string;
  readonly stage: string;
  readonly knowledge: string;
  readonly knowledgeDigest: string;
  readonly numParameters: number;
}

export type Arguments = readonly (readonly [string, string])[];
