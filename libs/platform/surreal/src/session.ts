import type { RecordId, RecordIdRange } from 'surrealdb';
import { Connection, type Library } from './connection.js';
import { failureOf } from './classify.js';
import { retryConflicts } from './conflicts.js';
import {
  SurrealConflict,
  SurrealMisconfigured,
  SurrealQueryFailed,
  SurrealThrown,
  SurrealUnavailable,
} from './failures.js';
import { addressOf, type SurrealSettings } from './settings.js';

const NAMED = [
  SurrealConflict,
  SurrealMisconfigured,
  SurrealQueryFailed,
  SurrealThrown,
  SurrealUnavailable,
] as const;

/** Parts of a record id whose id is an array. */
export type IdParts = readonly (string | readonly never[])[];

/**
 * A session on SurrealDB. Connects at the first request and again after a loss, each time with a new sign-in. No request
 * is repeated: requests in flight when the connection was lost reject with `SurrealUnavailable`.
 */
export class SurrealSession {
  #connection: Promise<Connection> | null = null;
  #isClosed = false;

  /** @param timeoutMs limit of a connection attempt, and of a request without a signal */
  constructor(
    private readonly library: Library,
    private readonly settings: SurrealSettings,
    private readonly timeoutMs: number,
  ) {
    addressOf(settings);
  }

  /** Connects unless connected. */
  async connect(signal: AbortSignal = this.#limit()): Promise<void> {
    await this.#named(signal, async () => {});
  }

  /** Executes statements; resolves with the result of each. Values are bound, never placed in the text. */
  query(
    text: string,
    bindings: Record<string, unknown> = {},
    signal: AbortSignal = this.#limit(),
  ): Promise<unknown[]> {
    return this.#named(signal, (connection) => connection.query(text, bindings, signal));
  }

  /**
   * Executes one statement, or one block of statements, and repeats it while it conflicts with other transactions,
   * until the signal aborts. Bindings are created for each attempt.
   */
  transaction(
    text: string,
    bindings: () => Record<string, unknown>,
    signal: AbortSignal = this.#limit(),
  ): Promise<unknown[]> {
    return retryConflicts(() => this.query(text, bindings(), signal), signal);
  }

  /** Rejects unless the server reports that it is healthy. */
  health(signal: AbortSignal = this.#limit()): Promise<void> {
    return this.#named(signal, (connection) => connection.health(signal));
  }

  recordId(table: string, id: string | IdParts): RecordId {
    return new this.library.RecordId(table, idOf(id));
  }

  /** Returns the ids from `from` (inclusive) to `to` (exclusive). */
  recordRange(table: string, from: string | IdParts, to: string | IdParts): RecordIdRange {
    const { BoundExcluded, BoundIncluded, RecordIdRange: Range } = this.library;
    return new Range(table, new BoundIncluded(idOf(from)), new BoundExcluded(idOf(to)));
  }

  /** Idempotent; no request may follow. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const open = this.#connection;
    this.#connection = null;
    await open?.then(
      (connection) => connection.close(),
      () => {},
    );
  }

  #limit(): AbortSignal {
    return AbortSignal.timeout(this.timeoutMs);
  }

  async #named<Answer>(
    signal: AbortSignal,
    request: (connection: Connection) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await request(await this.#connected(signal));
    } catch (error) {
      throw NAMED.some((type) => error instanceof type) ? error : failureOf(error);
    }
  }

  async #connected(signal: AbortSignal): Promise<Connection> {
    if (this.#isClosed) throw new SurrealUnavailable('the session is closed');
    const opening = (this.#connection ??= this.#open());
    const late = new Promise<never>((_, reject) => {
      const stop = () =>
        reject(new SurrealUnavailable(`SurrealDB at ${addressOf(this.settings).href}: no answer`));
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop, { once: true });
      void opening.finally(() => signal.removeEventListener('abort', stop)).catch(() => {});
    });
    return Promise.race([opening, late]);
  }

  #open(): Promise<Connection> {
    const opening = Connection.open(this.library, this.settings, this.timeoutMs);
    const forget = () => {
      if (this.#connection === opening) this.#connection = null;
    };
    void watch(opening, forget);
    return opening;
  }
}

const idOf = (id: string | IdParts) => (typeof id === 'string' ? id : [...id]);

/** Calls back when the connection is lost, or was not opened. Never rejects. */
async function watch(opening: Promise<Connection>, onLost: () => void): Promise<void> {
  try {
    const { lost } = await opening;
    if (lost.aborted) onLost();
    else lost.addEventListener('abort', onLost, { once: true });
  } catch {
    onLost();
  }
}

/** Returns a session that connects at its first request. Loads the client library. */
export async function openSurreal(settings: SurrealSettings, timeoutMs: number): Promise<SurrealSession> {
  return new SurrealSession(await import('surrealdb'), settings, timeoutMs);
}
