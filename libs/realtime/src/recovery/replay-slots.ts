import { FairSlots } from '@carillon/runtime';
import type { Subscriber } from '../subscriber/subscriber.js';

/** Concurrent replays of one connection, besides a resume. */
const AT_ONCE = 2;

/**
 * Bounds the replays of one connection in memory: each is read, sent and released before the next one begins. At most
 * as many wait as the connection has channels.
 */
export class ReplaySlots {
  readonly #slots = new FairSlots({
    atOnce: Infinity,
    atOncePerOwner: AT_ONCE,
    waitingPerOwner: Infinity,
  });

  /** Number of running replays of the connection. */
  running({ id }: Pick<Subscriber, 'id'>): number {
    return this.#slots.runningOf(id);
  }

  run<Value>({ id }: Pick<Subscriber, 'id'>, work: () => Promise<Value>): Promise<Value> {
    return this.#slots.run(id, work);
  }
}
