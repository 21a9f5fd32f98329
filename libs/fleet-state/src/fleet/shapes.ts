import { flag, integer, json, list, object, oneOf, nullable, optional, text } from '@carillon/contracts';

const USER_TEXT_BYTES = 64 * 1024;
const MAX_ITEMS = 501;
const name = text(0, USER_TEXT_BYTES);
const count = integer(0);
/** Counts of frames may be off by those in flight. */
const signed = integer(Number.MIN_SAFE_INTEGER);

const CONNECTION = {
  socket_id: text(1, 128),
  app_id: text(1, 64),
  node_id: text(1, 160),
  protocol: oneOf('ably', 'v1', 'v2'),
  format: text(1, 32),
  transport: oneOf('websocket'),
  user_id: nullable(name),
  address: nullable(text(0, 64)),
  client: nullable(text(0, 1024)),
  connected_at_ms: count,
  last_received_at_ms: nullable(count),
  subscription_count: count,
  buffered_bytes: count,
  received_messages: count,
  sent_messages: signed,
};

const SUBSCRIPTION = object({
  channel: name,
  subscribed_at_ms: nullable(count),
  presence_user_id: nullable(name),
  filtered: flag,
});

const CHANNEL = {
  channel: name,
  type: text(1, 64),
  subscription_count: count,
  user_count: nullable(count),
};

/** Shapes of the answers of gateways. An answer that does not fit counts as missing. */
export const CONNECTIONS_ANSWER = object({
  items: list(object(CONNECTION), 0, MAX_ITEMS),
  sequences: list(count, 0, MAX_ITEMS),
  more: flag,
  total: optional(count),
});
export const CONNECTION_ANSWER = object({
  ...CONNECTION,
  subscriptions: list(SUBSCRIPTION, 0, 1000),
  subscriptions_truncated: flag,
  token_expires_at_ms: nullable(count),
});
export const CHANNELS_ANSWER = object({
  items: list(object(CHANNEL), 0, MAX_ITEMS),
  more: flag,
  hashes: optional(nullable(text(0, 4 * 1024 * 1024))),
});
export const CHANNEL_ANSWER = object(CHANNEL);
export const MEMBERS_ANSWER = object({
  items: list(object({ user_id: name, connections: count, user_info: json }), 0, MAX_ITEMS),
  more: flag,
  total: count,
});
export const CLOSED_ANSWER = object({ closed: count });
export const REMOVED_ANSWER = object({ removed: count });
