import type { CommitResult } from '@carillon/contracts';
import type { Stream } from '@carillon/history-store';
import { type Span, startSpan } from '@carillon/tracing';
import type { Verdict } from '../evaluate/answers.js';
import type { Arrival } from '../evaluate/arrival.js';
import type { HandedOver } from './handed-over.js';

/** A record and what became of it. */
export interface Settled {
  readonly entry: Entry;
  readonly verdict: Verdict;
}

/** Whoever brought entries and answers them. */
export interface EntryLane {
  readonly handedOver: Pick<HandedOver, 'serialOf'>;
  /** How many of its entries wait; the queue counts them. */
  queued: number;
  /** So much of it waits to be handed over that nothing more is committed for it. */
  readonly isBehind: boolean;
  /** Told of a part of its entries, with the streams of theirs that were written; null: nothing was committed. */
  settled(settled: readonly Settled[], streams: readonly Stream[] | null): void;
}

/** A record that waits for its commit, and everybody who waits for its result. */
export class Entry {
  readonly done: Promise<CommitResult>;
  /** It was in a batch that got no answer: it may have been committed. */
  isUncertain = false;
  /** From its arrival until it is answered; null while tracing is off. */
  readonly span: Span | null;
  #resolve: (result: CommitResult) => void = () => {};

  constructor(
    readonly lane: EntryLane,
    readonly arrival: Arrival,
    /** On the monotonic clock. */
    readonly arrivedMs: number,
    /** On the monotonic clock: nothing is begun for it from then on. */
    public deadlineMs: number,
  ) {
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.span = startSpan({ name: 'write', kind: 'consumer', parent: arrival.record.trace });
  }

  get pubId(): string {
    return this.arrival.record.pub_id;
  }

  answer(result: CommitResult): void {
    if (result.status === 'rejected') this.span?.fail();
    this.span?.end();
    this.#resolve(result);
  }
}
