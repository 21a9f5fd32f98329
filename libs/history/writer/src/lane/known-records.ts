import type { CommitResult } from '@carillon/contracts';
import type { Clock } from '../clock.js';
import type { Entry } from './entry.js';
import { KnownGeneration } from './known-generation.js';

/** Answers are kept so long at least, unless there are more of them than that. */
const KEPT_MS = 10_000;
const MAX_KEPT = 50_000;

/**
 * Waiting records and results of the last seconds by `pub_id`, for duplicate requests. They are evicted a generation
 * at a time: removing them one by one costs more than everything else done with them.
 */
export class KnownRecords {
  #young = new KnownGeneration();
  #old = new KnownGeneration();
  #youngSinceMs = 0;

  constructor(private readonly clock: Clock) {}

  /** Returns a waiting entry or a result; null if the result may differ next time or was evicted. */
  find(pubId: string): Entry | CommitResult | null {
    this.#age();
    return this.#young.find(pubId) ?? this.#old.find(pubId);
  }

  add(entry: Entry): void {
    this.#young.add(entry);
  }

  /** Records the result of an added entry. */
  answered(result: CommitResult): void {
    this.#young.answered(result);
  }

  #age(): void {
    const now = this.clock.elapsed();
    const ageMs = now - this.#youngSinceMs;
    if (ageMs < KEPT_MS && this.#young.size < MAX_KEPT / 2) return;
    [this.#young, this.#old] = [this.#old, this.#young];
    this.#young.clear();
    // The retention of a result starts when it is given: waiting entries move to the young generation.
    for (const entry of this.#old.takeWaiting()) this.#young.add(entry);
    if (ageMs >= 2 * KEPT_MS) this.#old.clear();
    this.#youngSinceMs = now;
  }
}
