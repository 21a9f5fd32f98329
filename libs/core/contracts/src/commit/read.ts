import { list, nullable, object, optional } from '../codec/composites.js';
import { decoder } from '../codec/decode.js';
import { message, type BodyOf, type MessageOf } from '../codec/message.js';
import { flag, integer, matching, oneOf, text } from '../codec/primitives.js';
import type { Infer } from '../codec/shape.js';
import * as field from './fields.js';

/** Heads per request. */
export const MAX_READ_HEADS = 2000;
/** Records per request. */
export const MAX_READ_RECORDS = 10_000;
/** Bytes of records in an answer, the rest follows in the next; a larger record is sent alone. */
export const MAX_READ_BYTES = 512 * 1024;

const kind = oneOf('messages', 'presence');
const streamKey = matching(/^\d{1,19}$/, 'a key of a stream');
const address = object({ app_id: field.appId, channel: field.channel, kind });
const { count } = field;
const anyText = text(0, Number.MAX_SAFE_INTEGER);

/** The row of a stream. */
const stream = object({
  app_id: field.appId,
  channel: field.channel,
  kind,
  stream_key: streamKey,
  stream_id: field.uuid,
  generation: field.serial,
  next_delivery_serial: field.serial,
  next_history_serial: field.serial,
  next_annotation_no: field.serial,
  fanned_out_serial: count,
  last_cache_serial: count,
  floor_delivery_serial: field.serial,
  floor_history_serial: field.serial,
  /** Absent from a writer of before. */
  floor_message_serial: optional(field.serial),
  open_stream_count: optional(count),
  retained_messages: count,
  retained_bytes: count,
  newest_published_at_ms: nullable(count),
  last_annotation_serial: nullable(field.textSerial),
  last_keep_day: nullable(text(10, 10)),
  max_messages: nullable(count),
  max_bytes: nullable(count),
  state: oneOf('healthy', 'degraded', 'reset_required'),
  state_reason: nullable(text(0, 4096)),
  state_node: nullable(text(0, 160)),
  state_changed_at_ms: nullable(count),
  updated_at_ms: count,
});

const record = object({
  stream_key: streamKey,
  generation: field.serial,
  delivery_serial: field.serial,
  history_serial: nullable(field.serial),
  root_history_serial: nullable(field.serial),
  published_at_ms: count,
  history_until_ms: nullable(count),
  keep_until_ms: count,
  action: oneOf('plain', 'create', 'update', 'delete', 'append'),
  message_serial: nullable(field.textSerial),
  version_serial: nullable(field.textSerial),
  message_id: nullable(field.messageId),
  event_name: nullable(text(0, 65_536)),
  actor_client_id: nullable(text(0, 65_536)),
  payload: nullable(text(0, Number.MAX_SAFE_INTEGER)),
  payload_size: count,
  tombstone: flag,
});

/** A transition of a member. */
const event = object({
  stream_key: streamKey,
  generation: field.serial,
  serial: field.serial,
  at_ms: count,
  event: oneOf('member_added', 'member_updated', 'member_removed'),
  cause: oneOf('join', 'disconnect', 'timeout', 'forced_disconnect', 'orphan_cleanup'),
  user_id: text(1, 65_536),
  connection_id: nullable(text(0, 65_536)),
  dead_node_id: nullable(text(0, 65_536)),
  body: text(1, Number.MAX_SAFE_INTEGER),
  body_size: count,
  keep_until_ms: count,
});

/** Member at a checkpoint, by its last event. */
const standing = object({
  user_id: text(1, 65_536),
  event: oneOf('member_added', 'member_updated'),
  serial: field.serial,
  at_ms: count,
});

/** A message in its latest state; its data, extras and metadata are JSON texts. */
const state = object({
  stream_key: streamKey,
  generation: field.serial,
  message_serial: field.textSerial,
  history_serial: field.serial,
  creator_id: nullable(anyText),
  version_serial: field.textSerial,
  delivery_serial: field.serial,
  action: oneOf('create', 'update', 'delete', 'append'),
  at_ms: count,
  client_id: nullable(anyText),
  description: nullable(anyText),
  metadata: nullable(anyText),
  name: nullable(anyText),
  extras: nullable(anyText),
  data: nullable(object({ text: nullable(anyText) })),
  data_kind: oneOf('none', 'string', 'json', 'bytes'),
  is_json_text: optional(flag),
  data_bytes: count,
  base_serial: field.serial,
  base_version_serial: field.textSerial,
  appends: count,
  is_open: flag,
  keep_until_ms: count,
});

const annotation = object({
  stream_key: streamKey,
  annotation_no: field.serial,
  annotation_serial: field.textSerial,
  message_serial: field.textSerial,
  type: anyText,
  action: oneOf('create', 'delete'),
  annotation_id: anyText,
  target_no: nullable(field.serial),
  name: nullable(anyText),
  client_id: nullable(anyText),
  count: nullable(count),
  data: nullable(anyText),
  encoding: nullable(anyText),
  at_ms: count,
  actor_client_id: nullable(anyText),
  actor_socket_id: nullable(anyText),
});

const summary = object({
  stream_key: streamKey,
  message_serial: field.textSerial,
  type: anyText,
  summary: anyText,
  last_no: field.serial,
  changed_at_ms: count,
});

const end = nullable(object({ serial: field.serial, published_at_ms: count }));
const retained = object({ oldest: end, newest: end, messages: count, bytes: count });
const limit = integer(1, MAX_READ_RECORDS);

/** Rows of one stream visible at a given time, in the requested order. */
const page = object({
  stream,
  now_ms: count,
  newest_first: flag,
  from_serial: nullable(count),
  to_serial: nullable(count),
  from_ms: nullable(count),
  to_ms: nullable(count),
  limit,
});

/** Request to the writer of a lane: exactly one of these members. */
export const READ = message('read', {
  lanes: field.lanes,
  lane: field.lane,
  node_id: field.nodeId,
  /** The app whose share of the reads this one takes. Absent: several apps, or a process of an earlier version. */
  app_id: optional(field.appId),
  /** Heads of streams. */
  heads: optional(
    object({
      channels: list(address, 1, MAX_READ_HEADS),
      /** True: a stream that there is not is made. */
      create: flag,
    }),
  ),
  /** Delivery records of one stream, both ends inclusive. */
  range: optional(
    object({
      stream_key: streamKey,
      generation: field.serial,
      from_serial: count,
      to_serial: count,
      limit,
    }),
  ),
  /** Rows of a history. */
  page: optional(page),
  /** Events of a presence history. */
  events: optional(page),
  /** The newest checkpoint of a presence history between two serials, both inclusive. */
  checkpoint: optional(
    object({
      stream_key: streamKey,
      generation: field.serial,
      from_serial: count,
      to_serial: count,
      /** Number of members already sent. */
      skip: count,
    }),
  ),
  /** Readable part of a history at a given time. */
  retained: optional(object({ stream, now_ms: count })),
  /** Mutable messages in their latest version. */
  messages: optional(
    object({
      stream_key: streamKey,
      generation: field.serial,
      floor_message_serial: field.serial,
      now_ms: count,
      message_serials: list(field.textSerial, 1, MAX_READ_RECORDS),
    }),
  ),
  /** Versions of a message; they are answered as records. */
  versions: optional(
    object({
      stream_key: streamKey,
      generation: field.serial,
      message_serial: field.textSerial,
      since_ms: nullable(count),
      newest_first: flag,
      after: nullable(field.textSerial),
      limit,
    }),
  ),
  /** Events of annotations, of a message or (null) of all of a stream. */
  annotations: optional(
    object({
      stream_key: streamKey,
      message_serial: nullable(field.textSerial),
      type: nullable(anyText),
      since_ms: nullable(count),
      after_no: count,
      limit,
    }),
  ),
  /** Annotation summaries of a stream. */
  summaries: optional(
    object({
      stream_key: streamKey,
      generation: field.serial,
      floor_message_serial: field.serial,
      now_ms: count,
      below_no: nullable(count),
      message_serials: optional(list(field.textSerial, 0, MAX_READ_HEADS)),
      limit,
    }),
  ),
});

/** Answer to the request. */
export const READ_ANSWER = message('read_answer', {
  streams: optional(list(stream, 0, MAX_READ_HEADS)),
  records: optional(list(record, 0, MAX_READ_RECORDS)),
  events: optional(list(event, 0, MAX_READ_RECORDS)),
  /** Null: none. */
  checkpoint: optional(
    nullable(object({ serial: field.serial, members: list(standing, 0, MAX_READ_RECORDS) })),
  ),
  /** True: more rows follow the last of these and must be requested. */
  more: optional(flag),
  retained: optional(retained),
  messages: optional(list(state, 0, MAX_READ_RECORDS)),
  annotations: optional(list(annotation, 0, MAX_READ_RECORDS)),
  summaries: optional(list(summary, 0, MAX_READ_RECORDS)),
});

/** There is no answer. */
export const READ_REFUSED = message('read_refused', {
  code: oneOf('unavailable', 'lane_mismatch', 'unsupported_version'),
});

/** Decodes a read request. An unsupported version must be answered with `read_refused`. */
export const decodeRead = decoder(READ);

/** Decodes an answer. */
export const decodeReadAnswer = decoder(READ_ANSWER, READ_REFUSED);

export type Read = MessageOf<typeof READ>;
export type ReadBody = BodyOf<typeof READ>;
export type ReadAnswerBody = BodyOf<typeof READ_ANSWER>;
export type ReadRefused = MessageOf<typeof READ_REFUSED>;
export type ReadMessage = Infer<typeof state>;
export type ReadAnnotation = Infer<typeof annotation>;
export type ReadSummary = Infer<typeof summary>;
export type ReadStream = Infer<typeof stream>;
export type ReadStoredRecord = Infer<typeof record>;
export type ReadRetained = Infer<typeof retained>;
export type ReadPresenceEvent = Infer<typeof event>;
export type ReadStanding = Infer<typeof standing>;
export type ReadPage = Infer<typeof page>;
