import type { Owed, Owing } from './port.js';

/** Something changed in how many connections are subscribed to a channel, all processes together. */
export interface ChannelCountChange {
  /** `occupied`: the first has come. `vacated`: the last has gone. `counted`: neither. */
  readonly kind: 'counted' | 'occupied' | 'vacated';
  readonly appId: string;
  readonly channel: string;
  readonly count: number;
  /** `occupied` for a store that had lost the channel: this process reported it before. Absent: it did not. */
  readonly isAgain?: boolean;
  /** Increases with every change of a channel. */
  readonly serial: number;
  /** Absent: nothing is kept of the change. */
  readonly owed?: Owed;
}

/** Number of connections subscribed to a channel, and the serial of that count. */
export type ChannelCount = Pick<ChannelCountChange, 'count' | 'serial'>;

/** Receives changes, synchronously and in order per channel; must not throw. */
export type ChannelCountObserver = (change: ChannelCountChange) => void;

/**
 * Number of subscribed connections per channel over all processes. A channel alternates between `occupied` and
 * `vacated`, whatever processes do concurrently, and each change reaches the observer of exactly one process. Counts
 * of a dead process are removed with its lease. Changes of one channel that are faster than the store are coalesced,
 * but a short subscription still counts as occupied and vacated. Operations reject with `PresenceUnavailable` if the
 * store is unreachable; counts set meanwhile are written when it recovers.
 */
export interface ChannelCounts {
  /** Registers the observer of changes caused by this process; once per process. */
  observe(observer: ChannelCountObserver, owing?: Owing): void;
  /** Sets the number of subscribed connections of this process; resolves with the number over all processes. */
  set(appId: string, channel: string, connections: number): Promise<number>;
  /** Connections per channel, in the order asked. */
  counts(appId: string, channels: readonly string[]): Promise<readonly number[]>;
  /** The same, and as of when. */
  look(appId: string, channels: readonly string[]): Promise<readonly ChannelCount[]>;
  /** The channels with subscribers whose name begins so, and how many they have. */
  occupied(appId: string, prefix: string): Promise<ReadonlyMap<string, number>>;
}
