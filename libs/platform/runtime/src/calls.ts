/** Limit of unanswered calls; further ones are silent immediately. */
const MAX_CALLS = 65_536;

interface Call<Answer> {
  readonly timer: NodeJS.Timeout;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** Calls that wait for their answers, each by its id until its budget is over. */
export class Calls<Answer> {
  readonly #calls = new Map<string, Call<Answer>>();

  /** @param silent stands for no answer in time */
  constructor(private readonly silent: Answer) {}

  has(id: string): boolean {
    return this.#calls.has(id);
  }

  /** @param send is called unless there are too many calls; it may end the call */
  begin(id: string, budgetMs: number, send: () => void): Promise<Answer> {
    if (this.#calls.size >= MAX_CALLS) return Promise.resolve(this.silent);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.end(id, this.silent), budgetMs);
      this.#calls.set(id, { timer, resolve, reject });
      send();
    });
  }

  /** Ignores calls that are no longer awaited. */
  end(id: string, answer: Answer): void {
    this.#take(id)?.resolve(answer);
  }

  fail(id: string, error: Error): void {
    this.#take(id)?.reject(error);
  }

  /** Ends all pending calls without an answer. */
  close(): void {
    for (const id of this.#calls.keys()) this.end(id, this.silent);
  }

  #take(id: string): Call<Answer> | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    clearTimeout(call?.timer);
    return call;
  }
}
