/** Live counters of one app's sockets on this node, maintained incrementally. */
export interface SocketCounters {
  readonly connections: number;
  /** Sockets with a user id. */
  readonly authenticated_connections: number;
  /** Distinct signed-in user ids. */
  readonly users: number;
  /** Sockets that carry connection metadata. */
  readonly connections_with_meta: number;
}

/** One subscription of one socket. */
export interface SubscriptionView {
  readonly channel: string;
  /** The member's user id on a presence channel, null on any other. */
  readonly presenceUserId: string | null;
}

/**
 * Sockets of this process. Iteration yields between sockets, so sockets may come and go meanwhile: it must not throw
 * or visit a socket twice.
 */
export interface OccupancySource {
  /** Apps with at least one socket here. */
  appIds(): Iterable<string>;
  counters(appId: string): SocketCounters;
  /** The subscriptions of each socket of an app. */
  sockets(appId: string): Iterable<Iterable<SubscriptionView>>;
}

/** The truth in a process that holds no sockets. */
export const NO_SOCKETS: OccupancySource = {
  appIds: () => [],
  counters: () => ({ connections: 0, authenticated_connections: 0, users: 0, connections_with_meta: 0 }),
  sockets: () => [],
};

/** The state of a durable store, as statistics show it. */
export interface HistoryHealth {
  readonly enabled: boolean;
  /** `postgres`, `mysql`, `dynamodb`, `scylladb`, `surrealdb`, `memory` or `disabled`. */
  readonly backend: string;
  readonly state_authority: 'disabled' | 'in_memory' | 'durable_store';
  /** Channels that are not healthy, those that need a reset included. */
  readonly degraded_channels: number;
  readonly reset_required_channels: number;
  readonly queue_depth: number;
}

export interface HistoryHealthSource {
  history(): HistoryHealth;
  presenceHistory(): HistoryHealth;
}

const DISABLED: HistoryHealth = {
  enabled: false,
  backend: 'disabled',
  state_authority: 'disabled',
  degraded_channels: 0,
  reset_required_channels: 0,
  queue_depth: 0,
};

/** The truth in a process that keeps no history. */
export const NO_HISTORY: HistoryHealthSource = { history: () => DISABLED, presenceHistory: () => DISABLED };
