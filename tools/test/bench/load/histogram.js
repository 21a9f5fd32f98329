// Log-linear buckets: exact up to 255, then 128 buckets per power of two, so memory never grows with the count.
const EXACT = 256;
const PER_OCTAVE = 128;
const FIRST_EXPONENT = 8;
const LAST_EXPONENT = 30;
const BUCKETS = EXACT + (LAST_EXPONENT - FIRST_EXPONENT + 1) * PER_OCTAVE;

/** The largest value kept apart; anything above counts as this. About 35 minutes when the unit is 1 µs. */
export const LARGEST = 2 ** (LAST_EXPONENT + 1) - 1;

/** A quantile is at most this fraction away from the value a sorted list would give. */
export const RELATIVE_ERROR = 1 / (2 * PER_OCTAVE);

/** @param {number} value */
function bucketOf(value) {
  if (value < EXACT) return value;
  const exponent = 31 - Math.clz32(value);
  const place = (value >>> (exponent - 7)) - PER_OCTAVE;
  return EXACT + (exponent - FIRST_EXPONENT) * PER_OCTAVE + place;
}

/** The middle of a bucket. @param {number} bucket */
function middleOf(bucket) {
  if (bucket < EXACT) return bucket;
  const octave = Math.floor((bucket - EXACT) / PER_OCTAVE);
  const width = 2 ** (octave + 1);
  return (PER_OCTAVE + ((bucket - EXACT) % PER_OCTAVE)) * width + (width - 1) / 2;
}

/** Counts whole numbers from 0 in bounded memory; negative ones count as 0. */
export class Histogram {
  count = 0;
  max = 0;
  #buckets = new Float64Array(BUCKETS);

  /** @param {number} value */
  record(value) {
    const kept = Math.min(LARGEST, Math.max(0, Math.round(value)));
    const bucket = bucketOf(kept);
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    this.count += 1;
    if (kept > this.max) this.max = kept;
  }

  /**
   * The value that the given share of all values does not exceed; null when nothing was recorded.
   * @param {number} share from 0 to 1
   */
  quantile(share) {
    if (this.count === 0) return null;
    const rank = Math.max(1, Math.ceil(share * this.count));
    let seen = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      seen += this.#buckets[bucket] ?? 0;
      if (seen >= rank) return Math.min(middleOf(bucket), this.max);
    }
    return this.max;
  }

  /** What travels between processes: only the buckets in use. */
  toJSON() {
    /** @type {[number, number][]} */
    const used = [];
    this.#buckets.forEach((count, bucket) => {
      if (count > 0) used.push([bucket, count]);
    });
    return { max: this.max, used };
  }

  /** Adds what another process recorded. @param {ReturnType<Histogram['toJSON']>} other */
  add({ max, used }) {
    for (const [bucket, count] of used) {
      this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + count;
      this.count += count;
    }
    this.max = Math.max(this.max, max);
  }
}
