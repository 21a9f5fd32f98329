/** Serializes work by name within this process, so that its own commits do not conflict with each other. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work when all earlier work of the name has ended. Settles as the work does. */
  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name);
    const own = before === undefined ? work() : before.then(work, work);
    const ended = own.catch(() => undefined);
    this.#last.set(name, ended);
    try {
      return await own;
    } finally {
      if (this.#last.get(name) === ended) this.#last.delete(name);
    }
  }
}
