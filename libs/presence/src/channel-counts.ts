import type { Owed, Owing } from './port.js';

/** Something changed in how many connections are subscribed to a channel, all processes together. */
export interface ChannelCountChange {
  /** `occupied`: the first has come. `vacated`: the last has gone. `counted`: neither. */
  readonly kind: 'counted' | 'occupied' | 'vacated';
  readonly appId: string;
  readonly channel: string;
  readonly count: number;
  /** `occupied` for a store that had lost it: this process had said so before. Absent: it had not. */
  readonly isAgain?: boolean;
  /** Of two changes of a channel, the later one has the higher serial. */
  readonly serial: number;
  /** Absent: nothing is kept of the change. */
  readonly owed?: Owed;
}

/** How many connections are subscribed to a channel, and as of when. */
export type ChannelCount = Pick<ChannelCountChange, 'count' | 'serial'>;

/** Told of changes, synchronously and in order per channel; must not throw. */
export type ChannelCountObserver = (change: ChannelCountChange) => void;

/**
 * How many connections are subscribed to which channels, over all processes of the installation. A channel is
 * `occupied` once and `vacated` once, alternating, whatever processes do at the same time, and the observer of exactly
 * one of them is told. What a dead process had goes with its lease. Changes of one channel that come faster than the
 * store answers are told as one, but whoever comes and goes meanwhile has come and gone. Every operation rejects with `PresenceUnavailable` when the store cannot be reached;
 * what was set is made up for when it is back.
 */
export interface ChannelCounts {
  /** Names who is told of the changes this process causes; once per process. */
  observe(observer: ChannelCountObserver, owing?: Owing): void;
  /** So many connections of this process are subscribed from now on; resolves with how many of all processes are. */
  set(appId: string, channel: string, connections: number): Promise<number>;
  /** Connections per channel, in the order asked. */
  counts(appId: string, channels: readonly string[]): Promise<readonly number[]>;
  /** The same, and as of when. */
  look(appId: string, channels: readonly string[]): Promise<readonly ChannelCount[]>;
  /** The channels with subscribers whose name begins so, and how many they have. */
  occupied(appId: string, prefix: string): Promise<ReadonlyMap<string, number>>;
}
