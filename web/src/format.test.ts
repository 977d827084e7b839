import { describe, expect, it } from 'vitest';

import { bits, dollars, percent, signed, spokenPart } from './format';

describe('a message', () => {
  it('is shown without its markup', () => {
    expect(spokenPart('May I? <tool_call>{"name": "ecg"}</tool_call>')).toBe('May I?');
    expect(spokenPart('Take care. [DIAGNOSIS: gout]')).toBe('Take care.');
    expect(spokenPart('<tool_call>{"name": "ecg"}')).toBe('');
  });
});

describe('numbers on the page', () => {
  it('never claim certainty by rounding', () => {
    expect([0, 0.001, 0.5, 0.999, 1].map(percent)).toEqual(['0 %', '<1 %', '50 %', '>99 %', '100 %']);
  });

  it('carry one sign, and none for nothing', () => {
    expect([1, -1, -0.001].map((value) => signed(value, 2))).toEqual(['+1.00', '−1.00', '0.00']);
    expect(bits(0.254)).toBe('+0.25 bit');
  });

  it('show cents where they matter', () => {
    expect([0, 14.31, 1171.1].map(dollars)).toEqual(['$0.00', '$14.31', '$1,171']);
  });
});
