import { list, object } from '../codec/composites.js';
import { decoder } from '../codec/decode.js';
import { message, type BodyOf, type MessageOf } from '../codec/message.js';
import { flag, integer } from '../codec/primitives.js';
import * as field from './fields.js';

/** How many records, and bytes of them, one request carries. A larger record travels alone. */
export const MAX_COMMIT_RECORDS = 128;
export const MAX_COMMIT_BYTES = 512 * 1024;

/**
 * Records of one lane to commit in order. Only their ids are checked here: the rest of each is `readCommitRecord`'s,
 * so that one bad record does not refuse the request.
 */
export const COMMIT = message('commit', {
  lanes: field.lanes,
  lane: field.lane,
  /** What is left of the publisher's time, counted from arrival on the writer's own clock. */
  budget_ms: integer(0),
  /** True: after the first rejected record the rest is skipped. */
  chain: flag,
  node_id: field.nodeId,
  records: list(object({ pub_id: field.uuid }), 1, MAX_COMMIT_RECORDS),
});

/** A starting process asks a writer how many lanes there are; the answer is the writer's announcement. */
export const HELLO = message('hello', { node_id: field.nodeId, lanes: field.lanes });

/** Reads what arrives at a lane. An unsupported version must be answered with `refused`. */
export const decodeLaneRequest = decoder(COMMIT, HELLO);

export type Commit = MessageOf<typeof COMMIT>;
export type CommitBody = BodyOf<typeof COMMIT>;
export type Hello = MessageOf<typeof HELLO>;
