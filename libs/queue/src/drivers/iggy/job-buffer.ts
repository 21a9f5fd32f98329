import { decodeJob } from '../../broker/envelope.js';
import { DueHeap, type Due } from '../memory/due-heap.js';

/** A job that was read and may be claimed. */
export interface ReadJob {
  readonly offset: number;
  readonly text: string;
  readonly writtenAtMs: number;
  /** Delay after it was written. */
  readonly waitMs: number;
}

interface WaitingJob extends Due {
  readonly job: ReadJob;
}

const MAX_READY = 1000;
const MAX_WAITING = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;

export const readJob = (offset: number, text: string, writtenAtMs: number): ReadJob => ({
  offset,
  text,
  writtenAtMs,
  waitMs: decodeJob(text)?.waitMs ?? 0,
});

/** Jobs that were read ahead: those that are ready in the order of the topic, and those that wait for their time. */
export class JobBuffer {
  #ready: ReadJob[] = [];
  readonly #offsets = new Set<number>();
  #waiting = new DueHeap<WaitingJob>();
  #sequence = 0;
  #bytes = 0;

  get isFull(): boolean {
    return this.#ready.length >= MAX_READY || this.#waiting.size >= MAX_WAITING || this.#bytes >= MAX_BYTES;
  }

  get hasSome(): boolean {
    return this.#ready.length > 0 || (this.#waiting.first?.dueMs ?? Infinity) <= Date.now();
  }

  /** Time until the next waiting job is due. Null: none waits. */
  get nextDueMs(): number | null {
    const { first } = this.#waiting;
    return first === undefined ? null : Math.max(0, first.dueMs - Date.now());
  }

  has(offset: number): boolean {
    return this.#offsets.has(offset);
  }

  add(job: ReadJob, dueMs: number): void {
    if (this.#offsets.has(job.offset)) return;
    this.#offsets.add(job.offset);
    this.#bytes += job.text.length;
    this.#sequence += 1;
    if (dueMs <= Date.now()) this.#ready.push(job);
    else this.#waiting.add({ job, dueMs, sequence: this.#sequence });
  }

  /** Returns jobs to the front. */
  putBack(jobs: readonly ReadJob[]): void {
    for (const { offset, text } of jobs) {
      this.#offsets.add(offset);
      this.#bytes += text.length;
    }
    this.#ready.unshift(...jobs);
  }

  /** Removes and returns at most `limit` jobs that are free, due ones first; the others are forgotten. */
  take(limit: number, isFree: (offset: number) => boolean): readonly ReadJob[] {
    const taken: ReadJob[] = [];
    while (taken.length < limit) {
      const job = this.#waiting.takeDue(Date.now())?.job ?? this.#ready.shift();
      if (job === undefined) break;
      this.#offsets.delete(job.offset);
      this.#bytes -= job.text.length;
      if (isFree(job.offset)) taken.push(job);
    }
    return taken;
  }

  clear(): void {
    this.#ready = [];
    this.#waiting = new DueHeap();
    this.#offsets.clear();
    this.#bytes = 0;
  }
}
