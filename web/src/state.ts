/** What a link to the page carries: which case, under which settings. Defaults are left out of links. */
import type { Settings } from './worker/types';

export const NOISE_PLANS = ['keyed', 'paper'] as const;
export const PERSONALITIES = ['verbose', 'pleasing', 'impatient', 'distrust', 'overanxious', 'plain'] as const;
export const PROFICIENCIES = ['level_a', 'level_b', 'level_c'] as const;
export const RECALLS = ['low', 'high'] as const;
export const REWARD_MODES = ['clinic', 'paper'] as const;
export const PAYERS = ['medicare', 'cash'] as const;
export const PREVALENCES = ['uniform', 'incidence'] as const;

/** `any` draws the trait from the case's seed. */
export type OrAny<T extends string> = T | 'any';

export interface PlaygroundState {
  /** 16 lower-case hexadecimal digits; null asks for a fresh one. */
  readonly seed: string | null;
  readonly noisePlan: (typeof NOISE_PLANS)[number];
  /** Share of noisy answers, 0 to 1. */
  readonly patientNoise: number;
  /** Share of noisy results, 0 to 1. */
  readonly examNoise: number;
  readonly personality: OrAny<(typeof PERSONALITIES)[number]>;
  readonly proficiency: OrAny<(typeof PROFICIENCIES)[number]>;
  readonly recall: OrAny<(typeof RECALLS)[number]>;
  readonly rewardMode: (typeof REWARD_MODES)[number];
  readonly payer: (typeof PAYERS)[number];
  readonly prevalence: (typeof PREVALENCES)[number];
  /** A whole episode as a scenario code; when it is there, it wins over the settings above. */
  readonly code: string | null;
}

export const DEFAULT_STATE: PlaygroundState = {
  seed: null,
  noisePlan: 'keyed',
  patientNoise: 0.3,
  examNoise: 0.1,
  personality: 'any',
  proficiency: 'any',
  recall: 'any',
  rewardMode: 'clinic',
  payer: 'medicare',
  prevalence: 'uniform',
  code: null,
};

const TRAITS = ['personality', 'proficiency', 'recall'] as const;

/** Caps of CLINIC: doctor turns, and those of them that the patient answers. */
const MAX_DOCTOR_TURNS = 20;
const MAX_PATIENT_TURNS = 15;

/** The settings of an encounter with this seed. */
export function settingsOf(state: PlaygroundState, seed: string): Settings {
  const { noisePlan, patientNoise, examNoise, rewardMode, payer, prevalence } = state;
  const trait = <T extends string>(value: OrAny<T>): T | null => (value === 'any' ? null : value);
  return {
    seed,
    noisePlan,
    patientNoise,
    examNoise,
    personality: trait(state.personality),
    proficiency: trait(state.proficiency),
    recall: trait(state.recall),
    rewardMode,
    payer,
    prevalence,
    maxDoctorTurns: MAX_DOCTOR_TURNS,
    maxPatientTurns: MAX_PATIENT_TURNS,
  };
}

/** The state that leads to these settings; a plan that only lessons have becomes the default one. */
export function stateOf(settings: Settings): PlaygroundState {
  const { seed, noisePlan, patientNoise, examNoise, rewardMode, payer, prevalence } = settings;
  return {
    seed,
    noisePlan: noisePlan === 'forced' ? DEFAULT_STATE.noisePlan : noisePlan,
    patientNoise,
    examNoise,
    personality: settings.personality ?? 'any',
    proficiency: settings.proficiency ?? 'any',
    recall: settings.recall ?? 'any',
    rewardMode,
    payer,
    prevalence,
    code: null,
  };
}

/**
 * An encounter's state with the traits as they were asked for. A scenario holds all three traits or none, so that the two
 * drawn beside a chosen one come back as if chosen; where what was asked for leads to them, they stay open to the seed.
 */
export function withAskedTraits(shown: PlaygroundState, asked: PlaygroundState): PlaygroundState {
  const chosen = TRAITS.filter((trait) => asked[trait] !== 'any');
  if (chosen.length === 0 || chosen.some((trait) => asked[trait] !== shown[trait])) return shown;
  const { personality, proficiency, recall } = asked;
  return { ...shown, personality, proficiency, recall };
}
