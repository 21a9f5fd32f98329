import type { CommitResult } from '@carillon/contracts';
import type { HttpErrorCode } from '@carillon/errors';
import type { Clock } from '../clock.js';
import { rejected } from '../evaluate/answers.js';
import type { Job } from './job.js';

/** Limit of unanswered records per lane, sent or waiting; more are refused. */
const MAX_RECORDS = 4096;
/** Settled jobs are compacted once there are this many more of them than open ones. */
const MAX_SETTLED = 32;

/** Jobs of one publisher for one lane that are without an answer. Every one is settled by its deadline. */
export class OpenJobs {
  /**
   * In the order they came, and so in that of their deadlines; among them some that are settled. No set: one that is
   * filled and emptied all the time leaves tables behind that refer to each other, and once the first of them is among
   * the old objects all that was ever open stays until those are collected.
   */
  #jobs: Job[] = [];
  /** Number of open jobs. */
  #size = 0;
  #records = 0;
  #stopTimer: (() => void) | null = null;

  constructor(private readonly clock: Clock) {}

  /** False: there are too many, and this one was refused. */
  add(job: Job): boolean {
    if (this.#records + job.records.length > MAX_RECORDS) {
      job.settle(allRejected(job, 'backpressure'));
      return false;
    }
    this.#records += job.records.length;
    this.#size += 1;
    this.#jobs.push(job);
    this.#watchDeadlines();
    return true;
  }

  /** Answers a job unless its time ran out. For a record whose time ran out at the writer there is no answer. */
  answer(job: Job, resultOf: (pubId: string, index: number) => CommitResult | undefined): void {
    const results = job.records.map(({ pub_id: pubId }, index) => {
      const result = resultOf(pubId, index);
      const isKnown = result !== undefined && result.status !== 'expired';
      return isKnown ? result : rejected(pubId, 'service_unavailable', TOO_LATE);
    });
    this.#settle(job, results);
  }

  /** Answers a job that failed as a whole, unless its time ran out. */
  fail(job: Job, code: HttpErrorCode, text?: string): void {
    this.#settle(job, allRejected(job, code, text));
  }

  #settle(job: Job, results: readonly CommitResult[]): void {
    if (job.settled) return;
    job.settle(results);
    this.#size -= 1;
    this.#records -= job.records.length;
    if (this.#size > 0) {
      if (this.#jobs.length > 2 * this.#size + MAX_SETTLED) this.#jobs = this.#jobs.filter(isOpen);
      return;
    }
    this.#jobs = [];
    this.#stopTimer?.();
    this.#stopTimer = null;
  }

  /** One timer for all: the first that is open is the first that runs out. */
  #watchDeadlines(): void {
    if (this.#stopTimer !== null) return;
    const first = this.#jobs.find(isOpen);
    if (first === undefined) return;
    const waitMs = Math.max(1, Math.ceil(first.deadlineMs - this.clock.elapsed()));
    this.#stopTimer = this.clock.after(waitMs, () => {
      this.#stopTimer = null;
      const nowMs = this.clock.elapsed();
      for (const job of this.#jobs.filter(isOpen)) {
        if (job.deadlineMs > nowMs) break;
        this.fail(job, 'service_unavailable', TOO_LATE);
      }
      this.#watchDeadlines();
    });
  }
}

const isOpen = ({ settled }: Job): boolean => !settled;

const allRejected = ({ records }: Job, code: HttpErrorCode, text?: string): CommitResult[] =>
  records.map(({ pub_id: pubId }) => rejected(pubId, code, text));

const TOO_LATE = 'the history has not confirmed it in time';
