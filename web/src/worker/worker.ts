/** Owns the clinic, the encounter and the agent. Answers requests one after the other, in order. */
import { loadClinic, type Clinic, type Encounter } from '../wasm';
import { loadAgent, type LoadedAgent } from './agent';
import type { Method, Request, Requests, Response } from './protocol';
import type { View } from './types';

let clinic: Clinic | undefined;
let encounter: Encounter | undefined;
let agent: LoadedAgent | undefined;

type Handlers = { [M in Method]: (...args: Requests[M]['args']) => Promise<Requests[M]['result']> };

const handlers: Handlers = {
  async welcome() {
    const clinic = await theClinic();
    return { identity: clinic.identity(), catalogue: clinic.catalogue(), diseases: clinic.diseases() };
  },
  async freshSeed() {
    const { freshSeed } = await loadClinic();
    return freshSeed();
  },
  async start(settings, imported) {
    return adopt((await theClinic()).start(settings, imported));
  },
  async open(code) {
    return adopt((await theClinic()).open(code));
  },
  async inspect(code) {
    return (await theClinic()).inspect(code);
  },
  async startAgain(code) {
    return adopt((await theClinic()).startAgain(code));
  },
  async send(message) {
    current().send(message);
    return view();
  },
  async order(tool, args) {
    current().order(tool, args);
    return view();
  },
  async diagnose(diagnosis) {
    current().diagnose(diagnosis);
    return view();
  },
  async fork(turns) {
    return adopt(current().forkAt(turns));
  },
  async price(tool, args) {
    return (await theClinic()).price(tool, args);
  },
  async unmatchedDiagnoses(diagnosis) {
    return (await theClinic()).unmatchedDiagnoses(diagnosis);
  },
  async readCases(text) {
    return (await theClinic()).readCases(text);
  },
  async loadAgent(page) {
    agent = await loadAgent(page);
    return agent.info;
  },
  async agentTurn() {
    if (agent === undefined) throw Object.assign(new Error('no agent is loaded'), { code: 'no_agent' });
    const { seed } = view().opening.settings;
    current().send(agent.nextMessage(current().transcript(), seed));
    return view();
  },
};

async function theClinic(): Promise<Clinic> {
  const { Clinic } = await loadClinic();
  clinic ??= new Clinic();
  return clinic;
}

function current(): Encounter {
  if (encounter === undefined) throw Object.assign(new Error('no encounter has begun'), { code: 'no_encounter' });
  return encounter;
}

function adopt(next: Encounter): View {
  encounter?.free();
  encounter = next;
  return view();
}

function view(): View {
  const encounter = current();
  return {
    opening: encounter.opening(),
    turns: encounter.turns(),
    tally: encounter.tally(),
    differential: encounter.differential(),
    debrief: encounter.debrief(),
    code: encounter.code(),
    digest: encounter.digest(),
  };
}

async function answer({ id, method, args }: Request): Promise<Response> {
  try {
    const handler = handlers[method] as (...args: unknown[]) => Promise<unknown>;
    return { id, result: await handler(...args) };
  } catch (error) {
    return { id, error: { code: codeOf(error), message: error instanceof Error ? error.message : String(error) } };
  }
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'failed';
}

let last: Promise<void> = Promise.resolve();
self.onmessage = ({ data }: MessageEvent<Request>) => {
  last = last.then(async () => self.postMessage(await answer(data)));
};
