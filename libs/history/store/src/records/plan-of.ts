import type { Changes } from '../model/changes.js';
import type { Stream } from '../model/stream.js';
import type { FoundRows } from './found-rows.js';

/** Input of the plan of a commit. */
export interface PlanOf {
  readonly changes: Changes;
  readonly found: FoundRows;
  /** State passed to `decide`. */
  readonly stream: Stream;
  readonly nowMs: number;
  readonly valueBytes: number;
  /** When a row expires that is kept for so long, by the clock of the record store. */
  readonly expiresAt: (durationMs: number) => number;
}
