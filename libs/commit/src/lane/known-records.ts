import type { CommitResult } from '@carillon/contract';
import type { Clock } from '../clock.js';

/** So long at least, unless there are more of them than that. */
const KEPT_MS = 10_000;
const MAX_KEPT = 50_000;

/**
 * Answers of the last seconds by `pub_id`, for requests that come twice. They are forgotten a generation at a time: to
 * take each out by itself costs more than all else that is done with it.
 */
export class RecentResults {
  #young = new Map<string, CommitResult>();
  #old: ReadonlyMap<string, CommitResult> = new Map();
  #youngSinceMs = 0;

  constructor(private readonly clock: Clock) {}

  /** Undefined for whatever is older than two such spans. */
  find(pubId: string): CommitResult | undefined {
    this.#age();
    return this.#young.get(pubId) ?? this.#old.get(pubId);
  }

  /** Only what would be answered the same if it were asked for again. */
  add(result: CommitResult): void {
    if (result.status === 'expired' || result.status === 'skipped') return;
    this.#age();
    this.#young.set(result.pub_id, result);
  }

  #age(): void {
    const now = this.clock.elapsed();
    const ageMs = now - this.#youngSinceMs;
    if (ageMs < KEPT_MS && this.#young.size < MAX_KEPT / 2) return;
    this.#old = ageMs < 2 * KEPT_MS ? this.#young : new Map();
    this.#young = new Map();
    this.#youngSinceMs = now;
  }
}
