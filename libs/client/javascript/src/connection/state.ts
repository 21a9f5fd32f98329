import type { CarillonError } from '../error.js';

/** What a connection is doing. */
export type ConnectionState =
  /** Nobody has asked for it yet. */
  | 'initialized'
  | 'connecting'
  | 'connected'
  /** Between two attempts. */
  | 'waiting'
  /** Ended by `disconnect()`. */
  | 'disconnected'
  /** Ended for good by the service; `connect()` tries anew. */
  | 'failed';

/** A change of what a connection is doing. */
export interface StateChange {
  readonly previous: ConnectionState;
  readonly current: ConnectionState;
  /** Why; absent: it went well, or the caller wanted it. */
  readonly reason?: CarillonError;
  /** Of `waiting`: until the next attempt. */
  readonly retryInMs?: number;
}
