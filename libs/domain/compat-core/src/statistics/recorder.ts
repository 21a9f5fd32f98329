import type { Buckets } from './buckets.js';
import { type Entries, merged, withSums } from './entries.js';
import { intervalOf, startOf } from './intervals.js';

export interface RecorderOptions {
  /** Observations that may wait. */
  readonly capacity: number;
  /** How long one waits for others to be written with it. */
  readonly flushMs: number;
}

/** How the statistics themselves are doing. */
export interface Aggregation {
  readonly backlog: number;
  readonly queueCapacity: number;
  readonly dropped: number;
  readonly flushFailures: number;
  readonly flushedBatches: number;
  readonly flushedObservations: number;
  readonly lastFlushLagMs: number;
}

interface Observation {
  readonly appId: string;
  readonly atMs: number;
  readonly entries: Entries;
  readonly done: (() => void) | null;
}

const AT_ONCE = 256;
/** Somebody who publishes is answered then, whatever became of the count. */
const LONGEST_WAIT_MS = 1000;

/** Writes down what apps do, many observations at a time. */
export class Recorder {
  readonly #waiting: Observation[] = [];
  /** What waits will be written. */
  #isDue = false;
  #isWriting = false;
  #dropped = 0;
  #failures = 0;
  #batches = 0;
  #observations = 0;
  #lagMs = 0;

  constructor(
    private readonly buckets: Pick<Buckets, 'add'>,
    private readonly options: RecorderOptions,
    private readonly now: () => number = Date.now,
  ) {}

  /** Never waits; when too many wait already it is dropped, and that is counted. */
  observe(appId: string, entries: Entries): void {
    this.#take(appId, entries, null);
  }

  /** Resolves when it is written, could not be, or took too long. Never rejects. */
  written(appId: string, entries: Entries): Promise<void> {
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        this.#failures += 1;
        resolve();
      }, LONGEST_WAIT_MS);
      const done = (): void => {
        clearTimeout(late);
        resolve();
      };
      if (!this.#take(appId, entries, done)) done();
    });
  }

  /** Resolves when everything that was observed is written, or could not be. */
  async settled(): Promise<void> {
    const { flushMs } = this.options;
    while (this.#waiting.length > 0 || this.#isWriting)
      await new Promise((later) => void setTimeout(later, Math.max(1, flushMs)));
  }

  get aggregation(): Aggregation {
    return {
      backlog: this.#waiting.length,
      queueCapacity: this.options.capacity,
      dropped: this.#dropped,
      flushFailures: this.#failures,
      flushedBatches: this.#batches,
      flushedObservations: this.#observations,
      lastFlushLagMs: this.#lagMs,
    };
  }

  #take(appId: string, entries: Entries, done: (() => void) | null): boolean {
    if (this.#waiting.length >= this.options.capacity) {
      this.#dropped += 1;
      return false;
    }
    this.#waiting.push({ appId, entries, atMs: this.now(), done });
    if (!this.#isDue) setTimeout(() => void this.#flush(), this.options.flushMs);
    this.#isDue = true;
    return true;
  }

  async #flush(): Promise<void> {
    this.#isDue = false;
    if (this.#isWriting) return;
    this.#isWriting = true;
    while (this.#waiting.length > 0) await this.#write(this.#waiting.splice(0, AT_ONCE));
    this.#isWriting = false;
  }

  async #write(batch: readonly Observation[]): Promise<void> {
    const sums = new Map<string, { appId: string; startMs: number; entries: Entries }>();
    for (const { appId, atMs, entries } of batch) {
      const minute = intervalOf(atMs, 'minute');
      const name = `${minute} ${appId}`;
      const sum = sums.get(name) ?? { appId, startMs: startOf(minute) ?? atMs, entries: {} };
      sums.set(name, { ...sum, entries: merged(sum.entries, withSums(entries)) });
    }
    // Of different apps at once: one must not wait for the others.
    await Promise.all(
      [...sums.values()].map(({ appId, startMs, entries }) =>
        this.buckets.add(appId, startMs, entries).catch(() => {
          this.#failures += 1;
        }),
      ),
    );
    this.#batches += 1;
    this.#observations += batch.length;
    this.#lagMs = this.now() - (batch[0]?.atMs ?? this.now());
    for (const { done } of batch) done?.();
  }
}
