import type { LoopShare } from '@carillon/runtime';
import type { Told } from '../appends/told.js';

/** Limit of waiting facts per audience. */
export const MAX_DEFERRED = 256;

export interface DeferredParts<Opener> {
  readonly share: LoopShare;
  readonly appId: string;
  /** Delivers one of them to the audience. */
  readonly tell: (told: Told) => void;
  /** Opens a subscriber that was added behind earlier facts. */
  readonly open: (subscriber: Opener) => void;
  /** Called when the audience is too far behind: all waiting facts were dropped. */
  readonly overflow: () => void;
}

/** A waiting fact, and the subscribers that begin to receive behind it; null: none does. */
interface Waiting<Opener> {
  readonly told: Told;
  openings: Set<Opener> | null;
}

/**
 * Facts for one audience whose filter has to be evaluated in a later turn of the event loop, in order of arrival.
 * Everything that follows for the audience waits behind them, and so does a new subscriber, which receives only facts
 * that came after it.
 */
export class DeferredMessages<Opener> {
  #waiting: Waiting<Opener>[] = [];
  /** The fact behind which each new subscriber begins. */
  readonly #openings = new Map<Opener, Waiting<Opener>>();
  #isRunning = false;

  constructor(private readonly parts: DeferredParts<Opener>) {}

  get size(): number {
    return this.#waiting.length;
  }

  /** Number of subscribers that do not receive yet. */
  get openings(): number {
    return this.#openings.size;
  }

  add(told: Told): void {
    if (this.#waiting.length >= MAX_DEFERRED) return this.#overflow();
    this.#waiting.push({ told, openings: null });
    if (!this.#isRunning) void this.#run();
  }

  /** Adds a subscriber behind all waiting facts. Returns false if none waits. */
  openBehind(subscriber: Opener): boolean {
    const last = this.#waiting.at(-1);
    if (last === undefined) return false;
    if (this.#openings.has(subscriber)) return true;
    (last.openings ??= new Set()).add(subscriber);
    this.#openings.set(subscriber, last);
    return true;
  }

  /** Whether a subscriber waits to receive. */
  isOpening(subscriber: Opener): boolean {
    return this.#openings.has(subscriber);
  }

  /** Returns the facts that wait for a subscriber of the audience, in order. */
  of(subscriber: Opener): readonly Told[] {
    const opening = this.#openings.get(subscriber);
    const first = opening === undefined ? 0 : this.#waiting.indexOf(opening) + 1;
    return this.#waiting.slice(first).map(({ told }) => told);
  }

  /** Removes a subscriber, so that it receives no waiting messages. */
  leave(subscriber: Opener): void {
    this.#openings.get(subscriber)?.openings?.delete(subscriber);
    this.#openings.delete(subscriber);
  }

  /** Drops all facts: the audience has no subscribers left. */
  clear(): void {
    this.#waiting = [];
    this.#openings.clear();
  }

  async #run(): Promise<void> {
    const { share, appId, tell } = this.parts;
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const turn = share.turn(appId);
      if (turn !== undefined) await turn;
      const next = this.#waiting.shift();
      if (next === undefined) break;
      tell(next.told);
      this.#open(next.openings);
    }
    this.#isRunning = false;
  }

  #open(subscribers: Iterable<Opener> | null): void {
    for (const subscriber of subscribers ?? []) {
      this.#openings.delete(subscriber);
      this.parts.open(subscriber);
    }
  }

  #overflow(): void {
    const opening = [...this.#openings.keys()];
    this.#waiting = [];
    this.parts.overflow();
    this.#open(opening.filter((subscriber) => this.#openings.has(subscriber)));
  }
}
