import { CarillonError } from '../error.js';
import type { Frame } from '../format/frame.js';

/** A sent event that is not yet confirmed. */
export interface Unconfirmed {
  readonly frame: Frame;
  readonly sentMs: number;
  /** The number of times it was resent. */
  readonly again: number;
}

/** The minimum deduplication window of the service: a message resent within it is not published twice. */
const REPEATABLE_MS = 60_000;
/**
 * The limit of resends. A connection may be lost because of what is sent: a frame that is far too large is answered
 * only by closing the connection.
 */
const MAX_AGAIN = 2;

/**
 * The events that a client publishes on one channel. They wait while the channel is not subscribed, up to a limit.
 * After a lost connection, unconfirmed events are resent; ids make that idempotent.
 */
export class Outbox {
  readonly #waiting: Frame[] = [];
  readonly #unconfirmed = new Map<string, Unconfirmed>();
  #lost: readonly Unconfirmed[] = [];

  constructor(private readonly most: number) {}

  /** Throws `disconnected` when the limit of waiting events is reached. */
  wait(frame: Frame): void {
    if (this.#waiting.length >= this.most) {
      throw new CarillonError(`${this.most} events are waiting for the connection already`, {
        channel: frame.channel ?? null,
        reason: 'disconnected',
      });
    }
    this.#waiting.push(frame);
  }

  /** Removes an event, which is neither sent nor sent again. */
  remove(id: string): void {
    const at = this.#waiting.findIndex(({ messageId }) => messageId === id);
    if (at >= 0) this.#waiting.splice(at, 1);
    this.#unconfirmed.delete(id);
    this.#lost = this.#lost.filter(({ frame }) => frame.messageId !== id);
  }

  /** Removes all events. */
  clear(): void {
    this.#waiting.length = 0;
    this.giveUp();
  }

  /** Records a sent event whose echo confirms it. The oldest is dropped if there are too many. */
  sent(one: Unconfirmed): void {
    const id = one.frame.messageId;
    if (id === undefined) return;
    this.#unconfirmed.set(id, one);
    if (this.#unconfirmed.size > this.most) {
      this.#unconfirmed.delete(this.#unconfirmed.keys().next().value ?? '');
    }
  }

  /** The service has shown the message. */
  confirm(id: string | undefined): void {
    if (id !== undefined) this.#unconfirmed.delete(id);
  }

  /** Called when the connection is lost; unconfirmed events may be lost with it. */
  lost(): void {
    this.#lost = [...this.#lost, ...this.#unconfirmed.values()].slice(-this.most);
    this.#unconfirmed.clear();
  }

  /**
   * Returns the events to send now, in order: first those that may have been lost, then the waiting ones. `expired` is called for
   * each lost event that is not sent again.
   */
  take(nowMs: number, expired: (frame: Frame) => void): readonly Unconfirmed[] {
    const isRepeatable = ({ sentMs, again }: Unconfirmed): boolean =>
      nowMs - sentMs < REPEATABLE_MS && again < MAX_AGAIN;
    for (const one of this.#lost) if (!isRepeatable(one)) expired(one.frame);
    const lost = this.#lost.filter(isRepeatable).map((one) => ({ ...one, again: one.again + 1 }));
    this.#lost = [];
    return [...lost, ...this.#waiting.splice(0).map((frame) => ({ frame, sentMs: nowMs, again: 0 }))];
  }

  /** One of them made the service close the connection: none is sent again. */
  giveUp(): void {
    this.#unconfirmed.clear();
    this.#lost = [];
  }
}
