import type { CarillonError } from '../error.js';

/** The state of a connection. */
export type ConnectionState =
  /** `connect()` was not called yet. */
  | 'initialized'
  | 'connecting'
  | 'connected'
  /** Between two attempts. */
  | 'waiting'
  /** Ended by `disconnect()`. */
  | 'disconnected'
  /** Closed permanently by the service; `connect()` tries again. */
  | 'failed';

/** A state change of a connection. */
export interface StateChange {
  readonly previous: ConnectionState;
  readonly current: ConnectionState;
  /** The reason; absent for a success or a change requested by the caller. */
  readonly reason?: CarillonError;
  /** For `waiting`: the time until the next attempt. */
  readonly retryInMs?: number;
}
