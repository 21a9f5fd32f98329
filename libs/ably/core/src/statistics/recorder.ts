import type { Buckets } from './buckets.js';
import { type Entries, withSums } from './entries.js';
import { type Seen, together } from './minute.js';

export interface RecorderOptions {
  /** Observations that may wait. */
  readonly capacity: number;
  /** The interval between two writes; observations in between are merged. */
  readonly flushMs: number;
}

/** The state of the statistics pipeline. */
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
  readonly seen: Seen;
  readonly done: (() => void) | null;
}

const MINUTE_MS = 60_000;
const AT_ONCE = 256;
/** The longest time a publisher waits for its count; it is answered then regardless. */
const LONGEST_WAIT_MS = 1000;

/** Writes the activity of apps in batches. */
export class Recorder {
  readonly #waiting: Observation[] = [];
  /** Timer of the next write; null: none is due. */
  #due: NodeJS.Timeout | null = null;
  /** On the clock of the process. */
  #flushedMs = -Infinity;
  /** Null: nothing is being written. */
  #writing: Promise<void> | null = null;
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
  observe(appId: string, seen: Seen): void {
    this.#take(appId, seen, null);
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
      if (!this.#take(appId, { entries, levels: null }, done)) done();
    });
  }

  /** Writes pending observations now; resolves when they are written or have failed. */
  async settled(): Promise<void> {
    while (this.#waiting.length > 0 || this.#writing !== null) await this.#flush();
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

  #take(appId: string, seen: Seen, done: (() => void) | null): boolean {
    if (this.#waiting.length >= this.options.capacity) {
      this.#dropped += 1;
      return false;
    }
    this.#waiting.push({ appId, seen, atMs: this.now(), done });
    if (this.#due !== null) return true;
    // The first observation after a pause is written without delay.
    const waitMs = this.#flushedMs + this.options.flushMs - performance.now();
    this.#due = setTimeout(() => void this.#flush(), Math.max(0, waitMs));
    return true;
  }

  async #flush(): Promise<void> {
    if (this.#due !== null) clearTimeout(this.#due);
    this.#due = null;
    this.#flushedMs = performance.now();
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null;
    });
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) await this.#write(this.#waiting.splice(0, AT_ONCE));
  }

  async #write(batch: readonly Observation[]): Promise<void> {
    const sums = new Map<string, { appId: string; startMs: number; seen: Seen }>();
    for (const { appId, atMs, seen } of batch) {
      const startMs = atMs - (atMs % MINUTE_MS);
      const name = `${startMs} ${appId}`;
      const sum = sums.get(name);
      sums.set(name, { appId, startMs, seen: sum === undefined ? seen : together(sum.seen, seen) });
    }
    // Apps are written concurrently, so that one does not wait for the others.
    await Promise.all(
      [...sums.values()].map(({ appId, startMs, seen }) =>
        this.buckets.add(appId, startMs, { ...seen, entries: withSums(seen.entries) }).catch(() => {
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
