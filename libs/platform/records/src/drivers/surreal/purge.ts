import type { SurrealParts } from './parts.js';
import { purgeStatement } from './rows.js';

const ROWS_PER_REQUEST = 500;
/** More wait for the next run. */
const REQUESTS_PER_RUN = 20;

/** Deletes expired rows at intervals: SurrealDB has no expiry of its own. Any number of processes may do it. */
export class Purge {
  #timer: NodeJS.Timeout | null = null;
  #isRunning = false;

  constructor(private readonly parts: Omit<SurrealParts, 'timeoutMs'>) {}

  /** Idempotent. */
  start(): void {
    this.#timer ??= setInterval(() => void this.#run(), this.parts.purgeIntervalMs).unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** Never rejects: failures and conflicts with commits are left to the next run. */
  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { session, table } = this.parts;
    const text = purgeStatement(table);
    try {
      for (let request = 0; request < REQUESTS_PER_RUN; request += 1) {
        const [count] = await session.query(text, { now: Date.now(), limit: ROWS_PER_REQUEST });
        if (count !== ROWS_PER_REQUEST) break;
      }
    } catch {
      // Reads ignore expired rows; calls of the store report the failure of the server.
    } finally {
      this.#isRunning = false;
    }
  }
}
