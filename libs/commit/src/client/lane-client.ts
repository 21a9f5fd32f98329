import { MAX_COMMIT_BYTES, MAX_COMMIT_RECORDS, type CommitResult } from '@carillon/contract';
import type { HttpErrorCode } from '@carillon/errors';
import { rejected } from '../evaluate/answers.js';
import { Conversation, type ConversationEnd, type ConversationParts } from './conversation.js';
import type { Job } from './job.js';

export interface LaneClientOptions {
  readonly lane: number;
  readonly lanes: number;
  readonly nodeId: string;
}

/** So many records may be without an answer, sent or waiting; more are refused. */
const MAX_OPEN_RECORDS = 4096;

/**
 * The requests of one publisher to one lane. A channel has at most one on its way: what comes meanwhile travels
 * together in the next, in order. Every job is settled by its deadline.
 */
export class LaneClient {
  /** In the order they came, and so in that of their deadlines. */
  readonly #open = new Set<Job>();
  #waiting: Job[] = [];
  #openRecords = 0;
  readonly #busy = new Set<string>();
  #flushing = false;
  #timer: (() => void) | null = null;

  constructor(
    private readonly parts: ConversationParts,
    private readonly options: LaneClientOptions,
  ) {}

  submit(job: Job): void {
    if (this.#openRecords + job.records.length > MAX_OPEN_RECORDS) {
      settleWith(job, 'backpressure');
      return;
    }
    this.#openRecords += job.records.length;
    this.#open.add(job);
    this.#waiting.push(job);
    this.#watchDeadlines();
    this.#flushSoon();
  }

  /** Everything of one tick of the event loop travels together. */
  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      for (let isFull = true; isFull;) isFull = this.#sendNext();
    });
  }

  /**
   * Sends what one request may hold: nothing of a channel that has one on its way, and nothing before an earlier one of
   * its channel. True: more could be sent at once.
   */
  #sendNext(): boolean {
    const jobs: Job[] = [];
    const left: Job[] = [];
    const passed = new Set<string>();
    let [records, bytes, chained, isFull] = [0, 0, false, false];
    for (const job of this.#waiting) {
      if (job.settled) continue;
      const blocked = job.channels.some((channel) => this.#busy.has(channel) || passed.has(channel));
      const fits =
        jobs.length === 0 ||
        (!chained &&
          !job.chain &&
          records + job.records.length <= MAX_COMMIT_RECORDS &&
          bytes + job.bytes <= MAX_COMMIT_BYTES);
      if (blocked || !fits) {
        isFull ||= !blocked;
        for (const channel of job.channels) passed.add(channel);
        left.push(job);
        continue;
      }
      jobs.push(job);
      records += job.records.length;
      bytes += job.bytes;
      chained = job.chain;
    }
    this.#waiting = left;
    if (jobs.length > 0) void this.#converse(jobs);
    return isFull;
  }

  async #converse(jobs: readonly Job[]): Promise<void> {
    const { lane, lanes, nodeId } = this.options;
    for (const { channels } of jobs) for (const channel of channels) this.#busy.add(channel);
    const records = jobs.flatMap((job) => job.records);
    const chain = jobs.some((job) => job.chain);
    const deadlineMs = Math.max(...jobs.map((job) => job.deadlineMs));
    const conversation = new Conversation(
      this.parts,
      { lanes, lane, chain, node_id: nodeId, records },
      deadlineMs,
    );
    this.#settle(jobs, await conversation.end);
    for (const { channels } of jobs) for (const channel of channels) this.#busy.delete(channel);
    if (this.#waiting.length > 0) this.#flushSoon();
  }

  #settle(jobs: readonly Job[], end: ConversationEnd): void {
    const results = new Map(
      end.kind === 'committed' ? end.results.map((result) => [result.pub_id, result]) : [],
    );
    for (const job of jobs) {
      if (job.settled) continue;
      const code = end.kind === 'failed' ? end.code : 'service_unavailable';
      this.#settleJob(
        job,
        job.records.map(({ pub_id: pubId }) => told(results.get(pubId)) ?? rejected(pubId, code)),
      );
    }
    this.#watchDeadlines();
  }

  #settleJob(job: Job, results: readonly CommitResult[]): void {
    this.#open.delete(job);
    this.#openRecords -= job.records.length;
    job.settle(results);
  }

  /** One timer for all: the first that is open is the first that runs out. */
  #watchDeadlines(): void {
    const [first] = this.#open;
    if (first === undefined) {
      this.#timer?.();
      this.#timer = null;
      return;
    }
    if (this.#timer !== null) return;
    const { clock } = this.parts;
    this.#timer = clock.after(Math.max(1, Math.ceil(first.deadlineMs - clock.elapsed())), () => {
      this.#timer = null;
      const now = clock.elapsed();
      for (const job of this.#open) {
        if (job.deadlineMs > now) break;
        if (!job.settled)
          this.#settleJob(
            job,
            job.records.map(({ pub_id: pubId }) => rejected(pubId, 'service_unavailable')),
          );
      }
      this.#watchDeadlines();
    });
  }
}

/** What the publisher is told of a result: that time ran out at the writer is the same as no answer. */
const told = (result: CommitResult | undefined): CommitResult | undefined =>
  result?.status === 'expired' ? undefined : result;

function settleWith(job: Job, code: HttpErrorCode): void {
  job.settle(job.records.map(({ pub_id: pubId }) => rejected(pubId, code)));
}
