import type { LeaveCause } from '../port.js';
import type { Ledger } from './ledger.js';
import { END_OF_LEASE, holding, LEFTOVER, type Operation, type Result } from './operation.js';
import { type Intent, lasting, type Shard } from './shard.js';

/** Time operations of leases. */
export type LeaseTime = Pick<Ledger, 'after' | 'graceMs' | 'nowMs' | 'saidAgainMs'>;

/** Dependencies of leases. */
export interface SubjectLeasesParts {
  readonly time: LeaseTime;
  /** Shard that receives lease ends, looked up each time. */
  readonly shard: () => Shard;
  /** Whether this process holds something of the subject, which leaves nothing for a lease to end. */
  readonly isHeld: (subject: string) => boolean;
  /** The lease expired without a new holding: the subject was removed on all nodes. */
  readonly removed: (subject: string, cause: LeaveCause, result: Result) => void;
  /** Leases that run, over all that share it. */
  readonly count: { count: number };
}

/** Subject data known at its release, in case the store loses it. */
export type Remembered = Pick<Operation, 'cameBy' | 'payload'>;

interface Running {
  readonly cause: LeaveCause;
  readonly remembered: Remembered | null;
  readonly endsAtMs: number;
  readonly cancel: () => void;
}

/** Timers of the platform end at once beyond this; a lease that is not over then begins another one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Leases of a shard's subjects that this process was the last to hold: they stay for a while unless held again. */
export class SubjectLeases {
  readonly #running = new Map<string, Running>();

  constructor(private readonly parts: SubjectLeasesParts) {}

  get size(): number {
    return this.#running.size;
  }

  get subjects(): Iterable<string> {
    return this.#running.keys();
  }

  /** Returns the cause of the release; `LEFTOVER` for unknown subjects. */
  cause(subject: string): LeaveCause {
    return this.#running.get(subject)?.cause ?? LEFTOVER;
  }

  /** Returns the subject data known at its release; null: none. */
  remembered(subject: string): Remembered | null {
    return this.#running.get(subject)?.remembered ?? null;
  }

  /**
   * Returns how long the subject stays after its last release. A store that may lack holdings of others keeps it
   * until they are reported again: otherwise it would be removed and added although it was always held.
   */
  keeping(subject: string, wantedMs = 0): Pick<Operation, 'leaseMs' | 'lostMs'> {
    const { graceMs, nowMs, saidAgainMs } = this.parts.time;
    const { endsAtMs = nowMs } = this.#running.get(subject) ?? {};
    const leaseMs = Math.max(wantedMs, endsAtMs - nowMs, graceMs);
    return { leaseMs, lostMs: Math.max(leaseMs, saidAgainMs) };
  }

  /** Whether only a lease remains to be ended, given the stored holding of a subject not held here. */
  isToEnd(subject: string, stored: number | undefined): boolean {
    // The store must keep it if it may have lost holdings; otherwise another process has ended the lease.
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

  /** Cancels a lease after a new holding or its end. */
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
