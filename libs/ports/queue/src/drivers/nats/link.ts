import type { Connection, NatsAnswer } from '@carillon/nats';
import { QueueUnavailable } from '../../failures.js';

export interface LinkParts {
  readonly dial: () => Promise<Connection>;
  readonly timeoutMs: number;
  /** Attempts in a row after which nobody tries any more; null: for ever. */
  readonly maxReconnects: number | null;
  /** Told of each connection that was lost, and of the next one. */
  readonly lost: (reason: string) => void;
  readonly restored: () => void;
}

/** A way to the server that is there when it is needed: whoever needs it after it was lost connects anew. */
export class NatsLink {
  #connection: Connection | null = null;
  #opening: Promise<Connection> | null = null;
  #failures = 0;
  #isClosed = false;
  readonly #waiting = new Set<(reason: string) => void>();

  constructor(private readonly parts: LinkParts) {}

  /** Rejects with `QueueUnavailable`. */
  async connection(): Promise<Connection> {
    if (this.#connection?.isClosed === false) return this.#connection;
    this.#opening ??= this.#open().finally(() => (this.#opening = null));
    return this.#opening;
  }

  /** Rejects with `QueueUnavailable` when there is no connection or no answer. */
  async ask(subject: string, text: string): Promise<Exclude<NatsAnswer, { kind: 'silent' }>> {
    const connection = await this.connection();
    const answer = await connection.ask(subject, text, this.parts.timeoutMs);
    if (answer.kind === 'silent') throw new QueueUnavailable(`no answer in ${this.parts.timeoutMs} ms`);
    return answer;
  }

  /** Tells when the connection of now is over. @returns ends that */
  whenLost(told: (reason: string) => void): () => void {
    this.#waiting.add(told);
    return () => this.#waiting.delete(told);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening?.catch(() => undefined);
    await this.#connection?.close();
  }

  async #open(): Promise<Connection> {
    const { dial, maxReconnects } = this.parts;
    if (this.#isClosed) throw new QueueUnavailable('closed');
    if (maxReconnects !== null && this.#failures > maxReconnects) {
      throw new QueueUnavailable(`given up after ${maxReconnects} attempts to reconnect`);
    }
    try {
      const isFirst = this.#connection === null;
      const connection = (this.#connection = await dial());
      this.#failures = 0;
      if (!isFirst) this.parts.restored();
      void this.#untilLost(connection);
      return connection;
    } catch (error) {
      // Until it was there once, the start decides how long it is tried.
      if (this.#connection !== null) this.#failures += 1;
      throw new QueueUnavailable(error instanceof Error ? error.message : 'the server cannot be reached');
    }
  }

  async #untilLost(connection: Connection): Promise<void> {
    const reason = await connection.closed;
    for (const told of this.#waiting) told(reason);
    if (!this.#isClosed) this.parts.lost(reason);
  }
}
