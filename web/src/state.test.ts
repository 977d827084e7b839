import { describe, expect, it } from 'vitest';

import { DEFAULT_STATE, settingsOf, stateOf, withAskedTraits, type PlaygroundState } from './state';

const SEED = '00000000000000ff';

const CHANGED: PlaygroundState = {
  seed: SEED,
  noisePlan: 'paper',
  patientNoise: 0.15,
  examNoise: 0,
  personality: 'distrust',
  proficiency: 'level_a',
  recall: 'any',
  rewardMode: 'paper',
  payer: 'cash',
  prevalence: 'incidence',
  code: null,
};

describe('settings', () => {
  it('of a state lead back to it', () => {
    for (const state of [CHANGED, { ...DEFAULT_STATE, seed: SEED }]) {
      expect(stateOf(settingsOf(state, SEED))).toEqual(state);
    }
  });

  it('keep open the traits that were drawn beside a chosen one', () => {
    const asked: PlaygroundState = { ...DEFAULT_STATE, personality: 'plain' };
    const shown: PlaygroundState = { ...asked, seed: SEED, proficiency: 'level_b', recall: 'low' };
    expect(withAskedTraits(shown, asked)).toEqual({ ...asked, seed: SEED });
    expect(withAskedTraits(shown, { ...asked, personality: 'verbose' })).toEqual(shown);
    expect(withAskedTraits(shown, DEFAULT_STATE)).toEqual(shown);
  });

  it('leave a trait that may be any to the seed', () => {
    expect(settingsOf(CHANGED, SEED)).toMatchObject({ recall: null, proficiency: 'level_a' });
  });
});
