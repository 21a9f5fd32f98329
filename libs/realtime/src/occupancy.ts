import type { OccupancySource, SocketCounters, SubscriptionView } from '@carillon/runtime';
import type { Subscriber } from './subscriber/subscriber.js';
import type { Hubs } from './apps/hubs.js';

/** Statistics source for the sockets of this process. */
export class SocketOccupancy implements OccupancySource {
  constructor(private readonly hubs: Hubs) {}

  *appIds(): Generator<string> {
    for (const { appId, isDeserted } of this.hubs) if (!isDeserted) yield appId;
  }

  counters(appId: string): SocketCounters {
    const hub = this.hubs.find(appId);
    return {
      connections: hub?.size ?? 0,
      authenticated_connections: hub?.authenticated ?? 0,
      users: hub?.signedIn.size ?? 0,
      connections_with_meta: hub?.withMeta ?? 0,
    };
  }

  *sockets(appId: string): Generator<Iterable<SubscriptionView>> {
    for (const subscriber of this.hubs.find(appId)?.subscribers ?? []) yield views(subscriber);
  }
}

function* views({ subscriptions }: Subscriber): Generator<SubscriptionView> {
  for (const { channel, userId } of subscriptions) yield { channel: channel.name, presenceUserId: userId };
}
