/** The encounter of this tab, so that a reload does not lose it. */

const KEY = 'workup.encounter';

interface Kept {
  /** The address the encounter belongs to. */
  readonly address: string;
  readonly code: string;
}

/** Remembers the encounter; a storage that is full or forbidden is no reason to stop. */
export function keepEncounter(address: string, code: string): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ address, code } satisfies Kept));
  } catch {
    // The encounter still goes on; only a reload would begin anew.
  }
}

/** The code of the encounter that was under way at this address. */
export function keptEncounter(address: string): string | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Partial<Kept> | null;
    return kept?.address === address && typeof kept.code === 'string' ? kept.code : null;
  } catch {
    return null;
  }
}
