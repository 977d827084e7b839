/** Finding exams and diagnoses by what people type. */
import type { Disease, Exam } from './worker/types';

export interface ExamHit {
  readonly exam: Exam;
  /** Values that the words named: `troponin` finds the cardiac marker with it chosen. */
  readonly chosen: Readonly<Record<string, string>>;
}

/** Exams in which every word is found: in name, label, group or a parameter's value. Best first, else in catalogue order. */
export function findExams(exams: readonly Exam[], query: string): readonly ExamHit[] {
  const wanted = wordsOf(query);
  if (wanted.length === 0) return exams.map((exam) => ({ exam, chosen: {} }));
  const scored = exams.flatMap((exam) => {
    const hit = match(exam, wanted);
    return hit === undefined ? [] : [hit];
  });
  scored.sort((a, b) => b.score - a.score);
  return scored.map(({ exam, chosen }) => ({ exam, chosen }));
}

function match(exam: Exam, wanted: readonly string[]): (ExamHit & { score: number }) | undefined {
  const named = [...wordsOf(exam.name), ...wordsOf(exam.label)];
  const grouped = wordsOf(exam.group);
  const chosen: Record<string, string> = {};
  let score = 0;
  for (const word of wanted) {
    if (named.some((name) => name.startsWith(word))) {
      score += 3;
    } else if (choose(exam, word, chosen)) {
      score += 2;
    } else if (grouped.some((name) => name.startsWith(word))) {
      score += 1;
    } else {
      return undefined;
    }
  }
  return { exam, chosen, score };
}

/** Chooses the first value that `word` names in a parameter that is still open. */
function choose(exam: Exam, word: string, chosen: Record<string, string>): boolean {
  for (const { name, values } of exam.parameters) {
    if (chosen[name] !== undefined && wordsOf(chosen[name]).some((part) => part.startsWith(word))) return true;
    const value = values.find((value) => wordsOf(value).some((part) => part.startsWith(word)));
    if (value !== undefined && chosen[name] === undefined) {
      chosen[name] = value;
      return true;
    }
  }
  return false;
}

export interface DiseaseHit {
  readonly name: string;
  /** The synonym that was found, when it was not the name. */
  readonly synonym: string | null;
}

/** Diseases whose name or a synonym has every word; whole names first, then those that begin with the words. */
export function findDiseases(diseases: readonly Disease[], query: string): readonly DiseaseHit[] {
  const wanted = wordsOf(query);
  const fits = (text: string) => wanted.every((word) => wordsOf(text).some((part) => part.startsWith(word)));
  const hits = diseases.flatMap(({ name, synonyms }): (DiseaseHit & { rank: number })[] => {
    const ranked = [name, ...synonyms].filter(fits).map((text) => ({ text, rank: rankOf(text, query) }));
    const best = ranked.reduce<(typeof ranked)[number] | undefined>((best, other) => (best === undefined || other.rank < best.rank ? other : best), undefined);
    return best === undefined ? [] : [{ name, synonym: fits(name) ? null : best.text, rank: best.rank }];
  });
  hits.sort((a, b) => a.rank - b.rank || a.name.localeCompare(b.name));
  return hits.map(({ name, synonym }) => ({ name, synonym }));
}

function rankOf(text: string, query: string): number {
  const [whole, wanted] = [wordsOf(text).join(' '), wordsOf(query).join(' ')];
  if (whole === wanted) return 0;
  return whole.startsWith(wanted) ? 1 : 2;
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{Mark}/gu, '')
    .split(/[^\p{Letter}\p{Number}]+/u)
    .filter((word) => word !== '');
}
