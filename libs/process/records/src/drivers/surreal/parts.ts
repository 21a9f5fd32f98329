import type { SurrealSession } from '@carillon/surreal';

/** Session and limits of one table. */
export interface SurrealParts {
  readonly session: SurrealSession;
  readonly table: string;
  /** Limit of each call of the store. */
  readonly timeoutMs: number;
  readonly purgeIntervalMs: number;
}
