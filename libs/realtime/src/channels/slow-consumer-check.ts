import type { Outlet } from '../delivery/outlet.js';
import type { Topic } from './topic.js';

/** Receivers are checked after this number of events or bytes. */
const LOOK_EVENTS = 16;
const LOOK_BYTES = 64 * 1024;

/**
 * Periodically checks for subscribers that have fallen behind. A check has a small cost, and the interval bounds the
 * lag in between.
 */
export class SlowConsumerCheck {
  readonly #lookEvents: number;
  #events = 0;
  #bytes = 0;

  constructor(private readonly outlet: Pick<Outlet, 'bounds' | 'slowDown'>) {
    this.#lookEvents = Math.min(LOOK_EVENTS, Math.max(1, Math.floor(outlet.bounds.maxFrames / 4)));
  }

  /** This number of bytes was delivered in one step. */
  told(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Called after each event. */
  look(topics: Iterable<Topic>): void {
    this.#events += 1;
    if (this.#events < this.#lookEvents && this.#bytes < LOOK_BYTES) return;
    this.#events = 0;
    this.#bytes = 0;
    for (const { subscribers } of topics) {
      for (const subscriber of subscribers) if (subscriber.lane === null) this.outlet.slowDown(subscriber);
    }
  }
}
