import type { LeaveCause } from '../port.js';
import type { Ledger } from './ledger.js';
import { END_OF_LEASE, holding, LEFTOVER, type Operation, type Result } from './operation.js';
import { type Intent, lasting, type Shard } from './shard.js';

/** What leases need of time. */
export type LeaseTime = Pick<Ledger, 'after' | 'graceMs' | 'nowMs' | 'saidAgainMs'>;

/** What leases need of their surroundings. */
export interface SubjectLeasesParts {
  readonly time: LeaseTime;
  /** Where their ends go; asked anew each time. */
  readonly shard: () => Shard;
  /** Whether this process holds something of the subject, which leaves nothing for a lease to end. */
  readonly isHeld: (subject: string) => boolean;
  /** Nobody has come: the subject is gone for all nodes. */
  readonly removed: (subject: string, cause: LeaveCause, result: Result) => void;
  /** Leases that run, over all that share it. */
  readonly count: { count: number };
}

/** What this process knew of a subject when it gave it back, for a store that loses it. */
export type Remembered = Pick<Operation, 'cameBy' | 'payload'>;

interface Running {
  readonly cause: LeaveCause;
  readonly remembered: Remembered | null;
  readonly endsAtMs: number;
  readonly cancel: () => void;
}

/** Timers of the platform end at once beyond this; a lease that is not over then begins another one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Subjects of a shard that this process was the last to hold and that stay for a while, unless somebody comes. */
export class SubjectLeases {
  readonly #running = new Map<string, Running>();

  constructor(private readonly parts: SubjectLeasesParts) {}

  get size(): number {
    return this.#running.size;
  }

  get subjects(): Iterable<string> {
    return this.#running.keys();
  }

  /** Why it was given back; of what this process knows nothing, that it is a leftover. */
  cause(subject: string): LeaveCause {
    return this.#running.get(subject)?.cause ?? LEFTOVER;
  }

  /** What was known of it then; null: nothing. */
  remembered(subject: string): Remembered | null {
    return this.#running.get(subject)?.remembered ?? null;
  }

  /**
   * How long the subject is to stay when the last of it is given back. A store that may have lost others' part keeps it
   * until they have said so: else it would be gone and come again, although it was there all the time.
   */
  keeping(subject: string, wantedMs = 0): Pick<Operation, 'leaseMs' | 'lostMs'> {
    const { graceMs, nowMs, saidAgainMs } = this.parts.time;
    const { endsAtMs = nowMs } = this.#running.get(subject) ?? {};
    const leaseMs = Math.max(wantedMs, endsAtMs - nowMs, graceMs);
    return { leaseMs, lostMs: Math.max(leaseMs, saidAgainMs) };
  }

  /** Whether there is nothing but a lease to end, of a subject not held here of which the store says this. */
  isToEnd(subject: string, stored: number | undefined): boolean {
    // What the store has lost is to be kept; else another process has ended the lease.
    const isOver = stored === undefined && this.parts.time.graceMs === 0;
    return stored === 0 || (isOver && this.#running.has(subject));
  }

  /** The store has begun one. Takes the place of one that runs. */
  begin(subject: string, ms: number, cause: LeaveCause, remembered: Remembered | null = null): void {
    this.end(subject);
    const { time, shard, count } = this.parts;
    count.count += 1;
    const cancel = time.after(Math.min(ms, LONGEST_TIMER_MS), () => shard().add(this.ending(subject)));
    this.#running.set(subject, { cause, remembered, endsAtMs: time.nowMs + ms, cancel });
  }

  /** Somebody came, or it is over. */
  end(subject: string): void {
    const running = this.#running.get(subject);
    if (running === undefined) return;
    running.cancel();
    this.#running.delete(subject);
    this.parts.count.count -= 1;
  }

  /** Ends the lease in the store, if it is over and the subject still hangs on it. */
  ending(subject: string): Intent {
    return lasting(
      subject,
      () => (this.parts.isHeld(subject) ? null : holding(subject, END_OF_LEASE)),
      (result) => this.#ended(subject, result),
    );
  }

  #ended(subject: string, result: Result): void {
    const { outcome, leaseMs } = result;
    const [cause, remembered] = [this.cause(subject), this.remembered(subject)];
    this.end(subject);
    if (outcome === 'early') this.begin(subject, leaseMs, cause, remembered);
    else if (outcome === 'removed') this.parts.removed(subject, cause, result);
  }
}
