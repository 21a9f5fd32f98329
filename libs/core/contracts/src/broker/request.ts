import { list, map, object, optional } from '../codec/composites.js';
import { message, type BodyOf, type MessageOf } from '../codec/message.js';
import { flag, integer, json, oneOf, text } from '../codec/primitives.js';
import {
  appId,
  channel,
  count,
  nodeId,
  replyAddress,
  requestId,
  socketId,
  timeMs,
  userId,
} from './fields.js';

/** Requests between nodes. */
export const REQUEST_TYPES = [
  'channel_members',
  'channel_sockets',
  'sockets',
  'channel_sockets_count',
  'sockets_count',
  'user_connections_in_channel',
  'channel_members_count',
  'channels_with_sockets_count',
  'batch_channel_sockets_count',
  'channels',
  'socket_exists_in_channel',
  'terminate_user',
  'force_reconnect',
  'meta_watched',
  'acting_socket',
  'channel_occupancy',
  'connection_taken',
  'comet_request',
  'stream_frames',
  'stream_end',
] as const;

export type RequestType = (typeof REQUEST_TYPES)[number];

const MANY = 1_000_000;
const MAX_RIGHT_BYTES = 64;
const MAX_RIGHTS = 64;
const MAX_HASH_BYTES = 128;
const MAX_INFO_BYTES = 1024 * 1024;
const MAX_COMET_BYTES = 4 * 1024 * 1024;
const MAX_RECEIVER_BYTES = 64;
const MAX_SESSION_BYTES = 64;
const MAX_FRAMES_BYTES = 10 * 1024 * 1024;
const MAX_ANSWER_BYTES = 64 * 1024;
const channels = optional(list(channel, 0, MANY));

/** A question to every gateway, or to `target_node_id` alone. */
export const REQUEST = message('request', {
  request_id: requestId,
  node_id: nodeId,
  app_id: appId,
  request_type: oneOf(...REQUEST_TYPES),
  channel: optional(channel),
  channels,
  /** Only channels whose name starts with it. Absent: all. */
  prefix: optional(channel),
  socket_id: optional(socketId),
  /** Of an HTTP session, whose secret `key_hash` is of. */
  session: optional(text(1, MAX_SESSION_BYTES)),
  /** Frames of the client of the session; absent: the session ends. */
  frames: optional(text(0, MAX_FRAMES_BYTES)),
  /** With `socket_id`: hash of the key of the resumed connection. */
  key_hash: optional(text(1, MAX_HASH_BYTES)),
  /** Goes with `key_hash` or, for a delivery, with `receiver` alone. */
  comet: optional(
    object({
      verb: oneOf('recv', 'send', 'close', 'disconnect', 'deliver'),
      receiver: optional(text(1, MAX_RECEIVER_BYTES)),
      /** Whether the receiver ends with one delivery. Absent: as its connection was opened. */
      once: optional(flag),
      body: optional(text(1, MAX_COMET_BYTES)),
    }),
  ),
  user_id: optional(userId),
  user_info: optional(json),
  dead_node_id: optional(nodeId),
  target_node_id: optional(nodeId),
  /** Absent: answers go to the shared responses subject. */
  reply_to: optional(replyAddress),
  timestamp: optional(timeMs),
});

/** One node's answer. Which member carries it follows from the request. */
export const RESPONSE = message('response', {
  request_id: requestId,
  node_id: nodeId,
  app_id: appId,
  /** User id → user info. */
  members: optional(map(userId, json, MANY)),
  channels_with_sockets_count: optional(map(channel, count, MANY)),
  socket_ids: optional(list(socketId, 0, MANY)),
  sockets_count: optional(count),
  exists: optional(flag),
  channels,
  members_count: optional(count),
  /** Goes with `members_count`: a user on two nodes counts once. */
  user_ids: optional(list(userId, 0, MANY)),
  /** Connection in whose name a request is made, with its capabilities on the channel. Absent: not on this node. */
  acting: optional(
    object({
      client_id: optional(userId),
      /** Absent: 2, since older nodes answer for connections of protocol 2 alone. */
      protocol: optional(integer(1, 2)),
      token: flag,
      rights: list(text(1, MAX_RIGHT_BYTES), 0, MAX_RIGHTS),
    }),
  ),
  /** Connections of the channel by capability. */
  occupancy: optional(
    object({
      connections: count,
      publishers: count,
      subscribers: count,
      presence_connections: count,
      presence_subscribers: count,
    }),
  ),
  /** Answer to a comet request. Absent: the connection or receiver is not on this node. */
  comet: optional(object({ status: integer(200, 599), body: optional(text(1, MAX_COMET_BYTES)) })),
  /** Memberships of a connection that was resumed elsewhere. */
  memberships: optional(
    list(object({ channel, user_id: userId, user_info_text: text(1, MAX_INFO_BYTES) }), 0, MANY),
  ),
  /** What the client of an HTTP session is answered. Absent: the session is not here. */
  http_answer: optional(object({ status: integer(200, 599), body: text(0, MAX_ANSWER_BYTES) })),
  /** True: further parts of the answer follow this one. Absent: it is the last. */
  more: optional(flag),
});

export type Request = MessageOf<typeof REQUEST>;
export type RequestBody = BodyOf<typeof REQUEST>;
export type Response = MessageOf<typeof RESPONSE>;
export type ResponseBody = BodyOf<typeof RESPONSE>;
