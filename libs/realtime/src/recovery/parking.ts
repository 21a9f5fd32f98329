import type { ResumePosition } from '@carillon/protocol';
import type { Subscriber } from '../subscriber/subscriber.js';
import type { Awaited } from './awaited.js';

/** Time a position waits for its subscription. */
const PARKED_MS = 30_000;
/** Limit of waiting positions per subscriber. */
const MOST = 1000;

/** A waiting position. */
export interface Parked {
  readonly position: ResumePosition;
  /** The resume that waits for its result; null if none does. */
  readonly awaited: Awaited | null;
  readonly untilMs: number;
}

interface Lot {
  readonly parked: Map<string, Parked>;
  timer: NodeJS.Timeout | null;
}

/** Positions received before their subscriptions, for example because the client authorizes subscriptions first. */
export class Parking {
  readonly #lots = new WeakMap<Subscriber, Lot>();

  constructor(
    /** Called with positions whose subscriptions did not arrive in time. */
    private readonly expired: (subscriber: Subscriber, parked: ReadonlyMap<string, ResumePosition>) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Returns false if the limit is reached. */
  park(
    subscriber: Subscriber,
    channel: string,
    position: ResumePosition,
    awaited: Awaited | null = null,
  ): boolean {
    const lot = this.#lots.get(subscriber) ?? { parked: new Map<string, Parked>(), timer: null };
    if (lot.parked.size >= MOST && !lot.parked.has(channel)) return false;
    this.#lots.set(subscriber, lot);
    lot.parked.delete(channel);
    lot.parked.set(channel, { position, awaited, untilMs: this.now() + PARKED_MS });
    this.#wait(subscriber, lot);
    return true;
  }

  /** Removes and returns the position for a channel that is being subscribed; null: none waits. */
  take(subscriber: Subscriber, channel: string): Parked | null {
    const lot = this.#lots.get(subscriber);
    const found = lot?.parked.get(channel);
    if (lot === undefined || found === undefined) return null;
    lot.parked.delete(channel);
    if (lot.parked.size === 0) this.#empty(subscriber, lot);
    return found;
  }

  #wait(subscriber: Subscriber, lot: Lot): void {
    const [first] = lot.parked.values();
    if (first === undefined || lot.timer !== null) return;
    const waitMs = Math.max(1, first.untilMs - this.now());
    lot.timer = setTimeout(() => this.#expire(subscriber, lot), waitMs).unref();
  }

  #expire(subscriber: Subscriber, lot: Lot): void {
    lot.timer = null;
    if (!subscriber.isOpen) return this.#empty(subscriber, lot);
    const over = new Map<string, ResumePosition>();
    for (const [channel, { position, untilMs }] of lot.parked) {
      if (untilMs > this.now()) break;
      over.set(channel, position);
      lot.parked.delete(channel);
    }
    if (lot.parked.size === 0) this.#empty(subscriber, lot);
    else this.#wait(subscriber, lot);
    if (over.size > 0) this.expired(subscriber, over);
  }

  #empty(subscriber: Subscriber, lot: Lot): void {
    if (lot.timer !== null) clearTimeout(lot.timer);
    this.#lots.delete(subscriber);
  }
}
