import { optional, perhaps } from '../codec/composites.js';
import { message, type BodyOf, type MessageOf } from '../codec/message.js';
import { flag, oneOf, text } from '../codec/primitives.js';
import * as field from './fields.js';

/**
 * A committed record on its way to every gateway, in serial order per stream. A gateway that cannot read the
 * version treats the record as missing and fetches it; it never skips it silently.
 */
export const RECORD = message('record', {
  writer_id: field.writerId,
  app_id: field.appId,
  channel: field.channel,
  /** Null, like `serial`, on annotations: they have a count of their own. */
  stream_id: perhaps(field.uuid),
  serial: perhaps(field.serial),
  history_serial: perhaps(field.serial),
  annotation_no: perhaps(field.serial),
  published_at_ms: field.count,
  op: oneOf('publish', 'create', 'update', 'delete', 'append', 'annotate', 'unannotate', 'reset', 'purge'),
  message_id: perhaps(field.messageId),
  except_socket: perhaps(field.socketId),
  /** Absent: false (sent by a server) or unknown. */
  from_client: optional(flag),
  /** Absent: true; whether it may be sent as the difference to an earlier one. */
  delta: optional(flag),
  /** Final V2 frame; null for a reset, and for a purge, which reports the erasure of content that gateways may hold. */
  message: perhaps(text(1, Number.MAX_SAFE_INTEGER)),
  /** For an annotation: the frame with the new summary of its type, sent before `message`. */
  summary: perhaps(text(1, Number.MAX_SAFE_INTEGER)),
  /** True: sent again by a writer that took over. Absent: false. */
  resent: optional(flag),
  /** On a reset: the stream that ended. */
  old_stream_id: perhaps(field.uuid),
  /** W3C trace parent. */
  trace: optional(text(1, 512)),
});

export type FanOutRecord = MessageOf<typeof RECORD>;
export type FanOutRecordBody = BodyOf<typeof RECORD>;
