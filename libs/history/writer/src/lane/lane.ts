import type { CommitResult } from '@carillon/contracts';
import type { Stream } from '@carillon/history-store';
import { skipped } from '../evaluate/answers.js';
import { type Chain, readArrival } from '../evaluate/arrival.js';
import { Entry, type EntryLane, type Settled } from './entry.js';
import { FanOutAfterCommit } from './fan-out-after-commit.js';
import { HandedOver } from './handed-over.js';
import { KnownRecords } from './known-records.js';
import type { LaneOptions, LaneParts } from './parts.js';

/** The part of a commit request that a lane is asked with. */
export interface LaneRequest {
  /** Unchecked but for their ids. */
  readonly records: readonly { readonly pub_id: string }[];
  /** Remaining time budget of the publisher. */
  readonly budgetMs: number;
  /** True: after the first rejected record the rest is skipped. */
  readonly chain: boolean;
}

/** Results in the order of the request, or that nothing of it was taken. */
export type LaneAnswer =
  | { readonly kind: 'committed'; readonly results: readonly CommitResult[] }
  | { readonly kind: 'refused'; readonly code: 'backpressure' }
  /** The lane is closed: another writer serves it, or none. */
  | { readonly kind: 'no_responder' };

const REFUSED: LaneAnswer = { kind: 'refused', code: 'backpressure' };
const CLOSED: LaneAnswer = { kind: 'no_responder' };

/** Limit of batches waiting for fan-out before further commits. */
const MAX_PENDING_HAND_OVERS = 8;

/**
 * One lane of one writer: accepts records, which the commit loop of the process commits; then fans them out in order
 * and answers. Duplicate requests are answered once. Every request ends at the latest when its budget is used up and
 * the current transaction has ended.
 */
export class Lane implements EntryLane {
  readonly handedOver = new HandedOver();
  queued = 0;
  readonly #known: KnownRecords;
  /** Number of unanswered records. */
  #waiting = 0;
  readonly #handOver: FanOutAfterCommit;
  /** Null: open. */
  #closing: Promise<void> | null = null;
  /** Called when no records are waiting any longer. */
  #emptied: () => void = () => {};

  constructor(
    private readonly parts: LaneParts,
    private readonly options: LaneOptions,
  ) {
    this.#known = new KnownRecords(parts.clock);
    this.#handOver = new FanOutAfterCommit(parts, options, this.handedOver);
  }

  get isBehind(): boolean {
    return this.#handOver.pending > MAX_PENDING_HAND_OVERS;
  }

  async submit({ records, budgetMs, chain: chained }: LaneRequest): Promise<LaneAnswer> {
    const isFull = this.queued + records.length > this.options.queueCapacity;
    const isClosed = this.#closing !== null;
    if (isClosed || isFull) {
      const fresh = records.filter(({ pub_id: pubId }) => !this.#isKnown(pubId)).length;
      if (fresh > 0 && isClosed) return CLOSED;
      if (fresh > 0 && this.queued + fresh > this.options.queueCapacity) return REFUSED;
    }
    const arrivedMs = this.parts.clock.elapsed();
    const deadlineMs = arrivedMs + budgetMs;
    const chain: Chain | null = chained ? { broken: false } : null;
    let ended = false;
    const accepted = records.map((record) => {
      if (ended) return skipped(record.pub_id);
      const result = this.#accept(record, { arrivedMs, deadlineMs }, chain);
      // Earlier records of the chain must not fail because of a later invalid one.
      ended = chained && !(result instanceof Promise) && result.status === 'rejected';
      return result;
    });
    const results: CommitResult[] = [];
    // Mostly there is one, and one after another costs no more: none of them can reject.
    for (const result of accepted) results.push(result instanceof Promise ? await result : result);
    return { kind: 'committed', results };
  }

  /** After the lane was taken over, resends records that the previous writer did not fan out. */
  resendTail(): Promise<void> {
    return this.#handOver.resendTail();
  }

  settled(settled: readonly Settled[], streams: readonly Stream[] | null): void {
    if (streams === null) this.#answerAll(settled);
    else void this.#handOverThenAnswer(settled, streams);
  }

  /** Refuses new records, finishes queued ones and fans them out. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    await new Promise<void>((emptied) => {
      this.#emptied = emptied;
      this.#tellEmptied();
    });
    await this.#handOver.close();
  }

  #tellEmptied(): void {
    if (this.#waiting === 0) this.#emptied();
  }

  #isKnown(pubId: string): boolean {
    return this.#known.find(pubId) !== null;
  }

  #accept(
    record: { readonly pub_id: string },
    { arrivedMs, deadlineMs }: { readonly arrivedMs: number; readonly deadlineMs: number },
    chain: Chain | null,
  ): Promise<CommitResult> | CommitResult {
    const known = this.#known.find(record.pub_id);
    if (known instanceof Entry) {
      known.deadlineMs = Math.max(known.deadlineMs, deadlineMs);
      return known.done;
    }
    if (known !== null) return known;
    const read = readArrival(record, chain);
    if (!read.ok) return read.result;
    const entry = new Entry(this, read.arrival, arrivedMs, deadlineMs);
    this.#known.add(entry);
    this.#waiting += 1;
    this.parts.events.arrived(read.arrival.record);
    this.parts.loop.push(entry);
    return entry.done;
  }

  async #handOverThenAnswer(settled: readonly Settled[], streams: readonly Stream[]): Promise<void> {
    await this.#handOver.batch(settled, streams);
    this.#answerAll(settled);
    if (this.#handOver.pending === MAX_PENDING_HAND_OVERS) this.parts.loop.beginSoon();
  }

  #answerAll(settled: readonly Settled[]): void {
    for (const { entry, verdict } of settled)
      if (verdict.result !== null) this.#answer(entry, verdict.result);
    this.#tellEmptied();
  }

  #answer(entry: Entry, result: CommitResult): void {
    const { clock, events } = this.parts;
    events.answered(entry.arrival.record, result, clock.elapsed() - entry.arrivedMs);
    this.#waiting -= 1;
    if (result.status === 'expired' && entry.isUncertain) this.#handOver.doubt(entry.arrival.stream);
    this.#known.answered(result);
    entry.answer(result);
  }
}
