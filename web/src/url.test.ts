import { describe, expect, it } from 'vitest';

import { DEFAULT_STATE, type PlaygroundState } from './state';
import { decodeState, encodeState } from './url';

const BASE = 'https://example.org/workup/?old=1#old';

const FULL: PlaygroundState = {
  seed: '00000000000000ff',
  noisePlan: 'paper',
  patientNoise: 0.15,
  examNoise: 1,
  personality: 'impatient',
  proficiency: 'level_a',
  recall: 'low',
  rewardMode: 'paper',
  payer: 'cash',
  prevalence: 'incidence',
  code: 'wu1-AZaz09_.~',
};

describe('a link', () => {
  it('of the defaults is the bare page', () => {
    expect(encodeState(DEFAULT_STATE, BASE).href).toBe('https://example.org/workup/');
  });

  it('gives back every field', () => {
    expect(decodeState(encodeState(FULL, BASE))).toEqual({ state: FULL, ignored: [] });
  });

  it('gives back each single change from the defaults', () => {
    for (const key of Object.keys(FULL) as (keyof PlaygroundState)[]) {
      const state = { ...DEFAULT_STATE, [key]: FULL[key] };
      expect(decodeState(encodeState(state, BASE)).state).toEqual(state);
    }
  });

  it('carries only what differs from the defaults', () => {
    expect(encodeState({ ...DEFAULT_STATE, payer: 'cash' }, BASE).search).toBe('?payer=cash&v=1');
  });
});

describe('an address somebody mistyped', () => {
  it.each([
    ['seed=12', 'seed'],
    ['patient-noise=1.5', 'patient-noise'],
    ['patient-noise=-0', 'patient-noise'],
    ['exam-noise=NaN', 'exam-noise'],
    ['personality=rude', 'personality'],
    ['v=2', 'v'],
  ])('`%s` falls back to the default and says so', (query, key) => {
    const decoded = decodeState(`https://example.org/?${query}`);
    expect(decoded).toEqual({ state: DEFAULT_STATE, ignored: [key] });
  });

  it('with a strange hash says so', () => {
    expect(decodeState('https://example.org/#c=<script>').ignored).toEqual(['#']);
  });

  it('keeps what it does understand', () => {
    const { state } = decodeState('https://example.org/?seed=zz&payer=cash');
    expect(state.payer).toBe('cash');
  });
});
