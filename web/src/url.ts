/**
 * The state of the page as an address and back. Nothing else reads or writes `location`.
 *
 * Settings go in the query and only where they differ from the default; a scenario code, which may be long, goes in the
 * hash. Both functions are pure; an address we do not understand gives defaults and says which parts were ignored.
 */
import {
  DEFAULT_STATE,
  NOISE_PLANS,
  PAYERS,
  PERSONALITIES,
  PREVALENCES,
  PROFICIENCIES,
  RECALLS,
  REWARD_MODES,
  type PlaygroundState,
} from './state';

/** Raised when a key changes its meaning. */
const LINK_VERSION = '1';

export interface DecodedState {
  readonly state: PlaygroundState;
  /** Keys whose value was not understood and replaced by the default. */
  readonly ignored: readonly string[];
}

interface Field<K extends keyof PlaygroundState> {
  readonly key: string;
  readonly encode: (value: PlaygroundState[K]) => string;
  readonly decode: (text: string) => PlaygroundState[K] | undefined;
}

type QueryKey = Exclude<keyof PlaygroundState, 'code'>;

const FIELDS: { readonly [K in QueryKey]: Field<K> } = {
  seed: {
    key: 'seed',
    encode: (seed) => seed ?? '',
    decode: (text) => (/^[0-9a-f]{16}$/.test(text) ? text : undefined),
  },
  noisePlan: choice('noise', NOISE_PLANS),
  patientNoise: share('patient-noise'),
  examNoise: share('exam-noise'),
  personality: choice('personality', ['any', ...PERSONALITIES]),
  proficiency: choice('proficiency', ['any', ...PROFICIENCIES]),
  recall: choice('recall', ['any', ...RECALLS]),
  rewardMode: choice('reward', REWARD_MODES),
  payer: choice('payer', PAYERS),
  prevalence: choice('prevalence', PREVALENCES),
};

const QUERY_KEYS = Object.keys(FIELDS) as QueryKey[];

/** The address of `state`, on top of `base` (whose own query and hash are dropped). */
export function encodeState(state: PlaygroundState, base: string | URL): URL {
  const url = new URL(base);
  url.search = '';
  url.hash = '';
  for (const name of QUERY_KEYS) encodeField(url.searchParams, state, name);
  if (url.searchParams.size > 0 || state.code !== null) url.searchParams.set('v', LINK_VERSION);
  if (state.code !== null) url.hash = `c=${state.code}`;
  return url;
}

/** The state an address means: its own values over the defaults. */
export function decodeState(address: string | URL): DecodedState {
  const url = new URL(address);
  const ignored: string[] = [];
  const version = url.searchParams.get('v');
  if (version !== null && version !== LINK_VERSION) ignored.push('v');
  const values: { -readonly [K in keyof PlaygroundState]?: PlaygroundState[K] } = {};
  for (const name of QUERY_KEYS) decodeField(url.searchParams, values, name, ignored);
  const code = /^#c=([A-Za-z0-9_.~-]+)$/.exec(url.hash)?.[1];
  if (code !== undefined) values.code = code;
  else if (url.hash !== '') ignored.push('#');
  return { state: { ...DEFAULT_STATE, ...values }, ignored };
}

function encodeField<K extends QueryKey>(query: URLSearchParams, state: PlaygroundState, name: K): void {
  const field = FIELDS[name];
  if (state[name] !== DEFAULT_STATE[name]) query.set(field.key, field.encode(state[name]));
}

function decodeField<K extends QueryKey>(
  query: URLSearchParams,
  values: { -readonly [P in keyof PlaygroundState]?: PlaygroundState[P] },
  name: K,
  ignored: string[],
): void {
  const field = FIELDS[name];
  const text = query.get(field.key);
  if (text === null) return;
  const value = field.decode(text);
  if (value === undefined) ignored.push(field.key);
  else values[name] = value;
}

function choice<T extends string>(key: string, values: readonly T[]): { key: string; encode: (value: T) => string; decode: (text: string) => T | undefined } {
  return { key, encode: (value) => value, decode: (text) => values.find((value) => value === text) };
}

function share(key: string): { key: string; encode: (value: number) => string; decode: (text: string) => number | undefined } {
  return {
    key,
    encode: String,
    decode: (text) => {
      const value = Number(text);
      return /^\d(\.\d{1,6})?$/.test(text) && value <= 1 ? value : undefined;
    },
  };
}
