/** What a link to the page carries: which case, under which settings. Defaults are left out of links. */

export const NOISE_PLANS = ['keyed', 'paper'] as const;
export const PERSONALITIES = ['verbose', 'pleasing', 'impatient', 'distrust', 'overanxious', 'plain'] as const;
export const LANGUAGES = ['A', 'B', 'C'] as const;
export const RECALLS = ['low', 'high'] as const;
export const REWARD_MODES = ['clinic', 'paper'] as const;
export const PAYERS = ['medicare', 'cash'] as const;

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
  readonly language: OrAny<(typeof LANGUAGES)[number]>;
  readonly recall: OrAny<(typeof RECALLS)[number]>;
  readonly rewardMode: (typeof REWARD_MODES)[number];
  readonly payer: (typeof PAYERS)[number];
  /** A whole episode as a scenario code; when it is there, it wins over the settings above. */
  readonly code: string | null;
}

export const DEFAULT_STATE: PlaygroundState = {
  seed: null,
  noisePlan: 'keyed',
  patientNoise: 0.3,
  examNoise: 0.1,
  personality: 'any',
  language: 'any',
  recall: 'any',
  rewardMode: 'clinic',
  payer: 'medicare',
  code: null,
};
