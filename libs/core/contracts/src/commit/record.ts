import { list, nullable, object, optional } from '../codec/composites.js';
import { flag, integer, oneOf, text } from '../codec/primitives.js';
import type { Infer, Shape } from '../codec/shape.js';
import * as field from './fields.js';
import { jsonObjectText, jsonText, storableJson, storableText } from './storable.js';

const ANY_LENGTH = Number.MAX_SAFE_INTEGER;
const MAX_METADATA_BYTES = 8192;

const base = {
  pub_id: field.uuid,
  app_id: field.appId,
  channel: field.channel,
  /** W3C trace parent. */
  trace: optional(text(1, 512)),
} as const;
const withPolicy = { ...base, policy: field.policy, idem: optional(field.idempotency) } as const;

/** The V2 frame without `stream_id`, `serial` and `service_*` headers, which the writer puts in. */
const publication = {
  ...withPolicy,
  message_id: field.messageId,
  message: storableText(1, ANY_LENGTH),
  except_socket: optional(field.socketId),
  /** Absent: false, a server sent it. */
  from_client: optional(flag),
  /** Absent: true; whether it may be sent as the difference to an earlier one. */
  delta: optional(flag),
  actor: optional(field.actor),
} as const;

const mutation = {
  ...withPolicy,
  actor: field.grantedActor,
  message_serial: field.textSerial,
  /** The new version's own. */
  message_id: field.messageId,
  /** JSON text, as are `data` and `metadata`: returned exactly as sent. */
  extras: optional(jsonObjectText(ANY_LENGTH)),
  /** Client to which the version is attributed; with a grant of `own`, the actor. */
  client_id: optional(field.clientId),
  description: optional(storableText(0, 1024)),
  metadata: optional(jsonText(MAX_METADATA_BYTES)),
  op_id: optional(storableText(1, 64)),
  /** Connection that made the change and does not receive it. Absent: a server, or a connection that does. */
  except_socket: optional(field.socketId),
  /** Condition: this is still the latest version. Absent: unconditional. */
  only_version: optional(field.textSerial),
} as const;

const replacement = {
  ...mutation,
  name: optional(storableText(0, 4096)),
  data: optional(jsonText(ANY_LENGTH)),
  clear_fields: optional(list(oneOf('name', 'data', 'extras'), 0, 3)),
} as const;

/** Stream of a channel. */
const stream = oneOf('messages', 'presence');

const SHAPES = {
  publish: object({ op: oneOf('publish'), ...publication }),
  create: object({ op: oneOf('create'), ...publication }),
  update: object({ op: oneOf('update'), ...replacement }),
  delete: object({ op: oneOf('delete'), ...replacement }),
  /** The fragment itself: JSON text is made of it where it is stored. */
  append: object({ op: oneOf('append'), ...mutation, data: text(0, ANY_LENGTH) }),
  annotate: object({
    op: oneOf('annotate'),
    ...withPolicy,
    actor: optional(field.actor),
    message_serial: field.textSerial,
    type: storableText(1, 256),
    name: optional(storableText(0, 256)),
    encoding: optional(storableText(0, 256)),
    client_id: optional(field.clientId),
    count: optional(integer(1)),
    data: optional(jsonText(ANY_LENGTH)),
    max_frame_bytes: field.count,
    /** Distinct names that the annotations of the type may have. Absent: any number. */
    max_names: optional(integer(1)),
    /** Types that the annotations of the message may have. Absent: any number. */
    max_types: optional(integer(1)),
  }),
  unannotate: object({
    op: oneOf('unannotate'),
    ...withPolicy,
    actor: field.grantedActor,
    message_serial: field.textSerial,
    annotation_serial: field.textSerial,
    /** Frame size limit of the app, to which client lists in a summary are shortened. 0: none. */
    max_frame_bytes: field.count,
  }),
  presence: object({
    op: oneOf('presence'),
    ...withPolicy,
    event: oneOf('member_added', 'member_updated', 'member_removed'),
    cause: oneOf('join', 'disconnect', 'timeout', 'forced_disconnect', 'orphan_cleanup'),
    user_id: storableText(1, 65_536),
    connection_id: optional(field.socketId),
    user_info: optional(storableJson),
    dead_node_id: optional(field.nodeId),
    /** Absent where the presence registry keeps no count per channel. */
    transition_no: optional(field.count),
  }),
  reset: object({
    op: oneOf('reset'),
    ...base,
    stream,
    reason: field.reason,
    requested_by: optional(field.requestedBy),
  }),
  purge: object({
    op: oneOf('purge'),
    ...base,
    mode: oneOf('all', 'before_serial', 'before_time_ms'),
    before_serial: optional(field.serial),
    before_time_ms: optional(field.count),
    reason: field.reason,
    requested_by: optional(field.requestedBy),
  }),
  mark: object({
    op: oneOf('mark'),
    ...base,
    stream,
    state: oneOf('healthy', 'degraded', 'reset_required'),
    /** Null: back to healthy. */
    reason: nullable(field.reason),
    node_id: field.nodeId,
    /** The highest serials the reporter has seen; the writer numbers on above them. */
    seen_delivery_serial: optional(field.serial),
    seen_history_serial: optional(field.serial),
    /** Stream of the claim: one about a former stream does not apply to the current one. Absent: unknown. */
    seen_stream_id: optional(field.uuid),
    /** Message id of the record with `seen_delivery_serial`, as seen by the reporter; absent: none or evicted. */
    seen_message_id: optional(field.messageId),
  }),
} as const;

/** Operations on a channel. */
export type CommitOp = keyof typeof SHAPES;

/** The record of one operation. */
export type CommitRecordOf<Op extends CommitOp> = Infer<(typeof SHAPES)[Op]>;

/** One thing to commit. */
export type CommitRecord = { [Op in CommitOp]: CommitRecordOf<Op> }[CommitOp];

/** Every operation. */
export const COMMIT_OPS = Object.keys(SHAPES) as readonly CommitOp[];

const shapes: ReadonlyMap<unknown, Shape<CommitRecord>> = new Map(Object.entries(SHAPES));

/** A valid record, or its problem in words for the publisher. */
export type ReadRecord =
  | { readonly ok: true; readonly record: CommitRecord }
  | { readonly ok: false; readonly problem: string };

/** Checks one record of a request: a bad one is rejected alone, its neighbours are not. */
export function readCommitRecord(value: unknown): ReadRecord {
  const op = typeof value === 'object' && value !== null && 'op' in value ? value.op : undefined;
  const shape = shapes.get(op);
  if (shape === undefined) return { ok: false, problem: `op: must be one of ${COMMIT_OPS.join(', ')}` };
  const problem = shape(value);
  return problem === null ? { ok: true, record: value as CommitRecord } : { ok: false, problem };
}
