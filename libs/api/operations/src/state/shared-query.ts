/** A running query, and the callers of the next one. */
interface Running<Value> {
  next: Promise<Value> | null;
  readonly current: Promise<unknown>;
}

/**
 * Shares equal queries among callers. A caller that comes during a run shares the next run, never the current one,
 * which may have passed state that the caller must see. So there is at most one run per key, and nothing is retained
 * once all are answered.
 */
export class SharedQueries<Value> {
  readonly #running = new Map<string, Running<Value>>();

  /** A run that begins after this call; `query` must be the same for the same key and must not throw. */
  ask(key: string, query: () => Promise<Value>): Promise<Value> {
    const running = this.#running.get(key);
    if (running === undefined) return this.#run(key, query);
    running.next ??= running.current.then(() => this.#run(key, query));
    return running.next;
  }

  #run(key: string, query: () => Promise<Value>): Promise<Value> {
    const answer = query();
    const over = answer.then(
      () => this.#ended(key, running),
      () => this.#ended(key, running),
    );
    const running: Running<Value> = { next: null, current: over };
    this.#running.set(key, running);
    return answer;
  }

  #ended(key: string, running: Running<Value>): void {
    if (running.next === null) this.#running.delete(key);
  }
}
