/** What the page knows and can do: one encounter, its settings, what went wrong last. */
import { DEFAULT_STATE, settingsOf, stateOf, withAskedTraits, type PlaygroundState } from './state';
import { keepEncounter, keptEncounter } from './storage';
import { decodeState, encodeState } from './url';
import { ClinicError, startClinic, type ClinicClient } from './worker/client';
import type { AgentInfo, Arguments, CaseFile, ImportedCase, View, Welcome } from './worker/types';

export interface Notice {
  readonly text: string;
  readonly kind: 'info' | 'error';
  /** A way out, when there is one. */
  readonly action?: { readonly label: string; run(): void };
}

/** What the page reads and changes of its surroundings; tests of the session need no browser. */
export interface Surroundings {
  address(): string;
  replaceAddress(address: string): void;
}

export class Session {
  readonly #clinic: ClinicClient;
  readonly #surroundings: Surroundings;
  readonly #running = new Set<Promise<unknown>>();
  #visits: Promise<void> = Promise.resolve();

  welcome = $state.raw<Welcome | null>(null);
  view = $state.raw<View | null>(null);
  settings = $state.raw<PlaygroundState>(DEFAULT_STATE);
  imported = $state.raw<ImportedCase | null>(null);
  busy = $state(false);
  notice = $state.raw<Notice | null>(null);
  /** Whether the differential is shown before the learner has committed. */
  live = $state(false);
  agent = $state.raw<AgentInfo | null>(null);
  /** Whether the agent is to play on by itself. */
  agentPlays = $state(false);

  readonly ended = $derived(this.view?.tally.ended ?? false);

  constructor(surroundings: Surroundings, clinic: ClinicClient = startClinic()) {
    this.#surroundings = surroundings;
    this.#clinic = clinic;
  }

  /** Loads the clinic and the encounter that the address asks for. */
  async begin(): Promise<void> {
    this.welcome = await this.#try(() => this.#clinic.call('welcome'));
    if (this.welcome !== null) await this.visit();
  }

  /** Opens what the address asks for now, once what is under way has ended; several visits come one after the other. */
  visit(): Promise<void> {
    this.agentPlays = false;
    this.#visits = this.#visits.then(() => this.#visitNow());
    return this.#visits;
  }

  async #visitNow(): Promise<void> {
    await this.ready();
    const address = this.#surroundings.address();
    const { state, ignored } = decodeState(address);
    this.settings = { ...state, code: null };
    const code = keptEncounter(address) ?? state.code;
    if (code === null || !(await this.#open(code))) {
      const notice = this.notice;
      await this.start(this.settings);
      this.notice ??= notice;
    }
    if (ignored.length > 0) {
      this.notice = { kind: 'error', text: `The link has parts that are not understood and were left out: ${ignored.join(', ')}.` };
    }
  }

  async #open(code: string): Promise<boolean> {
    try {
      this.#show(await this.#track(() => this.#clinic.call('open', code)));
      this.imported = null;
      return true;
    } catch (error) {
      const failure = asClinicError(error);
      const mismatch = failure.code === 'engine_mismatch' || failure.code === 'knowledge_mismatch';
      const notice: Notice = { kind: 'error', text: `This link cannot be replayed here (${failure.code}). ${sentence(failure.message.replace(`${failure.code}: `, ''))}` };
      const action = { label: 'Same seed in today’s clinic', run: () => void this.startAgain(code) };
      this.notice = mismatch ? { ...notice, action } : notice;
      return false;
    }
  }

  /** Starts the scenario of a code in this clinic, without its actions. */
  async startAgain(code: string): Promise<void> {
    this.agentPlays = false;
    await this.ready();
    await this.#perform(() => this.#clinic.call('startAgain', code));
  }

  /** Starts a case under these settings, once what is under way has ended; a seed that is null becomes a fresh one. */
  async start(settings: PlaygroundState, imported: ImportedCase | null = null): Promise<boolean> {
    this.agentPlays = false;
    await this.ready();
    return this.#perform(async () => {
      const seed = settings.seed ?? (await this.#clinic.call('freshSeed'));
      const view = await this.#clinic.call('start', settingsOf(settings, seed), imported);
      this.imported = imported;
      this.settings = settings;
      return view;
    });
  }

  send(message: string): Promise<boolean> {
    return this.#perform(() => this.#clinic.call('send', message));
  }

  order(tool: string, args: Arguments): Promise<boolean> {
    return this.#perform(() => this.#clinic.call('order', tool, args));
  }

  diagnose(diagnosis: string): Promise<boolean> {
    return this.#perform(() => this.#clinic.call('diagnose', diagnosis));
  }

  /** Goes back to just after turn `turns`, on a line of its own. */
  async fork(turns: number): Promise<void> {
    this.agentPlays = false;
    if (await this.#perform(() => this.#clinic.call('fork', turns))) {
      const place = turns === 0 ? 'the beginning' : `just after turn ${turns}`;
      this.notice = { kind: 'info', text: `You are back at ${place}. Same patient, same noise: try another way.` };
    }
  }

  price(tool: string, args: Arguments) {
    return this.#clinic.call('price', tool, args);
  }

  unmatchedDiagnoses(diagnosis: string) {
    return this.#clinic.call('unmatchedDiagnoses', diagnosis);
  }

  /** The cases of a file; null when reading it failed, which the notice then says. */
  readCases(file: File): Promise<CaseFile | null> {
    return this.#try(async () => this.#clinic.call('readCases', await file.text()));
  }

  /** A seed nobody has used; null when there is none to be had, which the notice then says. */
  freshSeed(): Promise<string | null> {
    return this.#try(() => this.#clinic.call('freshSeed'));
  }

  /** The address that replays this encounter. */
  link(): string {
    const code = this.view?.code ?? null;
    return encodeState({ ...DEFAULT_STATE, code }, this.#surroundings.address()).href;
  }

  async loadAgent(): Promise<void> {
    this.agent = await this.#try(() => this.#clinic.call('loadAgent', new URL('.', this.#surroundings.address()).href));
  }

  agentTurn(): Promise<boolean> {
    return this.#perform(() => this.#clinic.call('agentTurn'));
  }

  /** Lets the agent play until the end, or until somebody stops it. */
  async agentToTheEnd(): Promise<void> {
    this.agentPlays = true;
    while (this.agentPlays && !this.ended && (await this.agentTurn()));
    this.agentPlays = false;
  }

  async #perform(action: () => Promise<View>): Promise<boolean> {
    if (this.busy) return false;
    this.notice = null;
    const view = await this.#try(action);
    if (view !== null) this.#show(view);
    return view !== null;
  }

  async #try<T>(action: () => Promise<T>): Promise<T | null> {
    try {
      return await this.#track(action);
    } catch (error) {
      this.notice = { kind: 'error', text: sentence(asClinicError(error).message) };
      return null;
    }
  }

  /** Does something during which the page is busy. */
  async #track<T>(action: () => Promise<T>): Promise<T> {
    this.busy = true;
    const doing = action();
    this.#running.add(doing);
    try {
      return await doing;
    } finally {
      this.#running.delete(doing);
      this.busy = this.#running.size > 0;
    }
  }

  /** Waits until nothing is under way. */
  async ready(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  #show(view: View): void {
    this.view = view;
    this.settings = withAskedTraits(stateOf(view.opening.settings), this.settings);
    if (!view.opening.imported) {
      this.#surroundings.replaceAddress(encodeState(this.settings, this.#surroundings.address()).href);
    }
    keepEncounter(this.#surroundings.address(), view.code);
  }
}

function asClinicError(error: unknown): ClinicError {
  return error instanceof ClinicError ? error : new ClinicError({ code: 'failed', message: String(error) });
}

/** An error's words as a sentence. */
function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
