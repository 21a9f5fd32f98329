import type { SqlDialect } from './port.js';
import { DatabaseTooOld } from './server-version.js';

/**
 * Why there is no answer: the connection could not be made or was `lost`, the server `refused` to serve (log-in, too
 * many connections, shutting down, read-only), no answer came in time (`timeout`), too many calls wait already
 * (`busy`), or the database is `closed`.
 */
export type UnavailableReason = 'busy' | 'closed' | 'lost' | 'refused' | 'timeout';

/** A statement without an answer. Unless the reason is `busy` or `closed`, whether it was carried out is unknown. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';

  constructor(
    readonly reason: UnavailableReason,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Why a statement was refused: a `unique` key is taken, another transaction was in its way (`conflict`: the whole
 * transaction may be tried again), a value does not fit its column (`data`), or the statement itself is at fault.
 */
export type RejectedReason = 'conflict' | 'data' | 'statement' | 'unique';

/**
 * The database refused a statement, and with it the transaction around it; nothing of it was carried out. The message
 * has the code and, where it can hold none of the values, the text of the server; the error of the client library,
 * which holds them all, is not kept.
 */
export class DatabaseRejected extends Error {
  override readonly name = 'DatabaseRejected';

  constructor(
    readonly reason: RejectedReason,
    /** SQLSTATE in PostgreSQL, the number of the error in MySQL. */
    readonly code: string,
    text: string | null,
  ) {
    super(`the database refused a statement (${text === null ? code : `${code}: ${text}`})`);
  }
}

export type DatabaseFailure = DatabaseRejected | DatabaseTooOld | DatabaseUnavailable;

/** Turns an error of a client library into one of this room. */
export type Classify = (error: unknown) => DatabaseFailure;

export const isFailure = (error: unknown): error is DatabaseFailure =>
  error instanceof DatabaseRejected ||
  error instanceof DatabaseTooOld ||
  error instanceof DatabaseUnavailable;

/** The part of the database in logs, health and metrics. */
export const partName = (dialect: SqlDialect): string => `${dialect} database`;
