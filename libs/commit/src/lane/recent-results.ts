import type { CommitResult } from '@carillon/contract';
import type { Clock } from '../clock.js';

const KEPT_MS = 10_000;
const MAX_KEPT = 50_000;

/** Answers of the last seconds by `pub_id`, for requests that come twice. */
export class RecentResults {
  readonly #results = new Map<string, { readonly result: CommitResult; readonly untilMs: number }>();

  constructor(private readonly clock: Clock) {}

  find(pubId: string): CommitResult | undefined {
    const found = this.#results.get(pubId);
    return found === undefined || found.untilMs <= this.clock.elapsed() ? undefined : found.result;
  }

  /** Only what would be answered the same if it were asked for again. */
  add(result: CommitResult): void {
    if (result.status === 'expired' || result.status === 'skipped') return;
    const now = this.clock.elapsed();
    this.#results.delete(result.pub_id);
    this.#results.set(result.pub_id, { result, untilMs: now + KEPT_MS });
    for (const [pubId, { untilMs }] of this.#results) {
      if (untilMs > now && this.#results.size <= MAX_KEPT) return;
      this.#results.delete(pubId);
    }
  }
}
