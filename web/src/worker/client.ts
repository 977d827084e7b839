/** The page's side of the worker: a typed call that resolves with the result or rejects with a typed error. */
import type { Method, Request, Requests, Response, TypedError } from './protocol';

export class ClinicError extends Error {
  readonly code: string;

  constructor({ code, message }: TypedError) {
    super(message);
    this.code = code;
  }
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: ClinicError): void;
}

export class ClinicClient {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  /** Set once the worker is lost: nothing would ever answer. */
  #failure: ClinicError | null = null;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<Response>) => this.#settle(data);
    worker.onerror = (event) => this.#fail(event.message);
    worker.onmessageerror = () => this.#fail('an answer of the clinic could not be read');
  }

  call<M extends Method>(method: M, ...args: Requests[M]['args']): Promise<Requests[M]['result']> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#worker.postMessage({ id, method, args } satisfies Request<M>);
    });
  }

  #settle(response: Response): void {
    const waiting = this.#waiting.get(response.id);
    this.#waiting.delete(response.id);
    if ('error' in response) waiting?.reject(new ClinicError(response.error));
    else waiting?.resolve(response.result);
  }

  #fail(message: string): void {
    const error = new ClinicError({ code: 'worker_failed', message: `${message || 'the clinic could not be started'}: reload the page` });
    this.#failure = error;
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

export function startClinic(): ClinicClient {
  return new ClinicClient(new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }));
}
