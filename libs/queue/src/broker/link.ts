import type { Logger } from '@carillon/runtime';
import { QueueUnavailable } from '../failures.js';

export interface LinkParts<Session> {
  /** Connects once; calls `lost` when the connection ends. */
  readonly open: (lost: (reason: string) => void) => Promise<Session>;
  readonly close: (session: Session) => Promise<void>;
  /** Limit of consecutive failed attempts; null: unlimited. */
  readonly maxReconnects: number | null;
  /** Called when a connection was lost, and when the next one is established. */
  readonly lost: (reason: string) => void;
  readonly restored: () => void;
}

/** Logs lost and restored connections. */
export const toldTo = (log: Logger): Pick<LinkParts<never>, 'lost' | 'restored'> => ({
  lost: (reason) => log.warn('connection to the broker of the queue is lost', { reason, retryable: true }),
  restored: () => log.info('connection to the broker of the queue is back'),
});

/** Connection to the broker, established on demand and again after a loss. */
export class BrokerLink<Session> {
  #session: Session | null = null;
  #opening: Promise<Session> | null = null;
  #failures = 0;
  /** It was there once. */
  #isKnown = false;
  #isClosed = false;
  readonly #waiting = new Set<(reason: string) => void>();

  constructor(private readonly parts: LinkParts<Session>) {}

  /** Rejects with `QueueUnavailable`. */
  async session(): Promise<Session> {
    if (this.#session !== null) return this.#session;
    this.#opening ??= this.#open().finally(() => (this.#opening = null));
    return this.#opening;
  }

  /** Calls back when the current session ends. @returns a function that cancels it */
  whenLost(told: (reason: string) => void): () => void {
    this.#waiting.add(told);
    return () => this.#waiting.delete(told);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening?.catch(() => undefined);
    if (this.#session !== null) await this.parts.close(this.#session);
  }

  async #open(): Promise<Session> {
    const { open, maxReconnects } = this.parts;
    if (this.#isClosed) throw new QueueUnavailable('closed');
    if (maxReconnects !== null && this.#failures > maxReconnects) {
      throw new QueueUnavailable(`given up after ${maxReconnects} attempts to reconnect`);
    }
    let isOver = false;
    const lost = (reason: string): void => {
      isOver = true;
      this.#lost(reason);
    };
    try {
      const session = await open(lost);
      if (isOver) throw new QueueUnavailable('the connection was lost');
      this.#session = session;
      this.#failures = 0;
      if (this.#isKnown) this.parts.restored();
      this.#isKnown = true;
      return session;
    } catch (error) {
      // Until it was there once, the start decides how long it is tried.
      if (this.#isKnown) this.#failures += 1;
      throw new QueueUnavailable(error instanceof Error ? error.message : 'the broker cannot be reached');
    }
  }

  #lost(reason: string): void {
    if (this.#session === null) return;
    this.#session = null;
    for (const told of this.#waiting) told(reason);
    if (!this.#isClosed) this.parts.lost(reason);
  }
}
