import { slotOf } from '../model/calendar.js';
import type { Changes } from '../model/changes.js';
import type { MessageChanges } from '../model/living.js';
import { storedMembers } from '../sql/checkpoints.js';
import { ANNOTATION_ACTIONS, DATA_KINDS, storedSince, storedVersion } from '../sql/message-rows.js';
import { ACTIONS, CAUSES, EVENTS, STATES } from '../sql/rows.js';
import {
  BIGINT,
  BOOLEAN,
  DAY,
  HEX,
  INT,
  JSONB,
  KEY,
  MOMENT,
  SMALLINT,
  TEXT,
  UTF8,
  UUID,
} from './binary-arrays.js';
import { type Column, column } from './binary-rows.js';

/** Composite type of the rows that a batch writes to a table, with a field per column. */
export interface RowType<Row> {
  /** Without the prefix; with the longest one still within the 63 bytes of a name. */
  readonly name: string;
  readonly columns: Readonly<Record<string, Column<Row>>>;
  /** The version of the tables that has it. */
  readonly since: number;
}

const rowType = <Row>(name: string, columns: RowType<Row>['columns'], since = 4): RowType<Row> => ({
  name,
  columns,
  since,
});

export const RECORD = rowType<Changes['records'][number]>(
  'record_row_5',
  {
    stream_key: column(KEY, (row) => row.streamKey),
    generation: column(INT, (row) => row.generation),
    delivery_serial: column(BIGINT, (row) => row.deliverySerial),
    history_serial: column(BIGINT, (row) => row.historySerial),
    root_history_serial: column(BIGINT, (row) => row.rootHistorySerial),
    published_at_ms: column(BIGINT, (row) => row.publishedAtMs),
    history_until_ms: column(MOMENT, (row) => row.historyUntilMs),
    keep_until_ms: column(MOMENT, (row) => row.keepUntilMs),
    keep_day: column(DAY, (row) => row.keepUntilMs),
    action: column(SMALLINT, (row) => ACTIONS[row.action]),
    message_serial: column(TEXT, (row) => row.messageSerial),
    version_serial: column(TEXT, (row) => row.versionSerial),
    message_id: column(TEXT, (row) => row.messageId),
    event_name: column(TEXT, (row) => row.eventName),
    actor_client_id: column(TEXT, (row) => row.actorClientId),
    payload: column(UTF8, (row) => row.payload),
    payload_size: column(INT, (row) => row.payloadSize),
    tombstone: column(BOOLEAN, (row) => row.tombstone),
    op_hash: column(HEX, (row) => row.operation?.hash ?? null),
    op_fingerprint: column(HEX, (row) => row.operation?.fingerprint ?? null),
  },
  5,
);

export const RECEIPT = rowType<Changes['receipts'][number]>('receipt_row', {
  scope: column(UUID, (row) => row.scope),
  slot: column(INT, (row) => slotOf(row.atMs)),
  at_ms: column(BIGINT, (row) => row.atMs),
  until_ms: column(MOMENT, (row) => row.untilMs),
  pub_id: column(UUID, (row) => row.pubId),
  stream_key: column(KEY, (row) => row.streamKey),
  generation: column(INT, (row) => row.generation),
  delivery_serial: column(BIGINT, (row) => row.deliverySerial),
  fingerprint: column(HEX, (row) => row.fingerprint),
  extra: column(UTF8, (row) => row.extra),
});

export const EVENT = rowType<Changes['presenceEvents'][number]>('presence_event_row', {
  stream_key: column(KEY, (row) => row.streamKey),
  generation: column(INT, (row) => row.generation),
  serial: column(BIGINT, (row) => row.serial),
  at_ms: column(BIGINT, (row) => row.atMs),
  event: column(SMALLINT, (row) => EVENTS[row.event]),
  cause: column(SMALLINT, (row) => CAUSES[row.cause]),
  user_id: column(TEXT, (row) => row.userId),
  connection_id: column(TEXT, (row) => row.connectionId),
  dead_node_id: column(TEXT, (row) => row.deadNodeId),
  body: column(UTF8, (row) => row.body),
  body_size: column(INT, (row) => row.bodySize),
  keep_until_ms: column(MOMENT, (row) => row.keepUntilMs),
  keep_day: column(DAY, (row) => row.keepUntilMs),
});

export const MEMBER = rowType<Changes['presenceMembers'][number]>('presence_member_row', {
  stream_key: column(KEY, (row) => row.streamKey),
  generation: column(INT, (row) => row.generation),
  user_id: column(TEXT, (row) => row.userId),
  present: column(BOOLEAN, (row) => row.present),
  last_no: column(BIGINT, (row) => row.lastNo),
  last_serial: column(BIGINT, (row) => row.lastSerial),
});

export const CHECKPOINT = rowType<Changes['presenceCheckpoints'][number]>('checkpoint_row', {
  stream_key: column(KEY, (row) => row.streamKey),
  generation: column(INT, (row) => row.generation),
  serial: column(BIGINT, (row) => row.serial),
  members: column(JSONB, ({ members }) => storedMembers(members)),
  keep_day: column(DAY, (row) => row.keepUntilMs),
});

export const OPERATOR_LOG = rowType<Changes['operatorLog'][number]>('operator_log_row', {
  at_ms: column(BIGINT, (row) => row.atMs),
  app_id: column(TEXT, (row) => row.appId),
  channel: column(TEXT, (row) => row.channel),
  operation: column(TEXT, (row) => row.operation),
  reason: column(TEXT, (row) => row.reason),
  requested_by: column(TEXT, (row) => row.requestedBy),
  result: column(JSONB, (row) => row.result),
});

export const STREAM = rowType<Changes['streams'][number]>(
  'stream_row_5',
  {
    stream_key: column(KEY, (row) => row.streamKey),
    stream_id: column(UUID, (row) => row.streamId),
    generation: column(INT, (row) => row.generation),
    next_delivery_serial: column(BIGINT, (row) => row.nextDeliverySerial),
    next_history_serial: column(BIGINT, (row) => row.nextHistorySerial),
    next_annotation_no: column(BIGINT, (row) => row.nextAnnotationNo),
    fanned_out_serial: column(BIGINT, (row) => row.fannedOutSerial),
    last_cache_serial: column(BIGINT, (row) => row.lastCacheSerial),
    floor_delivery_serial: column(BIGINT, (row) => row.floorDeliverySerial),
    floor_history_serial: column(BIGINT, (row) => row.floorHistorySerial),
    floor_message_serial: column(BIGINT, (row) => row.floorMessageSerial),
    open_stream_count: column(INT, (row) => row.openStreams),
    retained_messages: column(BIGINT, (row) => row.retainedMessages),
    retained_bytes: column(BIGINT, (row) => row.retainedBytes),
    newest_published_at_ms: column(BIGINT, (row) => row.newestPublishedAtMs),
    last_annotation_serial: column(TEXT, (row) => row.lastAnnotationSerial),
    last_keep_day: column(DAY, ({ lastKeepDay }) => (lastKeepDay === null ? null : Date.parse(lastKeepDay))),
    max_messages: column(BIGINT, (row) => row.maxMessages),
    max_bytes: column(BIGINT, (row) => row.maxBytes),
    durable_state: column(SMALLINT, (row) => STATES[row.durable.state]),
    state_reason: column(TEXT, (row) => row.durable.reason),
    state_node: column(TEXT, (row) => row.durable.nodeId),
    state_changed_at_ms: column(BIGINT, (row) => row.durable.changedAtMs),
    updated_at_ms: column(BIGINT, (row) => row.updatedAtMs),
  },
  5,
);

export const MESSAGE = rowType<MessageChanges['states'][number]>(
  'message_row',
  {
    stream_key: column(KEY, (row) => row.streamKey),
    message_serial: column(TEXT, (row) => row.messageSerial),
    generation: column(INT, (row) => row.generation),
    history_serial: column(BIGINT, (row) => row.historySerial),
    original_client_id: column(TEXT, (row) => row.creatorId),
    latest_version_serial: column(TEXT, (row) => row.versionSerial),
    latest_delivery_serial: column(BIGINT, (row) => row.deliverySerial),
    latest_action: column(SMALLINT, (row) => ACTIONS[row.action]),
    version: column(UTF8, storedVersion),
    name: column(TEXT, (row) => row.name),
    data: column(UTF8, (row) => row.data?.text ?? null),
    data_kind: column(SMALLINT, (row) => DATA_KINDS[row.dataKind]),
    data_bytes: column(INT, (row) => row.dataBytes),
    extras: column(UTF8, (row) => row.extras),
    base_delivery_serial: column(BIGINT, (row) => row.baseSerial),
    append_count: column(INT, (row) => row.appends),
    is_open: column(BOOLEAN, (row) => row.isOpen),
    last_activity_ms: column(BIGINT, (row) => row.atMs),
    keep_until_ms: column(MOMENT, (row) => row.keepUntilMs),
  },
  5,
);

export const ANNOTATION = rowType<MessageChanges['annotations'][number]>(
  'annotation_row',
  {
    stream_key: column(KEY, (row) => row.streamKey),
    annotation_no: column(BIGINT, (row) => row.annotationNo),
    annotation_serial: column(TEXT, (row) => row.annotationSerial),
    message_serial: column(TEXT, (row) => row.messageSerial),
    type: column(TEXT, (row) => row.type),
    action: column(SMALLINT, (row) => ANNOTATION_ACTIONS[row.action]),
    annotation_id: column(TEXT, (row) => row.annotationId),
    target_no: column(BIGINT, (row) => row.targetNo),
    name: column(TEXT, (row) => row.name),
    client_id: column(TEXT, (row) => row.clientId),
    count_value: column(BIGINT, (row) => row.count),
    data: column(UTF8, (row) => row.data),
    encoding: column(TEXT, (row) => row.encoding),
    at_ms: column(BIGINT, (row) => row.atMs),
    actor_kind: column(SMALLINT, (row) => (row.actorSocketId === null ? 0 : 1)),
    actor_client_id: column(TEXT, (row) => row.actorClientId),
    actor_socket_id: column(TEXT, (row) => row.actorSocketId),
    keep_day: column(DAY, (row) => row.keepUntilMs),
  },
  5,
);

export const SUMMARY = rowType<MessageChanges['summaries'][number]>(
  'summary_row_6',
  {
    stream_key: column(KEY, (row) => row.streamKey),
    message_serial: column(TEXT, (row) => row.messageSerial),
    type: column(TEXT, (row) => row.type),
    // The column is not nullable: rows that keep their text are not read.
    summary: column(JSONB, (row) => row.summary ?? '{}'),
    since: column(UTF8, (row) => storedSince(row)),
    last_no: column(BIGINT, (row) => row.lastNo),
    changed_at_ms: column(BIGINT, (row) => row.changedAtMs),
  },
  6,
);

const ALL: readonly {
  readonly name: string;
  readonly columns: Readonly<Record<string, { readonly type: string }>>;
  readonly since: number;
}[] = [RECORD, RECEIPT, EVENT, MEMBER, CHECKPOINT, OPERATOR_LOG, STREAM, MESSAGE, ANNOTATION, SUMMARY];

/** Types of older versions, whose processes may still write. */
const OLD_NAMES = ['summary_row'];

/** Without the prefix. */
export const ROW_TYPE_NAMES: readonly string[] = [...ALL.map(({ name }) => name), ...OLD_NAMES];

/** Makes the types. One whose columns change needs another name, since a process of before may still write the old. */
export const createRowTypes = (table: (name: string) => string, from: number, to = from): string[] =>
  ALL.filter(({ since }) => since >= from && since <= to).map(({ name, columns }) => {
    const fields = Object.entries(columns).map(([field, { type }]) => `${field} ${type}`);
    return `create type ${table(name)} as (${fields.join(', ')})`;
  });
