import { list, object, perhaps } from '../codec/composites.js';
import { decoder } from '../codec/decode.js';
import { message, type BodyOf, type MessageOf } from '../codec/message.js';
import { integer, json, oneOf, text } from '../codec/primitives.js';
import type { Infer } from '../codec/shape.js';
import * as field from './fields.js';
import { MAX_COMMIT_RECORDS } from './request.js';
import { WRITER } from './writer.js';

const result = object({
  pub_id: field.uuid,
  status: oneOf('applied', 'duplicate', 'rejected', 'skipped', 'expired'),
  stream_id: perhaps(field.uuid),
  delivery_serial: perhaps(field.serial),
  history_serial: perhaps(field.serial),
  message_serial: perhaps(field.textSerial),
  version_serial: perhaps(field.textSerial),
  annotation_serial: perhaps(field.textSerial),
  published_at_ms: perhaps(field.count),
  /** Further result of operations: counts of a purge, the old stream of a reset. */
  extra: perhaps(json),
  /** For a rejection: the error code. */
  code: perhaps(text(1, 64)),
  http_status: perhaps(integer(400, 599)),
  ai_code: perhaps(integer(1, 999_999)),
  error: perhaps(text(1, 4096)),
});

/** Results of the records, in request order. */
export const COMMITTED = message('committed', { results: list(result, 1, MAX_COMMIT_RECORDS) });

/** Nothing of the request was taken. */
export const REFUSED = message('refused', {
  code: oneOf('backpressure', 'lane_mismatch', 'unsupported_version'),
});

/** Decodes the answer of a lane. */
export const decodeLaneReply = decoder(COMMITTED, REFUSED, WRITER);

export type CommitResult = Infer<typeof result>;
export type Committed = MessageOf<typeof COMMITTED>;
export type CommittedBody = BodyOf<typeof COMMITTED>;
export type Refused = MessageOf<typeof REFUSED>;
