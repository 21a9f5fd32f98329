import type { Frames } from '../codec.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import type { Gate } from './gate.js';

/** Those of one channel who are held back, by one gate or several. */
export class Gates {
  readonly #gates = new Set<Gate>();

  get isEmpty(): boolean {
    return this.#gates.size === 0;
  }

  add(gate: Gate): void {
    this.#gates.add(gate);
  }

  delete(gate: Gate): void {
    this.#gates.delete(gate);
  }

  has(subscriber: Subscriber): boolean {
    return this.count((one) => one === subscriber) > 0;
  }

  /** How many gates are of such subscribers. */
  count(isSuch: (subscriber: Subscriber) => boolean): number {
    let count = 0;
    for (const { subscriber } of this.#gates) count += Number(isSuch(subscriber));
    return count;
  }

  /** Holds back from all but one who want appends whole or not; null: whatever they want. */
  hold(frames: Frames, except: Subscriber | null, wholes: boolean | null): void {
    for (const gate of this.#gates) {
      const isMeant = wholes === null || (gate.codec.appends?.wholes === true) === wholes;
      if (isMeant && gate.subscriber !== except) gate.hold(frames);
    }
  }
}
