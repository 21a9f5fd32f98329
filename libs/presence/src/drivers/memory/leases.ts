import type { Lease } from '../../transitions.js';
import type { PresenceClock } from '../../clock.js';
import { LeaseQueue } from './lease-queue.js';

/** Leases ended per event-loop turn: after many connections are lost at once, sockets are served in between. */
const ENDED_PER_TURN = 1000;
/** Timers of the platform end at once beyond this. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

interface Timer {
  /** The end it was set for. */
  readonly endsAtMs: number;
  readonly cancel: () => void;
}

/** The leases of a process, on one timer set for the one that ends first. */
export class Leases {
  readonly #queue = new LeaseQueue();
  #timer: Timer | null = null;

  /** `onEnd` gets every lease that was not cancelled, once, after its time; it must not throw. */
  constructor(
    private readonly clock: PresenceClock,
    private readonly onEnd: (lease: Lease) => void,
  ) {}

  get size(): number {
    return this.#queue.size;
  }

  begin(lease: Lease): void {
    this.#queue.add(lease);
    this.#arm();
  }

  /** One that has ended is ignored. */
  cancel(lease: Lease): void {
    if (this.#queue.remove(lease) && this.#queue.size === 0) this.#disarm();
  }

  /** Cancels all leases. */
  clear(): void {
    this.#queue.clear();
    this.#disarm();
  }

  #endDue(): void {
    this.#timer = null;
    const nowMs = this.clock.now();
    for (let ended = 0; ended < ENDED_PER_TURN; ended += 1) {
      const { first } = this.#queue;
      if (first === undefined || first.endsAtMs > nowMs) break;
      this.#queue.remove(first);
      this.onEnd(first);
    }
    this.#arm();
  }

  /**
   * Arms the timer for the first lease. A timer that fires too early finds nothing and is rearmed, so a cancelled
   * lease costs no timer.
   */
  #arm(): void {
    const { first } = this.#queue;
    if (first === undefined || (this.#timer !== null && this.#timer.endsAtMs <= first.endsAtMs)) return;
    this.#disarm();
    const { endsAtMs } = first;
    const delayMs = Math.min(Math.max(0, Math.ceil(endsAtMs - this.clock.now())), LONGEST_DELAY_MS);
    this.#timer = { endsAtMs, cancel: this.clock.after(delayMs, () => this.#endDue()) };
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }
}
