import { setImmediate as turn } from 'node:timers/promises';
import type { CommitResult } from '@carillon/contract';
import type { Changes } from '@carillon/history-store';
import { expired, skipped } from '../evaluate/answers.js';
import { type Chain, readArrival } from '../evaluate/arrival.js';
import { Committer, type Settled } from './committer.js';
import { Entry } from './entry.js';
import { HandOver } from './hand-over.js';
import { HandedOver } from './handed-over.js';
import { LaneQueue } from './lane-queue.js';
import type { LaneOptions, LaneParts } from './parts.js';
import { RecentResults } from './recent-results.js';

/** The part of a commit request that a lane is asked with. */
export interface LaneRequest {
  /** Unchecked but for their ids. */
  readonly records: readonly { readonly pub_id: string }[];
  /** What is left of the publisher's time. */
  readonly budgetMs: number;
  /** True: after the first rejected record the rest is skipped. */
  readonly chain: boolean;
}

/** Results in the order of the request, or that nothing of it was taken. */
export type LaneAnswer =
  | { readonly kind: 'committed'; readonly results: readonly CommitResult[] }
  | { readonly kind: 'refused'; readonly code: 'backpressure' }
  /** The lane is closed: it is served by somebody else now, or by nobody. */
  | { readonly kind: 'no_responder' };

const REFUSED: LaneAnswer = { kind: 'refused', code: 'backpressure' };
const CLOSED: LaneAnswer = { kind: 'no_responder' };

/** So many batches may wait to be handed over before the next one is committed. */
const MAX_PENDING_HAND_OVERS = 8;

/**
 * One lane of one writer. What arrives while a transaction runs is the next one: nothing waits for company, and the
 * busier it is the larger its batches are. Requests that come twice are answered once. Every request ends, at the
 * latest when its budget is used up and the transaction of that moment has ended.
 */
export class Lane {
  readonly #queue = new LaneQueue();
  readonly #waiting = new Map<string, Entry>();
  readonly #recent: RecentResults;
  readonly #handedOver = new HandedOver();
  readonly #committer: Committer;
  readonly #handOver: HandOver;
  #running: Promise<void> | null = null;
  #wake: (() => void) | null = null;
  #closed = false;

  constructor(
    private readonly parts: LaneParts,
    private readonly options: LaneOptions,
  ) {
    this.#recent = new RecentResults(parts.clock);
    this.#committer = new Committer(parts, options, this.#handedOver);
    this.#handOver = new HandOver(parts, options, this.#handedOver);
  }

  /** How many records wait for the next transaction. */
  get depth(): number {
    return this.#queue.length;
  }

  async submit({ records, budgetMs, chain: chained }: LaneRequest): Promise<LaneAnswer> {
    const isFull = this.#queue.length + records.length > this.options.queueCapacity;
    if (this.#closed || isFull) {
      const fresh = records.filter(({ pub_id: pubId }) => !this.#isKnown(pubId)).length;
      if (fresh > 0 && this.#closed) return CLOSED;
      if (fresh > 0 && this.#queue.length + fresh > this.options.queueCapacity) return REFUSED;
    }
    const arrivedMs = this.parts.clock.elapsed();
    const deadlineMs = arrivedMs + budgetMs;
    const chain: Chain | null = chained ? { broken: false } : null;
    let ended = false;
    const results = records.map((record) => {
      if (ended) return skipped(record.pub_id);
      const accepted = this.#accept(record, { arrivedMs, deadlineMs }, chain);
      // What comes before it in the chain is not to suffer from a record that cannot be read.
      ended = chained && !(accepted instanceof Promise) && accepted.status === 'rejected';
      return accepted;
    });
    this.#start();
    return {
      kind: 'committed',
      results: await Promise.all(results.map((result) => Promise.resolve(result))),
    };
  }

  /** After the lane was taken over: whatever the writer before did not hand over is sent again. */
  resendTail(): Promise<void> {
    return this.#handOver.resendTail();
  }

  /** Refuses what is new, finishes what is queued and hands it over. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#running !== null) await this.#running;
    await this.#handOver.close();
  }

  #isKnown(pubId: string): boolean {
    return this.#waiting.has(pubId) || this.#recent.find(pubId) !== undefined;
  }

  #accept(
    record: { readonly pub_id: string },
    { arrivedMs, deadlineMs }: { readonly arrivedMs: number; readonly deadlineMs: number },
    chain: Chain | null,
  ): Promise<CommitResult> | CommitResult {
    const waiting = this.#waiting.get(record.pub_id);
    if (waiting !== undefined) {
      waiting.deadlineMs = Math.max(waiting.deadlineMs, deadlineMs);
      return waiting.done;
    }
    const recent = this.#recent.find(record.pub_id);
    if (recent !== undefined) return recent;
    const read = readArrival(record, chain);
    if (!read.ok) return read.result;
    const entry = new Entry(read.arrival, arrivedMs, deadlineMs);
    this.#waiting.set(entry.pubId, entry);
    this.#queue.push(entry);
    this.parts.events.arrived(read.arrival.record);
    return entry.done;
  }

  #start(): void {
    this.#wake?.();
    if (this.#running !== null || this.#queue.length === 0) return;
    this.#running = this.#run().finally(() => {
      this.#running = null;
      this.#start();
    });
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      // Records of one turn of the event loop travel together, and with those that publishers held back until the last
      // batch was answered.
      await turn();
      const now = this.parts.clock.elapsed();
      for (const entry of this.#queue.takeExpired(now)) this.#answer(entry, expired(entry.pubId));
      const batch = this.#queue.take(now);
      if (batch.length === 0) await this.#untilSomethingMayBeTaken(now);
      else await this.#commit(batch);
    }
  }

  async #commit(batch: readonly Entry[]): Promise<void> {
    const back: Entry[] = [];
    const handingOver: Promise<void>[] = [];
    const { clock, events } = this.parts;
    const begunMs = clock.elapsed();
    for (const { arrivedMs } of batch) events.waited(begunMs - arrivedMs);
    await this.#committer.commit(batch, (settled, changes) => {
      back.push(...settled.filter(({ verdict }) => verdict.result === null).map(({ entry }) => entry));
      const decided = settled.filter(({ verdict }) => verdict.result !== null);
      markBroken(decided);
      if (changes === null) this.#answerAll(decided);
      else handingOver.push(this.#handOverThenAnswer(decided, changes));
    });
    if (back.length > 0) this.#queue.putBack(back, clock.elapsed());
    if (this.#handOver.pending > MAX_PENDING_HAND_OVERS) await Promise.all(handingOver);
  }

  async #handOverThenAnswer(decided: readonly Settled[], changes: Changes): Promise<void> {
    await this.#handOver.batch(decided, changes);
    this.#answerAll(decided);
  }

  #answerAll(decided: readonly Settled[]): void {
    for (const { entry, verdict } of decided)
      if (verdict.result !== null) this.#answer(entry, verdict.result);
  }

  #answer(entry: Entry, result: CommitResult): void {
    this.#recent.add(result);
    const { clock, events } = this.parts;
    events.answered(entry.arrival.record, result, clock.elapsed() - entry.arrivedMs);
    this.#waiting.delete(entry.pubId);
    entry.answer(result);
  }

  /** Until a stream that is held is asked for again, or something new arrives. */
  #untilSomethingMayBeTaken(nowMs: number): Promise<void> {
    return new Promise((done) => {
      const stop = this.parts.clock.after(Math.max(1, (this.#queue.nextHeldMs() ?? nowMs) - nowMs), () =>
        this.#wake?.(),
      );
      this.#wake = () => {
        stop();
        this.#wake = null;
        done();
      };
    });
  }
}

/** What comes later of a chain is skipped, in whichever batch. */
function markBroken(decided: readonly Settled[]): void {
  for (const { entry, verdict } of decided) {
    if (verdict.result?.status === 'rejected' && entry.arrival.chain !== null)
      entry.arrival.chain.broken = true;
  }
}
