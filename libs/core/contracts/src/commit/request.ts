import { list, object } from '../codec/composites.js';
import { decoder } from '../codec/decode.js';
import { message, type BodyOf, type MessageOf } from '../codec/message.js';
import { flag, integer } from '../codec/primitives.js';
import * as field from './fields.js';

/** Limits of records and bytes per request. A larger record is sent alone. */
export const MAX_COMMIT_RECORDS = 128;
export const MAX_COMMIT_BYTES = 512 * 1024;

/**
 * Records of one lane to commit in order. Only their ids are checked here: the rest of each is `readCommitRecord`'s,
 * so that one bad record does not refuse the request.
 */
export const COMMIT = message('commit', {
  lanes: field.lanes,
  lane: field.lane,
  /** Remaining time budget of the publisher, counted from arrival by the writer's clock. */
  budget_ms: integer(0),
  /** True: after the first rejected record the rest is skipped. */
  chain: flag,
  node_id: field.nodeId,
  records: list(object({ pub_id: field.uuid }), 1, MAX_COMMIT_RECORDS),
});

/** A starting process requests the number of lanes; the answer is the writer's announcement. */
export const HELLO = message('hello', { node_id: field.nodeId, lanes: field.lanes });

/** Decodes a request to a lane. An unsupported version must be answered with `refused`. */
export const decodeLaneRequest = decoder(COMMIT, HELLO);

export type Commit = MessageOf<typeof COMMIT>;
export type CommitBody = BodyOf<typeof COMMIT>;
export type Hello = MessageOf<typeof HELLO>;
