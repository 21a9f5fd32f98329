import type { CommitResult } from '@carillon/contracts';
import type { Clock } from '../clock.js';
import type { Entry } from './entry.js';
import { KnownGeneration } from './known-generation.js';

/** Answers are kept so long at least, unless there are more of them than that. */
const KEPT_MS = 10_000;
const MAX_KEPT = 50_000;

/**
 * Records that wait, and answers of the last seconds, by `pub_id`, for requests that come twice. They are forgotten a
 * generation at a time: to take each out by itself costs more than all else that is done with it.
 */
export class KnownRecords {
  #young = new KnownGeneration();
  #old = new KnownGeneration();
  #youngSinceMs = 0;

  constructor(private readonly clock: Clock) {}

  /** What waits, or what was answered; null for that which may be answered otherwise the next time, or is forgotten. */
  find(pubId: string): Entry | CommitResult | null {
    this.#age();
    return this.#young.find(pubId) ?? this.#old.find(pubId);
  }

  add(entry: Entry): void {
    this.#young.add(entry);
  }

  /** What was added before waits no more. */
  answered(result: CommitResult): void {
    this.#young.answered(result);
  }

  #age(): void {
    const now = this.clock.elapsed();
    const ageMs = now - this.#youngSinceMs;
    if (ageMs < KEPT_MS && this.#young.size < MAX_KEPT / 2) return;
    [this.#young, this.#old] = [this.#old, this.#young];
    this.#young.clear();
    // An answer is kept from when it is given: what waits is as young as ever.
    for (const entry of this.#old.takeWaiting()) this.#young.add(entry);
    if (ageMs >= 2 * KEPT_MS) this.#old.clear();
    this.#youngSinceMs = now;
  }
}
