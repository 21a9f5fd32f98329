/** Longest wait for a connection: a free one of the pool, or a new one with its log-in. */
export const ACQUIRE_TIMEOUT_MS = 5000;
/** An idle connection is closed after this long, unless it is one of the least to keep. */
export const IDLE_TIMEOUT_MS = 180_000;
/** Longest run of one statement; the server is told too, so that it does not go on for nobody. */
const STATEMENT_TIMEOUT_MS = 5000;
/** Longest wait for an answer: a server that ends a statement by itself is given the time to say so. */
export const ANSWER_TIMEOUT_MS = 6000;
/** Longest transaction, whatever it does. */
export const TRANSACTION_TIMEOUT_MS = 30_000;
/** Longest wait for another process that migrates, and longest statement of a migration. */
export const MIGRATION_TIMEOUT_MS = 300_000;
/** Calls that wait or run at one time; more are refused at once. */
const MAX_CALLS = 1000;
/** What still runs at the stop is cut off after this long. */
export const CLOSE_TIMEOUT_MS = 2000;

/** What bounds the use of one database. */
export interface DatabaseLimits {
  /** Longest run of one statement, on the server's side. */
  readonly statementMs: number;
  /** Calls that wait or run at one time; more are refused at once. */
  readonly calls: number;
}

export const SHARED_LIMITS: DatabaseLimits = { statementMs: STATEMENT_TIMEOUT_MS, calls: MAX_CALLS };

/** A server that ends a statement by itself is given this much longer to say so. */
export const ANSWER_GRACE_MS: number = ANSWER_TIMEOUT_MS - STATEMENT_TIMEOUT_MS;

/** A connection is silent for this long before the other end is asked whether it lives, and then again. */
export const KEEPALIVE_MS = 2000;
/** So many questions without an answer end a connection; the client's end leaves that to its system. */
export const KEEPALIVE_PROBES = 3;
