import type { SurrealSession } from '@carillon/surreal';

export interface SurrealTimes {
  /** Limit of each call of the store. */
  readonly timeoutMs: number;
  /** Time between two deletions of expired rows. */
  readonly purgeIntervalMs: number;
}

/** Session, limits and name of one table. */
export interface SurrealParts extends SurrealTimes {
  readonly session: SurrealSession;
  readonly table: string;
}
