import type { Clock } from '../clock.js';
import type { Entry, KnownRecord } from './entry.js';

/** Answers are kept so long at least, unless there are more of them than that. */
const KEPT_MS = 10_000;
const MAX_KEPT = 50_000;

/**
 * Records that wait, and those of the last seconds, by `pub_id`, for requests that come twice. They are forgotten a
 * generation at a time: to take each out by itself costs more than all else that is done with it.
 */
export class KnownRecords {
  #young = new Map<string, KnownRecord>();
  #old: ReadonlyMap<string, KnownRecord> = new Map();
  #youngSinceMs = 0;

  constructor(private readonly clock: Clock) {}

  /** Undefined for whatever was answered longer ago than two such spans. */
  find(pubId: string): KnownRecord | undefined {
    this.#age();
    return this.#young.get(pubId) ?? this.#old.get(pubId);
  }

  add({ pubId, known }: Entry): void {
    this.#young.set(pubId, known);
  }

  #age(): void {
    const now = this.clock.elapsed();
    const ageMs = now - this.#youngSinceMs;
    if (ageMs < KEPT_MS && this.#young.size < MAX_KEPT / 2) return;
    const before = this.#young;
    this.#young = new Map();
    // An answer is kept from when it is given: what waits is as young as ever. No list of all is made: it would be long.
    for (const [pubId, known] of before) if (known.entry !== null) this.#young.set(pubId, known);
    this.#old = ageMs < 2 * KEPT_MS ? before : new Map();
    this.#youngSinceMs = now;
  }
}
