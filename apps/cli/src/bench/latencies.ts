const BUCKETS = 2048;
/** Each bucket ends this factor above the one before: an error of at most one percent. */
const GROWTH = 1.01;
const FIRST_MS = 0.001;

/** Latencies as counts of exponentially growing buckets: constant memory for any number of them. */
export class Latencies {
  readonly #counts = new Float64Array(BUCKETS);
  #total = 0;
  #max = 0;

  add(ms: number): void {
    const index = Math.ceil(Math.log(Math.max(ms, FIRST_MS) / FIRST_MS) / Math.log(GROWTH));
    const bucket = Math.min(BUCKETS - 1, index);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#total += 1;
    this.#max = Math.max(this.#max, ms);
  }

  /** Milliseconds; null: none was added. */
  percentile(fraction: number): number | null {
    if (this.#total === 0) return null;
    let seen = 0;
    for (const [index, count] of this.#counts.entries()) {
      seen += count;
      if (seen >= fraction * this.#total) return rounded(Math.min(this.#max, FIRST_MS * GROWTH ** index));
    }
    return rounded(this.#max);
  }

  get max(): number | null {
    return this.#total === 0 ? null : rounded(this.#max);
  }
}

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
