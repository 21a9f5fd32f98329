import type { CommitResult } from '@carillon/contracts';
import type { Stream } from '@carillon/history-store';
import { type Span, startSpan } from '@carillon/tracing';
import type { Verdict } from '../evaluate/answers.js';
import type { Arrival } from '../evaluate/arrival.js';
import type { HandedOver } from './handed-over.js';

/** A record and its decision. */
export interface Settled {
  readonly entry: Entry;
  readonly verdict: Verdict;
}

/** Owner of entries: receives their results. */
export interface EntryLane {
  readonly handedOver: Pick<HandedOver, 'serialOf'>;
  /** Number of waiting entries, maintained by the queue. */
  queued: number;
  /** Whether so much of it waits for fan-out that no further commit may start. */
  readonly isBehind: boolean;
  /** Reports some of its entries and their written streams; null: nothing was committed. */
  settled(settled: readonly Settled[], streams: readonly Stream[] | null): void;
}

/** A record waiting for its commit, with all callers that wait for its result. */
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
