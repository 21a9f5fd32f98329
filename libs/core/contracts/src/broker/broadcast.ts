import { object, optional } from '../codec/composites.js';
import { message, type BodyOf, type MessageOf } from '../codec/message.js';
import { amount, flag, integer, oneOf, text } from '../codec/primitives.js';
import { appId, channel, count, messageId, nodeId, serial, socketId, userId } from './fields.js';

/** Synchronises delta encoders of several nodes. */
const compressionMetadata = object({
  conflation_key: optional(text(0, 1024)),
  enabled: flag,
  sequence: optional(count),
  is_full_message: optional(flag),
  event_name: optional(text(1, 4096)),
});

/** A state change instead of a message; receivers that know a later state drop it. */
const fact = object({
  kind: oneOf(
    'channel_counted',
    'channel_occupied',
    'channel_vacated',
    'member_added',
    'member_removed',
    'member_updated',
    'user_seen',
  ),
  /** User. Absent: the channel itself. */
  user_id: optional(userId),
  /** Presence data as JSON text. Absent: not included. */
  user_info: optional(text(0, Number.MAX_SAFE_INTEGER)),
  /** Connection by which a member joined. Absent: not included. */
  socket_id: optional(socketId),
  count: optional(count),
  /** Absent: false. */
  online: optional(flag),
  /** The serial of the change of the member before this one. Absent: unknown. */
  after: optional(serial),
  /** Higher for later states of the same subject. */
  serial,
});

/** One event of one channel for every node: data plane. */
export const BROADCAST = message('broadcast', {
  /** Unique; receivers drop the second of two. */
  message_id: messageId,
  node_id: nodeId,
  app_id: appId,
  channel,
  /** Serialised event: the V2 frame, from which all others are derived. Empty for a state change. */
  message: text(0, Number.MAX_SAFE_INTEGER),
  /** The socket that must not get it. */
  except_socket_id: optional(socketId),
  /** The publisher's clock, for latency only. */
  timestamp_ms: optional(amount),
  compression_metadata: optional(compressionMetadata),
  /** Receivers remember it only if absent, so that a retry in another region is known. */
  idempotency_key: optional(text(1, 4096)),
  /** Absent: false. True is kept in no replay buffer. */
  ephemeral: optional(flag),
  /** Effect on an earlier message. Absent: none. */
  action: optional(oneOf('append', 'create', 'delete', 'update')),
  /** Absent: false, a server sent it. */
  from_client: optional(flag),
  /** Absent: an event like any other. */
  fact: optional(fact),
  /** Time in which a second message with this id is a retry. Absent: the id was generated for this message. */
  unique_for_ms: optional(integer(1)),
  /** W3C trace parent. */
  trace: optional(text(1, 512)),
});

export type Broadcast = MessageOf<typeof BROADCAST>;
export type BroadcastBody = BodyOf<typeof BROADCAST>;
