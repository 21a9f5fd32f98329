import type { Session, SessionListener, Wire } from './wire.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/**
 * Growth of the reconnect delay: delays add about a fifth to an outage, and a short outage ends before clients are
 * disconnected.
 */
const PAUSE_GROWTH = 1.2;
/** Interval of liveness checks of an idle session, and the limit of a check. */
const CHECK_EVERY_MS = 2000;
const CHECK_WITHIN_MS = 5000;

/** The pause before an attempt to connect again; the first attempt after a loss is number 1. */
const reconnectPauseMs = (attempt: number): number =>
  Math.min(FIRST_PAUSE_MS * PAUSE_GROWTH ** (attempt - 1), LONGEST_PAUSE_MS);

/** Receives state changes of the link. All methods are called synchronously. */
export interface LinkListener {
  opened(session: Session, isFirst: boolean): void;
  /** The session is over, and another will follow. It may have been of no use for some time already. */
  lost(reason: string, sinceMs: number): void;
  /** No session could be had; another attempt follows unless the link gives up. */
  failed(reason: string, givesUp: boolean): void;
  message(address: string, bytes: Uint8Array): void;
  dropped(addresses: readonly string[]): void;
}

/** Keeps a session with the broker: at once, then again and again with pauses that grow from 500 ms to 10 s. */
export class Link {
  #session: Session | null = null;
  #problem = 'not connected yet';
  /** Attempts since there was a session. */
  #attempts = 0;
  #opened = 0;
  #closed = false;
  #timer: NodeJS.Timeout | null = null;

  /** @param maxAttempts attempts after which it gives up a lost connection; null: never */
  constructor(
    private readonly wire: Wire,
    private readonly listener: LinkListener,
    private readonly maxAttempts: number | null = null,
  ) {}

  get session(): Session | null {
    return this.#session;
  }

  /** Reason for the missing session; null while connected. */
  get problem(): string | null {
    return this.#session === null ? this.#problem : null;
  }

  start(): void {
    void this.#attempt();
  }

  /** Ends a session that does not work as it should; the next one follows. Ignored for one that is over. */
  fail(session: Session, reason: string): void {
    if (this.#session === session) this.#lose(session, reason);
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#problem = 'closed';
    if (this.#timer !== null) clearTimeout(this.#timer);
    const session = this.#session;
    this.#session = null;
    await session?.close();
  }

  async #attempt(): Promise<void> {
    const own: { session: Session | null; isLost: boolean } = { session: null, isLost: false };
    const current = (): boolean => own.session !== null && own.session === this.#session;
    const listener: SessionListener = {
      message: (address, bytes) => current() && this.listener.message(address, bytes),
      dropped: (addresses) => current() && this.listener.dropped(addresses),
      lost: (reason) => {
        own.isLost = true;
        if (own.session !== null && current()) this.#lose(own.session, reason);
      },
    };
    try {
      own.session = await this.wire.open(listener);
    } catch (error) {
      this.#retry(reasonOf(error));
      return;
    }
    if (this.#closed) await closeQuietly(own.session);
    else if (own.isLost) this.#retry('the connection was closed');
    else this.#accept(own.session);
  }

  #accept(session: Session): void {
    this.#session = session;
    this.#attempts = 0;
    this.#opened += 1;
    this.#watch(session);
    this.listener.opened(session, this.#opened === 1);
  }

  #lose(session: Session, reason: string, sinceMs = 0): void {
    this.#session = null;
    void closeQuietly(session);
    this.listener.lost(reason, sinceMs);
    this.#again(reason);
  }

  #retry(reason: string): void {
    if (this.#closed) return;
    this.#again(reason);
    this.listener.failed(reason, this.#timer === null);
  }

  /** Arranges the next attempt, unless there have been enough of them. */
  #again(reason: string): void {
    this.#problem = `not connected: ${reason}`;
    this.#attempts += 1;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const isGivenUp = this.#opened > 0 && this.maxAttempts !== null && this.#attempts > this.maxAttempts;
    if (isGivenUp) this.#problem = `given up after ${this.maxAttempts} attempts: ${reason}`;
    else this.#timer = setTimeout(() => void this.#attempt(), reconnectPauseMs(this.#attempts));
  }

  /** Checks the session periodically: a dead connection may go unnoticed otherwise. */
  #watch(session: Session): void {
    this.#timer = setTimeout(() => void this.#checkNow(session), CHECK_EVERY_MS);
  }

  async #checkNow(session: Session): Promise<void> {
    const late = setTimeout(() => {
      if (this.#session === session)
        this.#lose(session, `no answer in ${CHECK_WITHIN_MS} ms`, CHECK_WITHIN_MS);
    }, CHECK_WITHIN_MS);
    try {
      await session.check();
      if (this.#session === session) this.#watch(session);
    } catch (error) {
      this.fail(session, reasonOf(error));
    } finally {
      clearTimeout(late);
    }
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown');

async function closeQuietly(session: Session): Promise<void> {
  await session.close().catch(() => undefined);
}
