import { FairSlots } from '@carillon/runtime';
import type { Subscriber } from '../subscriber/subscriber.js';

/** Replays that are read and told to one connection at one time, beside a resume. */
const AT_ONCE = 2;

/**
 * Bounds the replays that one connection has in memory: each is read, told and forgotten before the next one of the
 * connection begins. As many wait as the connection has channels.
 */
export class ReplaySlots {
  readonly #slots = new FairSlots({
    atOnce: Infinity,
    atOncePerOwner: AT_ONCE,
    waitingPerOwner: Infinity,
  });

  /** Replays of the connection that run now. */
  running({ id }: Pick<Subscriber, 'id'>): number {
    return this.#slots.runningOf(id);
  }

  run<Value>({ id }: Pick<Subscriber, 'id'>, work: () => Promise<Value>): Promise<Value> {
    return this.#slots.run(id, work);
  }
}
