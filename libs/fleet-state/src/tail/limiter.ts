import { MAX_BYTES_PER_SECOND } from './options.js';
import type { DropReason } from './trace.js';

const SECOND_MS = 1000;

/** Limits of one second. */
export interface TailLimits {
  readonly eventsPerSecond: number;
  readonly bytesPerSecond?: number;
}

/** Counts the events and bytes of the current second and those left out. */
export class TailLimiter {
  #second = -1;
  #events = 0;
  #bytes = 0;
  #dropped: Partial<Record<DropReason, number>> = {};
  #hasDropped = false;

  constructor(
    private readonly limits: TailLimits,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  get hasDropped(): boolean {
    return this.#hasDropped;
  }

  /** Whether an event of this size may pass; counts it either way. */
  admits(bytes: number): boolean {
    const second = Math.floor(this.nowMs() / SECOND_MS);
    if (second !== this.#second) {
      this.#second = second;
      this.#events = 0;
      this.#bytes = 0;
    }
    const { eventsPerSecond, bytesPerSecond = MAX_BYTES_PER_SECOND } = this.limits;
    if (this.#events >= eventsPerSecond) return this.drop('rate');
    if (this.#bytes + bytes > bytesPerSecond) return this.drop('bytes');
    this.#events += 1;
    this.#bytes += bytes;
    return true;
  }

  /** Counts events that were left out. Returns false. */
  drop(reason: DropReason, count = 1): false {
    this.#dropped[reason] = (this.#dropped[reason] ?? 0) + count;
    this.#hasDropped = true;
    return false;
  }

  /** The numbers left out since the last call. */
  takeDropped(): Readonly<Partial<Record<DropReason, number>>> {
    const dropped = this.#dropped;
    this.#dropped = {};
    this.#hasDropped = false;
    return dropped;
  }
}
