import { nextTick } from 'node:process';
import { expired, verdict } from '../evaluate/answers.js';
import { CommitQueue } from './commit-queue.js';
import { Committer } from './committer.js';
import type { Entry } from './entry.js';
import type { LoopOptions, LoopParts } from './parts.js';

/** So many batches are in the database at one time: while it works for one, the next gathers. */
const MAX_BATCHES = 2;
/** So many records beside them that go through a whole stream: nobody else should wait for that. */
const MAX_ALONE = 4;

/**
 * Commits what comes to the lanes of a process. What arrives while transactions run is the next one: nothing waits for
 * company, and the busier it is the larger batches are. All lanes share them, since most of what a small one costs is
 * its own beginning and end. A stream is in one at a time.
 */
export class CommitLoop {
  readonly #queue = new CommitQueue();
  readonly #committer: Committer;
  #batches = 0;
  #alone = 0;
  #isDue = false;
  /** Nothing is begun before, on the monotonic clock: the store took nothing. */
  #notBeforeMs = 0;
  /** Waits for the first moment at which something is begun that is not begun now. */
  #stopWaiting: () => void = () => {};

  constructor(
    private readonly parts: LoopParts,
    options: LoopOptions,
  ) {
    this.#committer = new Committer(parts, options);
  }

  push(entry: Entry): void {
    this.#queue.push(entry);
    this.beginSoon();
  }

  /** Begins what can be begun, once all has come that this turn of the event loop brings. */
  beginSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#begin();
    });
  }

  #begin(): void {
    const nowMs = this.parts.clock.elapsed();
    for (const entry of this.#queue.takeExpired(nowMs))
      entry.lane.settled([{ entry, verdict: verdict(expired(entry.pubId)) }], null);
    const mayBegin = nowMs >= this.#notBeforeMs;
    if (mayBegin) this.#take(nowMs);
    this.#waitFor(mayBegin ? this.#queue.nextHeldMs : this.#notBeforeMs, nowMs);
  }

  #take(nowMs: number): void {
    while (this.#alone < MAX_ALONE) {
      const alone = this.#queue.takeAlone(nowMs);
      if (alone.length === 0) break;
      this.#alone += 1;
      void this.#commit(alone).then(() => (this.#alone -= 1));
    }
    while (this.#batches < MAX_BATCHES) {
      const batch = this.#queue.take(nowMs);
      if (batch.length === 0) break;
      this.#batches += 1;
      void this.#commit(batch).then(() => (this.#batches -= 1));
    }
  }

  async #commit(entries: readonly Entry[]): Promise<void> {
    const { clock, events } = this.parts;
    const begunMs = clock.elapsed();
    for (const { arrivedMs } of entries) events.waited(begunMs - arrivedMs);
    const later = await this.#committer.commit(entries);
    const laterMs = clock.elapsed() + later.pauseMs;
    this.#queue.bring(entries, later.entries, laterMs);
    if (later.forAll) this.#notBeforeMs = laterMs;
    // Behind the publishers who are answered now, and who held something back until then.
    nextTick(() => this.beginSoon());
  }

  #waitFor(atMs: number, nowMs: number): void {
    this.#stopWaiting();
    if (atMs < Infinity)
      this.#stopWaiting = this.parts.clock.after(Math.max(1, atMs - nowMs), () => this.beginSoon());
  }
}
