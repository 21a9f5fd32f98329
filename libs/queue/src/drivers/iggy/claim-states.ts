import { OffsetRanges } from '../../broker/offset-ranges.js';
import type { ClaimKey, ClaimRecord } from './claim-record.js';

/** Delivery state of a job that is not settled. */
export interface ClaimState {
  /** Null: the job was released. */
  owner: string | null;
  /** Deliveries so far. */
  count: number;
  /** Number of the winning claim. */
  serial: number;
  /** End of the lease, in the time of the server. */
  untilMs: number;
}

/** Offsets of the job and of the first record about it. */
interface Mention {
  readonly offset: number;
  readonly log: number;
}

/** Effect of a record. */
export interface Applied {
  /** Claims of the record that won. */
  readonly won: readonly ClaimKey[];
  /** Its renewals, settlements and releases that were in time. */
  readonly accepted: readonly ClaimKey[];
  /** Jobs that can be claimed again. */
  readonly released: readonly number[];
}

/**
 * Delivery states of the jobs of a queue, computed from its claims log. The log has one order and the server's time, so
 * that all workers that read it compute the same states and agree on the owner of a job, without consumer groups.
 */
export class ClaimStates {
  readonly #states = new Map<number, ClaimState>();
  readonly #settled = new OffsetRanges();
  #mentions: Mention[] = [];
  #low = 0;
  /** Offset of the next record. */
  #next: number;

  /** @param start offset of the first record that is applied */
  constructor(start: number) {
    this.#next = start;
  }

  /** Every job below it is settled. */
  get low(): number {
    return this.#low;
  }

  /** Offset of the next record to apply. */
  get next(): number {
    return this.#next;
  }

  /** Offset of the record from which the present states can be computed again. */
  get start(): number {
    return this.#mentions[0]?.log ?? this.#next;
  }

  get size(): number {
    return this.#states.size;
  }

  of(offset: number): ClaimState | undefined {
    return this.#states.get(offset);
  }

  isSettled(offset: number): boolean {
    return offset < this.#low || this.#settled.has(offset);
  }

  /** True: a claim at that time of the server wins. */
  isFree(offset: number, nowMs: number): boolean {
    if (this.isSettled(offset)) return false;
    const state = this.#states.get(offset);
    return state === undefined || state.owner === null || state.untilMs < nowMs;
  }

  /** Jobs that were claimed before and can be claimed now. */
  *free(nowMs: number): Generator<number> {
    for (const [offset, { owner, untilMs }] of this.#states)
      if (owner === null || untilMs < nowMs) yield offset;
  }

  /** Records are applied in the order of the log. */
  apply(record: ClaimRecord, log: number, timestampMs: number): Applied {
    this.#next = log + 1;
    this.settleBelow(record.low);
    const won = record.claim.filter((offset) => this.#claim(offset, record, log, timestampMs));
    const renewed = record.renew.filter((key) => this.#renew(key, record, timestampMs));
    const done = record.done.filter((key) => this.#settle(key, record));
    const released = record.release.filter((key) => this.#release(key, record));
    return {
      won: won.map((offset) => [offset, this.#states.get(offset)?.serial ?? 0]),
      accepted: [...renewed, ...done, ...released.map(([offset, serial]): ClaimKey => [offset, serial])],
      released: released.map(([offset]) => offset),
    };
  }

  /** The records of the log that are no records of claims. */
  skip(log: number): void {
    this.#next = log + 1;
  }

  /** Deleted jobs count as settled, too. */
  settleBelow(low: number): void {
    if (low <= this.#low) return;
    this.#settled.add(this.#low, low - 1);
    this.#advance();
  }

  #claim(offset: number, { worker, leaseMs }: ClaimRecord, log: number, timestampMs: number): boolean {
    if (!this.isFree(offset, timestampMs)) return false;
    const state = this.#states.get(offset) ?? this.#first(offset, log);
    state.owner = worker;
    state.count += 1;
    state.serial += 1;
    state.untilMs = timestampMs + leaseMs;
    return true;
  }

  #first(offset: number, log: number): ClaimState {
    const state = { owner: null, count: 0, serial: 0, untilMs: 0 };
    this.#states.set(offset, state);
    this.#mentions.push({ offset, log });
    return state;
  }

  #renew(key: ClaimKey, record: ClaimRecord, timestampMs: number): boolean {
    const state = this.#owned(key, record);
    if (state !== null) state.untilMs = timestampMs + record.leaseMs;
    return state !== null;
  }

  #settle(key: ClaimKey, record: ClaimRecord): boolean {
    if (this.#owned(key, record) === null) return false;
    this.#settled.add(key[0]);
    this.#states.delete(key[0]);
    this.#advance();
    return true;
  }

  #release([offset, serial, begun]: ClaimRecord['release'][number], record: ClaimRecord): boolean {
    const state = this.#owned([offset, serial], record);
    if (state === null) return false;
    state.owner = null;
    if (!begun) state.count -= 1;
    return true;
  }

  /** An expired claim stays valid until another one wins. */
  #owned([offset, serial]: ClaimKey, { worker }: ClaimRecord): ClaimState | null {
    const state = this.#states.get(offset);
    return state !== undefined && state.owner === worker && state.serial === serial ? state : null;
  }

  #advance(): void {
    this.#low = this.#settled.takeFrom(this.#low);
    for (const offset of this.#states.keys()) if (offset < this.#low) this.#states.delete(offset);
    const first = this.#mentions.findIndex(({ offset }) => offset >= this.#low);
    if (first !== 0) this.#mentions = first === -1 ? [] : this.#mentions.slice(first);
  }
}
