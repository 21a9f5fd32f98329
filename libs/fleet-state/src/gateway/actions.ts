import type { Infer, Json } from '@carillon/contracts';
import type { AppHub, Hub, Subscriber } from '@carillon/realtime';
import type { DISCONNECT_REQUEST, REMOVE_USER_REQUEST } from './requests.js';
import { Slices } from './slices.js';

const REMOVED = { code: 4009, message: 'Removed by an operator', status: 403 } as const;

/** Ends connections and subscriptions by order of an operator. */
export class LocalActions {
  constructor(private readonly hub: Pick<Hub, 'hubs' | 'leaving' | 'outlet'>) {}

  /** Closes one connection, or every connection signed in as a user. Returns how many were open. */
  disconnect(request: Infer<typeof DISCONNECT_REQUEST>): Json {
    const { app_id: appId, socket_id: socketId, user_id: userId, code, message } = request;
    const hub = this.hub.hubs.find(appId);
    if (hub === null) return { closed: 0 };
    const reason = code === 4009 ? 'disconnected_by_app' : 'reconnect_requested';
    let closed = 0;
    for (const subscriber of targets(hub, socketId, userId)) {
      if (!subscriber.isOpen) continue;
      this.hub.outlet.close(subscriber, reason, null, message === '' ? undefined : message);
      closed += 1;
    }
    return { closed };
  }

  /** Takes every connection of a user out of a channel. Settles when the memberships have ended. */
  async removeUser({
    app_id: appId,
    channel: name,
    user_id: userId,
  }: Infer<typeof REMOVE_USER_REQUEST>): Promise<Json> {
    const hub = this.hub.hubs.find(appId);
    const channel = hub?.channels.get(name);
    if (hub === null || channel === undefined) return { removed: 0 };
    const subscribers = await connectionsOf(hub, name, userId);
    let removed = 0;
    for (const subscriber of subscribers) if (await this.#remove(subscriber, name)) removed += 1;
    return { removed };
  }

  async #remove(subscriber: Subscriber, name: string): Promise<boolean> {
    const { leaving, outlet } = this.hub;
    const subscription = subscriber.subscriptions.get(name);
    if (subscription === undefined || !subscriber.isOpen) return false;
    if (subscriber.edge.remove !== undefined) {
      await subscriber.edge.remove(subscriber, name);
      return true;
    }
    subscriber.forgetSubscription(name);
    const left = leaving.channel(subscriber, subscription, 'forced_disconnect');
    outlet.send(subscriber, { kind: 'subscription_failed', channel: name, ...REMOVED, reason: 'removed' });
    await left;
    return true;
  }
}

function targets(
  hub: AppHub,
  socketId: string | undefined,
  userId: string | undefined,
): readonly Subscriber[] {
  if (userId !== undefined) return hub.signedIn.of(userId);
  const subscriber = socketId === undefined ? null : hub.subscriber(socketId);
  return subscriber === null ? [] : [subscriber];
}

/** Subscribers of the channel that are signed in as the user, or are the user there. */
async function connectionsOf(hub: AppHub, name: string, userId: string): Promise<ReadonlySet<Subscriber>> {
  const channel = hub.channels.get(name);
  const found = new Set(
    [...hub.signedIn.of(userId), ...hub.users.of(userId)].filter(
      ({ subscriptions }) => subscriptions.get(name) !== undefined,
    ),
  );
  if (channel === undefined || !channel.about.traits.members) return found;
  const slices = new Slices();
  for (const { subscribers } of channel.audiences) {
    for (const subscriber of subscribers) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      const subscription = subscriber.subscriptions.get(name);
      if (subscription !== undefined && subscriber.memberIds(subscription).includes(userId))
        found.add(subscriber);
    }
  }
  return found;
}
