import type { Frames } from '../codec.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import { CatchUp, type PendingFrames } from './pending-frames.js';

/** The gated subscribers of one channel, each with one gate or several. */
export class Gates {
  readonly #gates = new Set<PendingFrames>();

  get isEmpty(): boolean {
    return this.#gates.size === 0;
  }

  add(gate: PendingFrames): void {
    this.#gates.add(gate);
  }

  delete(gate: PendingFrames): void {
    this.#gates.delete(gate);
  }

  has(subscriber: Subscriber, view: string | undefined): boolean {
    return this.count(view, (one) => one === subscriber) > 0;
  }

  includes(gate: PendingFrames): boolean {
    return this.#gates.has(gate);
  }

  isCatchingUp(subscriber: Subscriber, view: string | undefined): boolean {
    return this.#catchUps(subscriber, view).length > 0;
  }

  /** Moves the catch-up messages of a subscriber to a gate of the same view that begins to hold. */
  absorbInto(gate: PendingFrames): void {
    for (const one of this.#catchUps(gate.subscriber, gate.codec.view)) {
      gate.absorb(one);
      this.#gates.delete(one);
    }
  }

  /** Drops the catch-up messages of a subscriber in some of its views. */
  dropCatchUps(subscriber: Subscriber, views: Iterable<string | undefined>): void {
    for (const view of views) for (const one of this.#catchUps(subscriber, view)) this.#gates.delete(one);
  }

  /** Returns the catch-up messages of a subscriber in one view, in order. */
  untold(subscriber: Subscriber, view: string | undefined): readonly Frames[] {
    return this.#catchUps(subscriber, view).flatMap(({ frames }) => frames);
  }

  #catchUps(subscriber: Subscriber, view: string | undefined): readonly PendingFrames[] {
    return [...this.#gates].filter(
      (one) => one instanceof CatchUp && one.subscriber === subscriber && one.codec.view === view,
    );
  }

  /** Number of gates of this view for subscribers that match. */
  count(view: string | undefined, isSuch: (subscriber: Subscriber) => boolean): number {
    let count = 0;
    for (const { subscriber, codec } of this.#gates)
      count += Number(codec.view === view && isSuch(subscriber));
    return count;
  }

  /** Holds a fact for all gates that want appends whole or not (null: regardless), except excluded ones. */
  hold(frames: Frames, wholes: boolean | null, isLeftOut: (gate: PendingFrames) => boolean): void {
    for (const gate of this.#gates) {
      const isMeant = wholes === null || (gate.codec.appends?.wholes === true) === wholes;
      if (isMeant && !isLeftOut(gate)) gate.hold(frames);
    }
  }
}
