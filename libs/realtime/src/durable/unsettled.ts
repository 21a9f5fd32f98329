import type { Followable, Followed } from './followed.js';

const LOOK_MS = 50;
/** A check that is later than this shows that the process was suspended or blocked. */
const LATE_LOOK_MS = 100;

/**
 * Channels with missing records or an unknown position, checked periodically until nothing is missing, with a clock
 * for their timeouts. Time in which this process was suspended does not count, since responses could not arrive.
 */
export class Unsettled<Record extends Followable> {
  readonly #channels = new Set<Followed<Record>>();
  #looking: NodeJS.Timeout | null = null;
  #lookedAtMs = 0;
  #stoodStillMs = 0;

  /** `look` handles missing records of one channel now. */
  constructor(
    private readonly look: (one: Followed<Record>, nowMs: number) => void,
    private readonly clockMs: () => number = () => performance.now(),
  ) {}

  get nowMs(): number {
    return this.clockMs() - this.#stoodStillMs;
  }

  /** Re-evaluates whether records of the channel are missing. */
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
