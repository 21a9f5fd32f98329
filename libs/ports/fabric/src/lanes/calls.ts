import type { Heard } from './port.js';

/** So many calls may be without an answer over one session; others are silent at once. */
const MAX_CALLS = 65_536;

const SILENT: Heard = { kind: 'silent' };

interface Call {
  readonly timer: NodeJS.Timeout;
  readonly resolve: (heard: Heard) => void;
  readonly reject: (error: Error) => void;
}

/** Calls that wait for what is heard of them, each by its id until its budget is over. */
export class Calls {
  readonly #calls = new Map<string, Call>();

  has(id: string): boolean {
    return this.#calls.has(id);
  }

  /** @param send is called unless there are too many calls; it may end the call */
  begin(id: string, budgetMs: number, send: () => void): Promise<Heard> {
    if (this.#calls.size >= MAX_CALLS) return Promise.resolve(SILENT);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.end(id, SILENT), budgetMs);
      this.#calls.set(id, { timer, resolve, reject });
      send();
    });
  }

  /** A call that nobody waits for any more is left alone. */
  end(id: string, heard: Heard): void {
    this.#take(id)?.resolve(heard);
  }

  fail(id: string, error: Error): void {
    this.#take(id)?.reject(error);
  }

  /** What is awaited does not come any more. */
  close(): void {
    for (const id of this.#calls.keys()) this.end(id, SILENT);
  }

  #take(id: string): Call | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    clearTimeout(call?.timer);
    return call;
  }
}
