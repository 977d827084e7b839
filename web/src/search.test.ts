import { describe, expect, it } from 'vitest';

import { findDiseases, findExams } from './search';
import type { Disease, Exam } from './worker/types';

const price = { medicare: 1, cash: 2, discomfort: 1 };
const exam = (name: string, label: string, group: string, parameters: Exam['parameters'] = []): Exam => ({
  name, label, group, importedOnly: false, price, parameters,
});
const EXAMS = [
  exam('xray', 'X-ray', 'imaging', [{ name: 'region', required: true, values: ['chest', 'knee'], default: null }]),
  exam('cardiac_enzyme', 'Cardiac marker', 'laboratory', [
    { name: 'marker', required: false, values: ['ck_mb', 'troponin'], default: 'ck_mb' },
  ]),
  exam('ecg', 'ECG', 'cardiac'),
];
const DISEASES: Disease[] = [
  { name: 'Acute coronary syndrome', synonyms: ['Heart attack', 'NSTEMI'], system: 'cardiovascular' },
  { name: 'Ménière disease', synonyms: [], system: 'ear' },
];

describe('searching exams', () => {
  it('finds by value and chooses it', () => {
    expect(findExams(EXAMS, 'tropo')).toEqual([{ exam: EXAMS[1], chosen: { marker: 'troponin' } }]);
    expect(findExams(EXAMS, 'chest x-ray')).toEqual([{ exam: EXAMS[0], chosen: { region: 'chest' } }]);
  });

  it('puts names before values and groups', () => {
    expect(findExams(EXAMS, 'card').map(({ exam }) => exam.name)).toEqual(['cardiac_enzyme', 'ecg']);
  });

  it('gives everything for nothing and nothing for nonsense', () => {
    expect(findExams(EXAMS, '  ')).toHaveLength(3);
    expect(findExams(EXAMS, 'tricorder')).toHaveLength(0);
  });
});

describe('searching diagnoses', () => {
  it('finds by synonym and without accents', () => {
    expect(findDiseases(DISEASES, 'heart att')).toEqual([{ name: 'Acute coronary syndrome', synonym: 'Heart attack' }]);
    expect(findDiseases(DISEASES, 'meniere')[0]?.name).toBe('Ménière disease');
  });

  it('puts a whole synonym before a name that only has the word', () => {
    const diseases = [
      { name: 'Gastroenteritis', synonyms: ['Stomach flu'], system: '' },
      { name: 'Influenza', synonyms: ['Flu'], system: '' },
    ];
    expect(findDiseases(diseases, 'flu').map(({ name }) => name)).toEqual(['Influenza', 'Gastroenteritis']);
  });
});
