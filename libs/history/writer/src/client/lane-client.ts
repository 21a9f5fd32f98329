import { MAX_COMMIT_BYTES, MAX_COMMIT_RECORDS } from '@carillon/contracts';
import { Conversation, type ConversationEnd, type ConversationParts } from './conversation.js';
import type { Job } from './job.js';
import { OpenJobs } from './open-jobs.js';

export interface LaneClientOptions {
  readonly lane: number;
  readonly lanes: number;
  readonly nodeId: string;
}

/**
 * Requests of one publisher to one lane. A channel has at most one request in flight; later records are coalesced
 * into the next one, in order. Every job is settled by its deadline.
 */
export class LaneClient {
  readonly #open: OpenJobs;
  #waiting: Job[] = [];
  readonly #busy = new Set<string>();
  #flushing = false;

  constructor(
    private readonly parts: ConversationParts,
    private readonly options: LaneClientOptions,
  ) {
    this.#open = new OpenJobs(parts.clock);
  }

  submit(job: Job): void {
    if (!this.#open.add(job)) return;
    this.#waiting.push(job);
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
   * Sends one request with as many jobs as it may hold: none of a channel with a request in flight, and none before
   * an earlier one of its channel. Returns whether another request could be sent immediately.
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
    if (end.kind === 'failed') {
      for (const job of jobs) this.#open.fail(job, end.code, end.text);
      return;
    }
    const results = new Map(end.results.map((result) => [result.pub_id, result]));
    for (const job of jobs) this.#open.answer(job, (pubId) => results.get(pubId));
  }
}
