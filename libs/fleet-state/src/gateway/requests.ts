import { integer, list, object, oneOf, optional, perhaps, text, type Shape } from '@carillon/contracts';
import { channel, userId } from './fields.js';

const MAX_LIMIT = 500;
const MAX_APPS = 10_000;
const appId = text(1, 64);
const socketId = text(1, 128);
const limit = integer(1, MAX_LIMIT);

/** Shapes of the requests that gateways answer. Requests come from other processes and are validated. */
export const CONNECTIONS_REQUEST = object({
  filter: object({
    app_ids: perhaps(list(appId, 0, MAX_APPS)),
    user_id: optional(userId),
    channel: optional(channel),
    address: optional(text(1, 64)),
    protocol: optional(oneOf('ably', 'v1', 'v2')),
    node_id: optional(text(1, 160)),
  }),
  /** Node and accept sequence of the last item of the page before; null: the first page. */
  after: perhaps(object({ node_id: text(1, 160), sequence: integer(0) })),
  limit,
});

export const CONNECTION_REQUEST = object({ app_id: appId, socket_id: socketId });
export const CHANNELS_REQUEST = object({
  app_id: appId,
  prefix: text(0, 64 * 1024),
  after: perhaps(channel),
  limit,
});
export const CHANNEL_REQUEST = object({ app_id: appId, channel });
export const MEMBERS_REQUEST = object({ app_id: appId, channel, after: perhaps(userId), limit });
export const DISCONNECT_REQUEST = object({
  app_id: appId,
  /** Exactly one of both. */
  socket_id: optional(socketId),
  user_id: optional(userId),
  code: oneOf4009(),
  message: optional(text(0, 100)),
});
export const REMOVE_USER_REQUEST = object({ app_id: appId, channel, user_id: userId });

function oneOf4009(): Shape<4009 | 4200> {
  return (value) => (value === 4009 || value === 4200 ? null : 'must be 4009 or 4200');
}
