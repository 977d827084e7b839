/** The lazy package with the network, and the checkpoint it plays with: the one just trained before the shipped one. */
import type { AgentInfo } from './types';

export interface LoadedAgent {
  readonly info: AgentInfo;
  /** The most likely next message of the doctor. */
  nextMessage(transcript: unknown, seed: string): string;
}

interface AgentPackage {
  default(init: { module_or_path: URL }): Promise<unknown>;
  Agent: new (weights: Uint8Array, tokenizer: string) => {
    numParameters(): number;
    nextMessage(transcript: unknown, temperature: number, seed: string): string;
  };
}

interface PolicyConfig {
  readonly stage: string;
  readonly knowledge: string;
  readonly knowledge_digest: string;
}

/** Where an exported policy may lie, seen from the page. */
const FOLDERS = ['fresh/policy/dapo/', 'checkpoint/'];

class NoAgent extends Error {
  readonly code = 'no_agent';
}

export async function loadAgent(page: string): Promise<LoadedAgent> {
  const { folder, config } = await findPolicy(page);
  const read = async (name: string) => fetched(new URL(name, folder));
  const [weights, tokenizer, network] = await Promise.all([read('model.safetensors'), read('tokenizer.json'), loadPackage(page)]);
  const agent = new network.Agent(new Uint8Array(await weights.arrayBuffer()), await tokenizer.text());
  return {
    info: {
      folder: folder.pathname,
      stage: config.stage,
      knowledge: config.knowledge,
      knowledgeDigest: config.knowledge_digest,
      numParameters: agent.numParameters(),
    },
    nextMessage: (transcript, seed) => agent.nextMessage(transcript, 0, seed),
  };
}

async function findPolicy(page: string): Promise<{ folder: URL; config: PolicyConfig }> {
  for (const name of FOLDERS) {
    const folder = new URL(name, page);
    const response = await fetch(new URL('config.json', folder));
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    if (response.ok && isJson) return { folder, config: (await response.json()) as PolicyConfig };
  }
  throw new NoAgent('no trained agent lies beside this page; `cargo xtask demo` trains one');
}

async function loadPackage(page: string): Promise<AgentPackage> {
  const glue = new URL('agent/agent.js', page);
  try {
    const loaded = (await import(/* @vite-ignore */ glue.href)) as AgentPackage;
    await loaded.default({ module_or_path: new URL('agent/agent_bg.wasm', page) });
    return loaded;
  } catch (error) {
    throw new NoAgent(`the network's package is not beside this page; build it: cargo xtask wasm (${String(error)})`);
  }
}

async function fetched(address: URL): Promise<Response> {
  const response = await fetch(address);
  if (!response.ok) throw new NoAgent(`\`${address.pathname}\` is missing: export the checkpoint again`);
  return response;
}
