/** Runs the tasks of one key one after another, and those of different keys concurrently. */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<void>>();

  run<Answer>(key: string, task: () => Promise<Answer>): Promise<Answer> {
    const run = (this.#tails.get(key) ?? Promise.resolve()).then(task);
    const tail: Promise<void> = run.then(ignore, ignore).then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    this.#tails.set(key, tail);
    return run;
  }
}

const ignore = (): void => undefined;
