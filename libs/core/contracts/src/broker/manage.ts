import { optional } from '../codec/composites.js';
import { message, type MessageOf } from '../codec/message.js';
import { flag, integer, json, matching, oneOf, text } from '../codec/primitives.js';
import { nodeId, replyAddress, requestId } from './fields.js';

const REQUEST_TYPE = /^[a-z_]{1,64}$/;
const MAX_PART_CHARACTERS = 256 * 1024;

/** Largest number of parts of one answer. */
export const MAX_MANAGE_PARTS = 128;

/** A request of the management API to every gateway. Unknown to older nodes, which ignore it. */
export const MANAGE_REQUEST = message('manage_request', {
  request_id: requestId,
  node_id: nodeId,
  request_type: matching(REQUEST_TYPE, 'a request type'),
  body: json,
  reply_to: replyAddress,
});

/** One part of the JSON text of a gateway's answer. */
export const MANAGE_RESPONSE = message('manage_response', {
  request_id: requestId,
  node_id: nodeId,
  /** Counts from 0; parts of one node arrive in this order. */
  part: integer(0, MAX_MANAGE_PARTS - 1),
  /** Absent: this is the last part. */
  more: optional(flag),
  text: text(0, MAX_PART_CHARACTERS * 3),
});

/** Topics of notices between the processes of a fleet. */
export const MANAGE_TOPICS = ['node_report', 'tail_start', 'tail_stop', 'tail_traces'] as const;

export type ManageTopic = (typeof MANAGE_TOPICS)[number];

/** A message of one of the topics, for every process or for one node. */
export const MANAGE_NOTICE = message('manage_notice', {
  node_id: nodeId,
  topic: oneOf(...MANAGE_TOPICS),
  body: json,
});

export type ManageRequest = MessageOf<typeof MANAGE_REQUEST>;
export type ManageResponse = MessageOf<typeof MANAGE_RESPONSE>;
export type ManageNotice = MessageOf<typeof MANAGE_NOTICE>;
