import { type Clock, inTime } from '../connection/clock.js';

/** A token, or a function that returns a fresh one. */
export type TokenSource = string | (() => Promise<string> | string);

/** Dependencies of the token refresh. */
export interface TokenParts {
  readonly clock: Clock;
  readonly source: TokenSource;
  /** Sends a new token to the service on the current connection. */
  readonly refresh: (token: string) => void;
  readonly onError: (error: unknown) => void;
}

/** A token is refreshed this long before it expires, or in the last tenth of a short lifetime. */
const EARLY_MS = 60_000;
const RETRY_MS = 5000;
/** A source that gives tokens which are about to end is not asked without a pause. */
const SHORTEST_WAIT_MS = 1000;
/** Longer than timers can wait is not waited. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** Returns when a token expires, or null if it does not say. */
export function expiryMs(token: string): number | null {
  try {
    const [, payload = ''] = token.split('.');
    const claims = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { exp?: unknown };
    return typeof claims.exp === 'number' ? claims.exp * 1000 : null;
  } catch {
    return null;
  }
}

/** The capability token of a client: one at a time, replaced before it ends. */
export class Token {
  #token: string | null = null;
  /** The one that is about to be tried is from before: by the service's clock it may have ended. */
  #isKept = false;
  #isRefreshing = false;
  #isWatched = false;
  #stopTimer: () => void = () => undefined;

  constructor(private readonly parts: TokenParts) {}

  /** For a new connection. Rejects as the source does. */
  async current(): Promise<string> {
    this.#isKept = this.#token !== null && !this.#isExpired(EARLY_MS / 2);
    if (!this.#isKept || this.#token === null) this.#token = await this.#fresh();
    return this.#token;
  }

  /** Returns the token for a request, a fresh one if it has expired. Rejects as the source does. */
  async held(): Promise<string> {
    if (this.#token === null || this.#isExpired()) this.#token = await this.#fresh();
    return this.#token;
  }

  /** Whether it expires within this time by the local clock; false without a token. */
  #isExpired(withinMs = 0): boolean {
    const end = this.#token === null ? null : expiryMs(this.#token);
    return end !== null && end <= this.parts.clock.now() + withinMs;
  }

  /** Only a source that gives another one can help a token that has ended. */
  get #isRenewable(): boolean {
    return typeof this.parts.source === 'function';
  }

  /** Called when the service reports the token as expired, regardless of the local clock. */
  ended(): void {
    this.#isKept = true;
    void this.refresh();
  }

  /** The service refused it. True: it may have been too old, and the next connection brings another. */
  renounce(): boolean {
    if (!this.#isRenewable || (!this.#isKept && !this.#isExpired())) return false;
    this.#token = null;
    return true;
  }

  /** The connection is established by the current one. */
  watch(): void {
    this.#isWatched = true;
    this.#isKept = false;
    const end = this.#token === null ? null : expiryMs(this.#token);
    if (end === null || !this.#isRenewable) return;
    const leftMs = end - this.parts.clock.now();
    this.#wait(Math.max(SHORTEST_WAIT_MS, leftMs - Math.min(EARLY_MS, leftMs / 10)));
  }

  /** Called when the connection is lost. */
  rest(): void {
    this.#isWatched = false;
    this.#stopTimer();
  }

  /** Fetches a new token and sends it. Failures are retried until the connection is lost. */
  async refresh(): Promise<void> {
    if (this.#isRefreshing || !this.#isRenewable) return;
    this.#isRefreshing = true;
    try {
      this.#token = await this.#fresh();
      this.parts.refresh(this.#token);
    } catch (error) {
      this.parts.onError(error);
      this.#wait(RETRY_MS);
    } finally {
      this.#isRefreshing = false;
    }
  }

  async #fresh(): Promise<string> {
    const { source, clock } = this.parts;
    return typeof source === 'function' ? inTime(clock, Promise.resolve(source())) : source;
  }

  #wait(ms: number): void {
    this.#stopTimer();
    if (!this.#isWatched) return;
    this.#stopTimer = this.parts.clock.after(Math.min(ms, LONGEST_WAIT_MS), () => void this.refresh());
  }
}
