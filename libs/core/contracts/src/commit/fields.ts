import { object, optional, nullable } from '../codec/composites.js';
import { flag, integer, matching, oneOf } from '../codec/primitives.js';
import { count, serial } from '../broker/fields.js';
import { storableText } from './storable.js';

export const uuid = matching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'a UUID in lower case');
/** Serials of messages, versions and annotations. */
export const textSerial = matching(/^[^\s\0]{1,128}$/, 'a serial of 1 to 128 bytes without spaces');
export const writerId = matching(/^[\w.-]{1,64}$/, 'a writer id');
export const appId = storableText(1, 64);
export const channel = storableText(1, 16_384);
export const clientId = storableText(1, 255);
export const socketId = storableText(1, 128);
export const nodeId = storableText(1, 160);
export const messageId = storableText(1, 4096);
export const reason = storableText(1, 1024);
export const requestedBy = storableText(0, 256);

/** Limit of the number of lanes. */
const MAX_LANES = 1024;
export const lanes = integer(1, MAX_LANES);
export const lane = integer(0, MAX_LANES - 1);

/** Acting client, verified by the publisher. Absent members: unknown, or a trusted server. */
export const actor = object({ client_id: optional(clientId), socket_id: optional(socketId) });

/** For changes of messages of others: `own` is compared with the stored creator by the writer. */
export const grantedActor = object({
  client_id: optional(clientId),
  socket_id: optional(socketId),
  grant: oneOf('any', 'own'),
});

const hex = matching(/^[0-9a-f]{32,64}$/, 'a hash in lower-case hex');

/** The channel layer of idempotency. */
export const idempotency = object({ scope: hex, fingerprint: hex, ttl_ms: integer(1) });

/** Policy resolved from the app by the publisher, so that writers need no app registry. */
export const policy = object({
  /** Null: keep forever. */
  history_ms: nullable(count),
  versions_ms: nullable(count),
  max_messages: nullable(count),
  max_bytes: nullable(count),
  versioned: flag,
  /** A cache channel's server publish. */
  cache: flag,
  /** Null: not an AI channel. */
  ai: nullable(
    object({
      max_accumulated_message_bytes: count,
      max_appends_per_message: count,
      max_open_streaming_messages: count,
    }),
  ),
});

export { count, serial };
