import type { LoopShare } from '@carillon/runtime';

/** Limit of waiting messages for filtered patterns of one app. */
const MAX_DEFERRED = 256;

/** Delivery of one message: yields before each filter, and returns the number of receivers. */
export type Telling = Generator<void, number>;

/**
 * Delivers messages to the filtered patterns of one app, in order, each over as many turns of the event loop as its
 * filters need.
 */
export class DeferredTelling {
  #waiting: Telling[] = [];
  #isRunning = false;

  constructor(
    private readonly appId: string,
    /** Called when subscribers of filtered patterns are too far behind: all waiting messages were dropped. */
    private readonly overflow: () => void,
  ) {}

  get size(): number {
    return this.#waiting.length;
  }

  /** Returns the number of receivers served immediately. */
  tell(telling: Telling, share: LoopShare): number {
    if (!this.#isRunning) {
      const receivers = advance(telling, share);
      if (receivers !== null) return receivers;
    }
    if (this.#waiting.length >= MAX_DEFERRED) {
      this.#waiting = [];
      this.overflow();
      return 0;
    }
    this.#waiting.push(telling);
    if (!this.#isRunning) void this.#run(share);
    return 0;
  }

  async #run(share: LoopShare): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting[0] !== undefined) {
      const turn = share.turn(this.appId);
      if (turn !== undefined) await turn;
      const [first] = this.#waiting;
      if (first !== undefined && first.next().done === true) this.#waiting.shift();
    }
    this.#isRunning = false;
  }
}

/** Null: the share is used up before the end. */
function advance(telling: Telling, share: LoopShare): number | null {
  for (;;) {
    const step = telling.next();
    if (step.done === true) return step.value;
    if (share.isSpent) return null;
  }
}
