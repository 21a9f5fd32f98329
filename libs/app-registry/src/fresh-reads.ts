import type { App } from './app.js';

/** Reads of one app start at least this far apart: 4 a second. */
const MIN_INTERVAL_MS = 250;
const MAX_WAITING = 1000;

/**
 * Store reads after a signature that matches no known secret. A caller gets the answer of a read that began after its
 * call, so a secret that the store already holds is never refused; callers share reads, so guessing cannot exhaust the
 * store.
 */
export class FreshReads {
  /** The next read of each app, which has not begun. */
  readonly #pending = new Map<string, Promise<App | null>>();
  readonly #lastMs = new Map<string, number>();
  #waiting = 0;

  /** `now`: monotonic milliseconds. */
  constructor(
    private readonly read: (appId: string) => Promise<App | null>,
    private readonly now: () => number,
  ) {}

  /** Returns undefined immediately when too many callers wait. Rejects as `read` does. */
  of(appId: string): Promise<App | null> | undefined {
    if (this.#waiting >= MAX_WAITING) return undefined;
    const answer = this.#pending.get(appId) ?? this.#next(appId);
    this.#pending.set(appId, answer);
    this.#waiting += 1;
    const leave = (): void => {
      this.#waiting -= 1;
    };
    answer.then(leave, leave);
    return answer;
  }

  async #next(appId: string): Promise<App | null> {
    const waitMs = (this.#lastMs.get(appId) ?? -Infinity) + MIN_INTERVAL_MS - this.now();
    if (waitMs > 0) await new Promise((done) => setTimeout(done, waitMs));
    else await Promise.resolve();
    // Later callers need a read of their own, since this one begins now.
    this.#pending.delete(appId);
    this.#remember(appId);
    return this.read(appId);
  }

  /** Removes apps whose interval has passed, so that the map holds only recently read ones. */
  #remember(appId: string): void {
    const nowMs = this.now();
    this.#lastMs.delete(appId);
    for (const [other, atMs] of this.#lastMs) {
      if (nowMs - atMs < MIN_INTERVAL_MS) break;
      this.#lastMs.delete(other);
    }
    this.#lastMs.set(appId, nowMs);
  }
}
