/** Longest wait for a connection: a free one of the pool, or a new one with its log-in. */
export const ACQUIRE_TIMEOUT_MS = 5000;
/** An idle connection is closed after this long, unless it is one of the least to keep. */
export const IDLE_TIMEOUT_MS = 180_000;
/** Statement timeout, also set on the server so that it stops abandoned statements. */
const STATEMENT_TIMEOUT_MS = 5000;
/** Response timeout: leaves a server that ends a statement time to report it. */
export const ANSWER_TIMEOUT_MS = 6000;
/** Limit of a transaction. */
export const TRANSACTION_TIMEOUT_MS = 30_000;
/** Longest wait for another process that migrates, and longest statement of a migration. */
export const MIGRATION_TIMEOUT_MS = 300_000;
/** Calls that wait or run at one time; more are refused at once. */
const MAX_CALLS = 1000;
/** Limit of running work at the stop. */
export const CLOSE_TIMEOUT_MS = 2000;

/** Limits of the use of one database. */
export interface DatabaseLimits {
  /** Longest run of one statement, on the server's side. */
  readonly statementMs: number;
  /** Calls that wait or run at one time; more are refused at once. */
  readonly calls: number;
}

export const SHARED_LIMITS: DatabaseLimits = { statementMs: STATEMENT_TIMEOUT_MS, calls: MAX_CALLS };

/** Additional time for a server to report that it ended a statement. */
export const ANSWER_GRACE_MS: number = ANSWER_TIMEOUT_MS - STATEMENT_TIMEOUT_MS;

/** A connection is silent for this long before the other end is asked whether it lives, and then again. */
export const KEEPALIVE_MS = 2000;
/** Unanswered keep-alive probes that end a connection on the server; the client uses the system default. */
export const KEEPALIVE_PROBES = 3;
