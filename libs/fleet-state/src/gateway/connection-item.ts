import type { Subscriber } from '@carillon/realtime';
import type { ConnectionDetails, ConnectionItem, SubscriptionItem } from '../fleet/items.js';

/** Subscriptions that the description of one connection lists. */
const MAX_SUBSCRIPTIONS = 1000;

const EPOCH_MS = performance.timeOrigin;

/** Converts a time of the clock of `performance` to milliseconds since 1970. */
const epochMs = (ms: number): number => Math.round(EPOCH_MS + ms);

/** Describes a connection of this node. */
export function connectionItem(subscriber: Subscriber, nodeId: string): ConnectionItem {
  const { traits, hub } = subscriber;
  return {
    socket_id: subscriber.id,
    app_id: hub.appId,
    node_id: nodeId,
    protocol: traits.protocol,
    format: traits.format,
    transport: 'websocket',
    user_id: traits.userId,
    address: subscriber.address,
    client: subscriber.origin.client,
    connected_at_ms: epochMs(subscriber.connectedMs),
    last_received_at_ms: traits.lastReceivedMs === null ? null : epochMs(traits.lastReceivedMs),
    subscription_count: subscriber.subscriptions.size + (subscriber.patterns?.size ?? 0),
    buffered_bytes: subscriber.bufferedBytes,
    received_messages: subscriber.received,
    sent_messages: subscriber.sentFrames,
  };
}

/** The same with its subscriptions, channels first, then patterns. */
export function connectionDetails(subscriber: Subscriber, nodeId: string): ConnectionDetails {
  const item = connectionItem(subscriber, nodeId);
  const subscriptions: SubscriptionItem[] = [];
  for (const { channel, userId, audience } of subscriber.subscriptions) {
    if (subscriptions.length >= MAX_SUBSCRIPTIONS) break;
    subscriptions.push({
      channel: channel.name,
      subscribed_at_ms: subscribedAt(subscriber, channel.name),
      presence_user_id: userId,
      filtered: audience.codec.filters === true,
    });
  }
  for (const [name, pattern] of subscriber.patterns ?? []) {
    if (subscriptions.length >= MAX_SUBSCRIPTIONS) break;
    const filtered = pattern.codecOf(subscriber)?.filters === true;
    subscriptions.push({
      channel: name,
      subscribed_at_ms: subscribedAt(subscriber, name),
      presence_user_id: null,
      filtered,
    });
  }
  return {
    ...item,
    subscriptions,
    subscriptions_truncated: item.subscription_count > subscriptions.length,
    token_expires_at_ms: subscriber.traits.tokenExpiresAtMs,
  };
}

function subscribedAt({ subscribedMs }: Subscriber, name: string): number | null {
  const ms = subscribedMs?.get(name);
  return ms === undefined ? null : epochMs(ms);
}
