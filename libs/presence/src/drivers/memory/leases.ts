import type { Lease } from '../../transitions.js';
import type { PresenceClock } from './clock.js';

/** After a burst of lost connections many leases end together; sockets get their turn between so many. */
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
  /** In each the order of beginning is that of ending. There are few lengths: one for each protocol. */
  readonly #byLength = new Map<number, Set<Lease>>();
  #size = 0;
  #timer: Timer | null = null;

  /** `onEnd` gets every lease that was not cancelled, once, after its time; it must not throw. */
  constructor(
    private readonly clock: PresenceClock,
    private readonly onEnd: (lease: Lease) => void,
  ) {}

  get size(): number {
    return this.#size;
  }

  begin(lease: Lease): void {
    const sameLength = this.#byLength.get(lease.lengthMs);
    if (sameLength === undefined) this.#byLength.set(lease.lengthMs, new Set([lease]));
    else sameLength.add(lease);
    this.#size += 1;
    this.#arm();
  }

  /** One that has ended is ignored. */
  cancel(lease: Lease): void {
    if (!this.#takeOut(lease)) return;
    if (this.#size === 0) this.#disarm();
  }

  /** None of them ends any more. */
  clear(): void {
    this.#byLength.clear();
    this.#size = 0;
    this.#disarm();
  }

  #takeOut(lease: Lease): boolean {
    const sameLength = this.#byLength.get(lease.lengthMs);
    if (sameLength === undefined || !sameLength.delete(lease)) return false;
    if (sameLength.size === 0) this.#byLength.delete(lease.lengthMs);
    this.#size -= 1;
    return true;
  }

  #first(): Lease | null {
    let first: Lease | null = null;
    for (const [earliest] of this.#byLength.values()) {
      if (earliest !== undefined && (first === null || earliest.endsAtMs < first.endsAtMs)) first = earliest;
    }
    return first;
  }

  #endDue(): void {
    this.#timer = null;
    const nowMs = this.clock.now();
    for (let ended = 0; ended < ENDED_PER_TURN; ended += 1) {
      const lease = this.#first();
      if (lease === null || lease.endsAtMs > nowMs) break;
      this.#takeOut(lease);
      this.onEnd(lease);
    }
    this.#arm();
  }

  /** A timer that is too early stays: it finds nothing to end and is set anew. So cancelling needs no search. */
  #arm(): void {
    const first = this.#first();
    if (first === null || (this.#timer !== null && this.#timer.endsAtMs <= first.endsAtMs)) return;
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
