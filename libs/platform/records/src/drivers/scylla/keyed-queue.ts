/** Runs the tasks of one key one after another, and those of different keys concurrently. */
export class KeyedQueue {
  /** The last task of each key that has unfinished ones. */
  readonly #last = new Map<string, Promise<unknown>>();

  async run<Answer>(key: string, task: () => Promise<Answer>): Promise<Answer> {
    const before = this.#last.get(key);
    const run = before === undefined ? task() : before.then(task, task);
    this.#last.set(key, run);
    try {
      return await run;
    } finally {
      if (this.#last.get(key) === run) this.#last.delete(key);
    }
  }
}
