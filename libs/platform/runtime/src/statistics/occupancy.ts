import type { OccupancySource, SocketCounters } from './sources.js';

/** Totals of a set of subscriptions. */
export interface Occupancy {
  readonly channels: number;
  readonly subscriptions: number;
  readonly presence_channels: number;
  readonly presence_subscriptions: number;
  /** Distinct users per presence channel, summed over channels. */
  readonly presence_members: number;
}

export interface AppStatistics extends SocketCounters {
  readonly app_id: string;
  readonly occupancy: Occupancy;
}

export interface Totals extends SocketCounters {
  readonly apps: number;
  readonly occupancy: Occupancy;
}

/** Sockets and subscriptions counted before yielding to the event loop. */
const SLICE_SOCKETS = 1000;
const SLICE_SUBSCRIPTIONS = 10_000;

const nextTurn = (): Promise<void> => new Promise((done) => void setImmediate(done));

/** The numbers of every app with sockets here, sorted by app id, counted without holding the event loop. */
export async function collectApps(source: OccupancySource): Promise<AppStatistics[]> {
  const apps: AppStatistics[] = [];
  const slice = new Slice();
  for (const app_id of [...source.appIds()].sort()) {
    const counters = source.counters(app_id);
    if (counters.connections === 0) continue;
    apps.push({
      app_id,
      connections: counters.connections,
      authenticated_connections: counters.authenticated_connections,
      users: counters.users,
      connections_with_meta: counters.connections_with_meta,
      occupancy: await occupancyOf(source, app_id, slice),
    });
  }
  return apps;
}

/** Counts visited items and yields when a slice is full. */
class Slice {
  #sockets = 0;
  #subscriptions = 0;

  async visited(subscriptions: number): Promise<void> {
    this.#sockets += 1;
    this.#subscriptions += subscriptions;
    if (this.#sockets < SLICE_SOCKETS && this.#subscriptions < SLICE_SUBSCRIPTIONS) return;
    this.#sockets = 0;
    this.#subscriptions = 0;
    await nextTurn();
  }
}

async function occupancyOf(source: OccupancySource, appId: string, slice: Slice): Promise<Occupancy> {
  const channels = new Set<string>();
  const members = new Map<string, Set<string>>();
  let subscriptions = 0;
  let presenceSubscriptions = 0;
  for (const socket of source.sockets(appId)) {
    let ofSocket = 0;
    for (const { channel, presenceUserId } of socket) {
      ofSocket += 1;
      channels.add(channel);
      if (!channel.startsWith('presence-')) continue;
      presenceSubscriptions += 1;
      const users = members.get(channel) ?? new Set();
      members.set(channel, users);
      if (presenceUserId !== null) users.add(presenceUserId);
    }
    subscriptions += ofSocket;
    await slice.visited(ofSocket);
  }
  return {
    channels: channels.size,
    subscriptions,
    presence_channels: members.size,
    presence_subscriptions: presenceSubscriptions,
    presence_members: sum([...members.values()], (users) => users.size),
  };
}

/** The sums over all apps. */
export function totalsOf(apps: readonly AppStatistics[]): Totals {
  return {
    apps: apps.length,
    connections: sum(apps, (app) => app.connections),
    authenticated_connections: sum(apps, (app) => app.authenticated_connections),
    users: sum(apps, (app) => app.users),
    connections_with_meta: sum(apps, (app) => app.connections_with_meta),
    occupancy: {
      channels: sum(apps, (app) => app.occupancy.channels),
      subscriptions: sum(apps, (app) => app.occupancy.subscriptions),
      presence_channels: sum(apps, (app) => app.occupancy.presence_channels),
      presence_subscriptions: sum(apps, (app) => app.occupancy.presence_subscriptions),
      presence_members: sum(apps, (app) => app.occupancy.presence_members),
    },
  };
}

const sum = <Item>(items: readonly Item[], amount: (item: Item) => number): number =>
  items.reduce((total, item) => total + amount(item), 0);
