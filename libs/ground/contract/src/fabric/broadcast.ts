import { map, object, optional } from '../codec/composites.js';
import { message, type BodyOf, type MessageOf } from '../codec/message.js';
import { amount, flag, integer, json, text } from '../codec/primitives.js';
import { appId, channel, count, messageId, nodeId, serial, socketId, streamId, userId } from './fields.js';

/** How delta coders of several nodes stay in step. */
const compressionMetadata = object({
  conflation_key: optional(text(0, 1024)),
  enabled: flag,
  sequence: optional(count),
  is_full_message: optional(flag),
  event_name: optional(text(1, 4096)),
});

/** What the V2 frame has beyond the V1 frame. */
const envelope = object({
  name: optional(text(1, 4096)),
  user_id: optional(userId),
  tags: optional(map(text(0, 4096), text(0, 65_536), 1024)),
  message_id: optional(messageId),
  stream_id: optional(streamId),
  serial: optional(serial),
  extras: optional(json),
});

/** What a frame of the service says of how something is now: whoever knows of a later state drops it. */
const standing = object({
  /** Which user. Absent: the channel itself. */
  user_id: optional(userId),
  present: flag,
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
  /** The serialised event, not looked into here. */
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
  /** Absent: V1 and V2 get the same frame. */
  envelope: optional(envelope),
  /** Marks an internal presence change. Absent: false. */
  presence_replication: optional(flag),
  /** Absent: an event like any other. */
  standing: optional(standing),
  /** So long a second one under this id is the same publish tried again. Absent: the id was made for this message. */
  unique_for_ms: optional(integer(1)),
  /** W3C trace parent. */
  trace: optional(text(1, 512)),
});

export type Broadcast = MessageOf<typeof BROADCAST>;
export type BroadcastBody = BodyOf<typeof BROADCAST>;
