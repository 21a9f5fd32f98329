import type { Followable, Followed } from './followed.js';

const LOOK_MS = 50;
/** When the next look comes later than this, the process has not had the time meanwhile. */
const LATE_LOOK_MS = 100;

/**
 * Channels of which something is missing, or not known, and the clock of those who wait for it: looked at again and again
 * until nothing is missing. Time in which this process stood still does not count: whoever was asked did not have it.
 */
export class Unsettled<Record extends Followable> {
  readonly #channels = new Set<Followed<Record>>();
  #looking: NodeJS.Timeout | null = null;
  #lookedAtMs = 0;
  #stoodStillMs = 0;

  /** `look` sees to what is missing of one channel now. */
  constructor(
    private readonly look: (one: Followed<Record>, nowMs: number) => void,
    private readonly clockMs: () => number = () => performance.now(),
  ) {}

  get nowMs(): number {
    return this.clockMs() - this.#stoodStillMs;
  }

  /** Says anew whether something of the channel is missing. */
  settle(one: Followed<Record>): void {
    if (!one.order.needsHead && one.order.gap === null) {
      this.#channels.delete(one);
      return;
    }
    this.#channels.add(one);
    if (this.#looking !== null) return;
    this.#lookedAtMs = this.nowMs;
    this.#looking = setInterval(() => this.#lookAtAll(), LOOK_MS).unref();
  }

  forget(one: Followed<Record>): void {
    this.#channels.delete(one);
  }

  stop(): void {
    if (this.#looking !== null) clearInterval(this.#looking);
    this.#channels.clear();
  }

  #lookAtAll(): void {
    if (this.#channels.size === 0 && this.#looking !== null) {
      clearInterval(this.#looking);
      this.#looking = null;
    }
    this.#stoodStillMs += Math.max(0, this.nowMs - this.#lookedAtMs - LATE_LOOK_MS);
    const { nowMs } = this;
    this.#lookedAtMs = nowMs;
    for (const one of this.#channels) {
      this.look(one, nowMs);
      this.settle(one);
    }
  }
}
