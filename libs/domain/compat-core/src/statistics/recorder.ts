import type { Buckets } from './buckets.js';
import { type Entries, isPeak, withSums } from './entries.js';
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

/** What was observed of an app in one minute, added up as it comes. */
interface Sum {
  readonly appId: string;
  readonly atMs: number;
  readonly entries: Record<string, number>;
}

/** Observations that are written together. */
class Batch {
  readonly sums = new Map<string, Sum>();
  size = 0;
  #written: Promise<void> | null = null;
  #resolve = (): void => {};
  #late: NodeJS.Timeout | undefined;

  constructor(readonly atMs: number) {}

  add(appId: string, atMs: number, entries: Entries): void {
    this.size += 1;
    const name = `${Math.floor(atMs / MINUTE_MS)} ${appId}`;
    let sum = this.sums.get(name);
    if (sum === undefined) this.sums.set(name, (sum = { appId, atMs, entries: {} }));
    for (const [entry, value] of Object.entries(entries)) {
      const before = sum.entries[entry];
      sum.entries[entry] =
        before === undefined ? value : isPeak(entry) ? Math.max(before, value) : before + value;
    }
  }

  /** Resolves when it is written, could not be, or took too long, of which `late` is told. */
  written(late: () => void): Promise<void> {
    if (this.#written !== null) return this.#written;
    this.#late = setTimeout(() => {
      late();
      this.#resolve();
    }, LONGEST_WAIT_MS);
    this.#written = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    return this.#written;
  }

  done(): void {
    clearTimeout(this.#late);
    this.#resolve();
  }
}

const MINUTE_MS = 60_000;
const AT_ONCE = 256;
/** Somebody who publishes is answered then, whatever became of the count. */
const LONGEST_WAIT_MS = 1000;

/** Writes down what apps do, many observations at a time. */
export class Recorder {
  readonly #waiting: Batch[] = [];
  #backlog = 0;
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
    this.#take(appId, entries);
  }

  /** Resolves when it is written, could not be, or took too long. Never rejects. */
  written(appId: string, entries: Entries): Promise<void> {
    const batch = this.#take(appId, entries);
    return batch === null ? Promise.resolve() : batch.written(() => (this.#failures += 1));
  }

  /** Resolves when everything that was observed is written, or could not be. */
  async settled(): Promise<void> {
    const { flushMs } = this.options;
    while (this.#waiting.length > 0 || this.#isWriting)
      await new Promise((later) => void setTimeout(later, Math.max(1, flushMs)));
  }

  get aggregation(): Aggregation {
    return {
      backlog: this.#backlog,
      queueCapacity: this.options.capacity,
      dropped: this.#dropped,
      flushFailures: this.#failures,
      flushedBatches: this.#batches,
      flushedObservations: this.#observations,
      lastFlushLagMs: this.#lagMs,
    };
  }

  /** Null: there is no room. */
  #take(appId: string, entries: Entries): Batch | null {
    if (this.#backlog >= this.options.capacity) {
      this.#dropped += 1;
      return null;
    }
    const atMs = this.now();
    let batch = this.#waiting.at(-1);
    if (batch === undefined || batch.size >= AT_ONCE) this.#waiting.push((batch = new Batch(atMs)));
    batch.add(appId, atMs, entries);
    this.#backlog += 1;
    if (!this.#isDue) setTimeout(() => void this.#flush(), this.options.flushMs);
    this.#isDue = true;
    return batch;
  }

  async #flush(): Promise<void> {
    this.#isDue = false;
    if (this.#isWriting) return;
    this.#isWriting = true;
    for (let batch = this.#waiting.shift(); batch !== undefined; batch = this.#waiting.shift())
      await this.#write(batch);
    this.#isWriting = false;
  }

  async #write(batch: Batch): Promise<void> {
    this.#backlog -= batch.size;
    // Of different apps at once: one must not wait for the others.
    await Promise.all(
      [...batch.sums.values()].map(({ appId, atMs, entries }) =>
        this.buckets.add(appId, startOf(intervalOf(atMs, 'minute')) ?? atMs, withSums(entries)).catch(() => {
          this.#failures += 1;
        }),
      ),
    );
    this.#batches += 1;
    this.#observations += batch.size;
    this.#lagMs = this.now() - batch.atMs;
    batch.done();
  }
}
