import type { LoopShare } from '@carillon/runtime';
import type { Told } from '../appends/told.js';

/** Facts of one audience that may wait. */
export const MOST_DEFERRED = 256;
/** Facts that are told in one go when their order demands it; with more, the audience is closed instead. */
const MOST_AT_ONCE = 16;

export interface DeferredParts {
  readonly share: LoopShare;
  readonly appId: string;
  /** Tells the audience one of them. */
  readonly tell: (told: Told) => void;
  /** The audience is too far behind: what waits was dropped. */
  readonly overflow: () => void;
}

/**
 * Facts for one audience whose filter has to be evaluated in a later turn of the event loop, in the order in which they
 * came. Everything that follows for the audience waits behind them.
 */
export class DeferredMessages {
  #waiting: Told[] = [];
  #isRunning = false;

  constructor(private readonly parts: DeferredParts) {}

  get size(): number {
    return this.#waiting.length;
  }

  add(told: Told): void {
    if (this.#waiting.length >= MOST_DEFERRED) return this.#overflow();
    this.#waiting.push(told);
    if (!this.#isRunning) void this.#run();
  }

  /** Tells everything now, because a subscriber begins or ceases to receive. */
  flush(): void {
    if (this.#waiting.length > MOST_AT_ONCE) return this.#overflow();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const told of waiting) this.parts.tell(told);
  }

  async #run(): Promise<void> {
    const { share, appId, tell } = this.parts;
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const turn = share.turn(appId);
      if (turn !== undefined) await turn;
      const next = this.#waiting.shift();
      if (next !== undefined) tell(next);
    }
    this.#isRunning = false;
  }

  #overflow(): void {
    this.#waiting = [];
    this.parts.overflow();
  }
}
