import { object, optional } from '../codec/composites.js';
import { message, type BodyOf, type MessageOf } from '../codec/message.js';
import { amount, flag, integer, oneOf, text } from '../codec/primitives.js';
import { appId, channel, count, messageId, nodeId, serial, socketId, userId } from './fields.js';

/** How delta coders of several nodes stay in step. */
const compressionMetadata = object({
  conflation_key: optional(text(0, 1024)),
  enabled: flag,
  sequence: optional(count),
  is_full_message: optional(flag),
  event_name: optional(text(1, 4096)),
});

/** How something is now, told instead of a message: whoever knows of a later state drops it. */
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
  /** Which user. Absent: the channel itself. */
  user_id: optional(userId),
  /** JSON text of what a member says of itself, or said last. Absent: not told. */
  user_info: optional(text(0, Number.MAX_SAFE_INTEGER)),
  /** The connection that a member came by. Absent: not told. */
  socket_id: optional(socketId),
  count: optional(count),
  /** Absent: false. */
  online: optional(flag),
  /** The serial of the change of the member before this one. Absent: unknown. */
  after: optional(serial),
  /** Of two states of the same, the later one has the higher. */
  serial,
});

/** One event of one channel for every node: data plane. */
export const BROADCAST = message('broadcast', {
  /** Unique; receivers drop the second of two. */
  message_id: messageId,
  node_id: nodeId,
  app_id: appId,
  channel,
  /** The serialised event: the V2 frame, of which every other is made. Empty where a fact is told. */
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
  /** What the message does to an earlier one. Absent: nothing. */
  action: optional(oneOf('append', 'create', 'delete', 'update')),
  /** Absent: false, a server sent it. */
  from_client: optional(flag),
  /** Absent: an event like any other. */
  fact: optional(fact),
  /** So long a second one under this id is the same publish tried again. Absent: the id was made for this message. */
  unique_for_ms: optional(integer(1)),
  /** W3C trace parent. */
  trace: optional(text(1, 512)),
});

export type Broadcast = MessageOf<typeof BROADCAST>;
export type BroadcastBody = BodyOf<typeof BROADCAST>;
