import { Wheel, type WheelItem } from '@carillon/collections';
import { EXPIRY_GRACE_MS, untilExpiryMs } from '@carillon/auth';
import { TICK_MS } from '../time/tick.js';
import type { Connection } from '../connection/connection.js';

/** A token's end as a thing of a wheel. */
interface End extends WheelItem<End> {
  readonly connection: Connection;
  /** Whether the client was notified and is in its grace period. */
  isTold: boolean;
  /** The tick time of the next action. */
  dueMs: number;
}

/** Callbacks of token expiry. */
export interface TokenEndsObserver {
  expired(connection: Connection): void;
  graceOver(connection: Connection): void;
}

/** Reports expiring tokens, with one timer for all of them. */
export class TokenEnds {
  readonly #wheel = new Wheel<End>((end) => this.#look(end));
  readonly #ends = new Map<Connection, End>();
  readonly #startMs: number;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly observer: TokenEndsObserver,
    private readonly now: () => number = Date.now,
  ) {
    this.#startMs = now();
  }

  start(): void {
    this.#timer ??= setInterval(() => this.turn(), TICK_MS).unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Advances to the current time. */
  turn(): void {
    this.#wheel.advance(this.#tickOf(this.now()));
  }

  /** Schedules the expiry of a connection's token, immediately if it has passed. Replaces an earlier token. */
  follow(connection: Connection, expiresAt: number): void {
    this.forget(connection);
    const nowMs = this.now();
    const dueMs = nowMs + untilExpiryMs({ expiresAt }, nowMs);
    const end: End = { connection, isTold: false, dueMs, dueTick: 0, next: null, previous: null };
    this.#ends.set(connection, end);
    if (dueMs <= nowMs) this.#look(end);
    else this.#wheel.put(end, this.#tickOf(dueMs) + 1);
  }

  forget(connection: Connection): void {
    const end = this.#ends.get(connection);
    if (end === undefined) return;
    this.#wheel.remove(end);
    this.#ends.delete(connection);
  }

  #look(end: End): void {
    const nowMs = this.now();
    if (nowMs < end.dueMs) return this.#wheel.put(end, this.#tickOf(end.dueMs) + 1);
    if (end.isTold) {
      this.#ends.delete(end.connection);
      return this.observer.graceOver(end.connection);
    }
    end.isTold = true;
    end.dueMs = nowMs + EXPIRY_GRACE_MS;
    this.#wheel.put(end, this.#tickOf(end.dueMs) + 1);
    this.observer.expired(end.connection);
  }

  #tickOf(ms: number): number {
    return 1 + Math.floor((ms - this.#startMs) / TICK_MS);
  }
}
