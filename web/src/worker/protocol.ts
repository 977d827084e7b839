/** What the page can ask of the worker: one entry a request, arguments and result. */
import type { AgentInfo, Arguments, CallPrice, CaseFile, CodeInfo, ImportedCase, Settings, View, Welcome } from './types';

export interface Requests {
  welcome: { args: []; result: Welcome };
  freshSeed: { args: []; result: string };
  start: { args: [settings: Settings, imported: ImportedCase | null]; result: View };
  open: { args: [code: string]; result: View };
  inspect: { args: [code: string]; result: CodeInfo };
  startAgain: { args: [code: string]; result: View };
  send: { args: [message: string]; result: View };
  order: { args: [tool: string, args: Arguments]; result: View };
  diagnose: { args: [diagnosis: string]; result: View };
  fork: { args: [turns: number]; result: View };
  price: { args: [tool: string, args: Arguments]; result: CallPrice };
  /** The parts of a diagnosis that name no disease of the clinic. */
  unmatchedDiagnoses: { args: [diagnosis: string]; result: readonly string[] };
  readCases: { args: [text: string]; result: CaseFile };
  loadAgent: { args: [page: string]; result: AgentInfo };
  agentTurn: { args: []; result: View };
}

export type Method = keyof Requests;

export interface Request<M extends Method = Method> {
  readonly id: number;
  readonly method: M;
  readonly args: Requests[M]['args'];
}

export interface TypedError {
  readonly code: string;
  readonly message: string;
}

export type Response =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: TypedError };
