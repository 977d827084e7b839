/** Numbers and names in the words of the page. */

export function dollars(value: number): string {
  return value.toLocaleString('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: value < 100 ? 2 : 0 });
}

export function percent(share: number): string {
  if (share > 0 && share < 0.005) return '<1 %';
  if (share < 1 && share >= 0.995) return '>99 %';
  return `${Math.round(share * 100)} %`;
}

export function bits(value: number): string {
  return `${signed(value, 2)} bit`;
}

/** With its sign, a true minus, and no "-0.00". */
export function signed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return value < 0 ? `−${text}` : `+${text}`;
}

/** `chest_wall` -> `chest wall`. */
export function words(id: string): string {
  return id.replaceAll('_', ' ');
}

/** `csf_analysis` -> `Csf analysis`. */
export function heading(id: string): string {
  const text = words(id);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What is said beside an order or a diagnosis. */
export function spokenPart(message: string): string {
  return message
    .replaceAll(/<tool_call>.*?(<\/tool_call>|$)/gs, ' ')
    .replaceAll(/\[DIAGNOSIS:[^\]]*(\]|$)/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

export const DISCOMFORT = ['', 'no discomfort', 'some discomfort', 'marked discomfort'] as const;

export const NOISE_WORDS: Readonly<Record<string, string>> = {
  body_part_swap: 'names a neighbouring site',
  symptom_confusion: 'confuses symptoms',
  severity_change: 'plays it down',
  temporal_change: 'misjudges the time',
  omission: 'leaves out or denies',
  self_diagnosis: 'adds a guess of their own',
  vague_answer: 'stays vague',
  ambiguity: 'report marked uncertain',
};

export const PERSONALITY_WORDS = {
  verbose: 'talkative',
  pleasing: 'eager to please',
  impatient: 'impatient',
  distrust: 'guarded',
  overanxious: 'worried',
  plain: 'plain',
} as const;

export const PROFICIENCY_WORDS = { level_a: 'A · short sentences', level_b: 'B · moderate', level_c: 'C · native' } as const;
export const RECALL_WORDS = { low: 'patchy', high: 'good' } as const;
