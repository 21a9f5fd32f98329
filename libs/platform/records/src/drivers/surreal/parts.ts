import type { SurrealSession } from '@carillon/surreal';

/** Session, limits and name of one table. */
export interface SurrealParts {
  /** Limit of each call of the store. */
  readonly timeoutMs: number;
  /** Time between two deletions of expired rows. */
  readonly purgeIntervalMs: number;
  readonly session: SurrealSession;
  readonly table: string;
}
