import { nextTick } from 'node:process';
import { expired, verdict } from '../evaluate/answers.js';
import { CommitQueue } from './commit-queue.js';
import { Committer } from './committer.js';
import type { Entry } from './entry.js';
import type { LoopOptions, LoopParts } from './loop-parts.js';

/** A batch that takes longer may be blocked; others no longer wait for it. */
const LONG_MS = 20;
/** Limit of concurrent records that scan a whole stream: ordinary records must not wait for them. */
const MAX_ALONE = 4;

/**
 * Commits the records of all lanes of a process. Records that arrive during a transaction form the next batch (group
 * commit): nothing waits to be batched, and load makes batches larger. A second transaction runs in parallel only if
 * the first takes long or more records wait than fit in one: two small transactions cost more than one of twice the
 * size. All lanes share them, since most of the cost of a small transaction is its begin and commit. A stream is in
 * one transaction at a time.
 */
export class CommitLoop {
  readonly #queue: CommitQueue;
  readonly #committer: Committer;
  /** When the batches were begun that are in the database, on the monotonic clock. */
  readonly #begunMs: number[] = [];
  #alone = 0;
  #isDue = false;
  /** Something was begun at once in this turn of the event loop. */
  #isBegun = false;
  /** Nothing is begun before, on the monotonic clock: the store took nothing. */
  #notBeforeMs = 0;
  /** Waits for the first moment at which something is begun that is not begun now. */
  #stopWaiting: () => void = () => {};

  constructor(
    private readonly parts: LoopParts,
    options: LoopOptions,
  ) {
    this.#queue = new CommitQueue(parts.store.limits);
    this.#committer = new Committer(parts, options);
  }

  push(entry: Entry): void {
    this.#queue.push(entry);
    this.beginSoon();
  }

  /** Starts transactions after the current event-loop turn has delivered all records. */
  beginSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#isBegun = false;
      this.#begin();
    });
  }

  /** Starts the next transaction while the publishers of the last one are answered; once per event-loop turn. */
  #beginAtOnce(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.#begin();
  }

  #begin(): void {
    const nowMs = this.parts.clock.elapsed();
    for (const entry of this.#queue.takeExpired(nowMs))
      entry.lane.settled([{ entry, verdict: verdict(expired(entry.pubId)) }], null);
    const mayBegin = nowMs >= this.#notBeforeMs;
    if (mayBegin) this.#take(nowMs);
    this.#waitFor(mayBegin ? this.#nextMs(nowMs) : this.#notBeforeMs, nowMs);
  }

  #take(nowMs: number): void {
    while (this.#alone < MAX_ALONE) {
      const alone = this.#queue.takeAlone(nowMs);
      if (alone.length === 0) break;
      this.#alone += 1;
      void this.#commit(alone, () => (this.#alone -= 1));
    }
    while (this.#mayBegin(nowMs)) {
      const batch = this.#queue.take(nowMs);
      if (batch.length === 0) break;
      this.#begunMs.push(nowMs);
      void this.#commit(batch, () => this.#begunMs.splice(this.#begunMs.indexOf(nowMs), 1));
    }
  }

  #mayBegin(nowMs: number): boolean {
    const begun = this.#begunMs.length;
    return (
      begun === 0 ||
      (begun < this.parts.store.limits.batches && (this.#queue.isCrowded || this.#longMs <= nowMs))
    );
  }

  /** From when on every batch that is in the database takes long. */
  get #longMs(): number {
    return Math.max(...this.#begunMs) + LONG_MS;
  }

  async #commit(entries: readonly Entry[], ended: () => void): Promise<void> {
    const { clock, events } = this.parts;
    const begunMs = clock.elapsed();
    for (const { arrivedMs } of entries) events.waited(begunMs - arrivedMs);
    const { later, pauseMs, forAll, settle } = await this.#committer.commit(entries);
    const laterMs = clock.elapsed() + pauseMs;
    this.#queue.bring(entries, later, laterMs);
    if (forAll) this.#notBeforeMs = laterMs;
    ended();
    this.#beginAtOnce();
    settle();
    // After the publishers answered now, whose next records may be waiting for their results.
    nextTick(() => this.beginSoon());
  }

  /** Infinite: nothing is begun before something comes or ends. */
  #nextMs(nowMs: number): number {
    const { nextHeldMs, isEmpty } = this.#queue;
    const longMs = isEmpty || this.#longMs <= nowMs ? Infinity : this.#longMs;
    return Math.min(nextHeldMs, longMs);
  }

  #waitFor(atMs: number, nowMs: number): void {
    this.#stopWaiting();
    if (atMs < Infinity)
      this.#stopWaiting = this.parts.clock.after(Math.max(1, atMs - nowMs), () => this.beginSoon());
  }
}
