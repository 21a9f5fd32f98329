import type { SqlSession } from '@carillon/database';
import { StoreFailure } from '../failures.js';
import { keepDay, slotOf } from '../model/calendar.js';
import type { Changes } from '../model/changes.js';
import type { MessageChanges } from '../model/living.js';
import { routeOf } from '../model/route.js';
import { ANNOTATION_ACTIONS, DATA_KINDS, storedSince, storedVersion } from '../sql/message-rows.js';
import { storedMembers } from '../sql/checkpoints.js';
import { ACTIONS, CAUSES, EVENTS, KINDS, STATES, storedMoment } from '../sql/rows.js';
import { type Columns, insertRows, type Names } from './statements.js';

const without = (columns: object, keys: readonly string[]): string[] =>
  Object.keys(columns).filter((name) => !keys.includes(name));

const RECORD: Columns<Changes['records'][number]> = {
  stream_key: (row) => row.streamKey,
  generation: (row) => row.generation,
  delivery_serial: (row) => row.deliverySerial,
  history_serial: (row) => row.historySerial,
  root_history_serial: (row) => row.rootHistorySerial,
  published_at_ms: (row) => row.publishedAtMs,
  history_until_ms: ({ historyUntilMs }) => (historyUntilMs === null ? null : storedMoment(historyUntilMs)),
  keep_until_ms: (row) => storedMoment(row.keepUntilMs),
  keep_day: (row) => keepDay(row.keepUntilMs),
  action: (row) => ACTIONS[row.action],
  message_serial: (row) => row.messageSerial,
  version_serial: (row) => row.versionSerial,
  message_id: (row) => row.messageId,
  event_name: (row) => row.eventName,
  actor_client_id: (row) => row.actorClientId,
  payload: (row) => row.payload,
  payload_size: (row) => row.payloadSize,
  tombstone: (row) => row.tombstone,
  op_hash: ({ operation }) => bytesOf(operation?.hash),
  op_fingerprint: ({ operation }) => bytesOf(operation?.fingerprint),
};

const RECEIPT: Columns<Changes['receipts'][number]> = {
  scope: (row) => row.scope,
  slot: (row) => slotOf(row.atMs),
  at_ms: (row) => row.atMs,
  until_ms: (row) => storedMoment(row.untilMs),
  pub_id: (row) => row.pubId,
  stream_key: (row) => row.streamKey,
  generation: (row) => row.generation,
  delivery_serial: (row) => row.deliverySerial,
  fingerprint: (row) => row.fingerprint,
  extra: (row) => row.extra,
};

const EVENT: Columns<Changes['presenceEvents'][number]> = {
  stream_key: (row) => row.streamKey,
  generation: (row) => row.generation,
  serial: (row) => row.serial,
  at_ms: (row) => row.atMs,
  event: (row) => EVENTS[row.event],
  cause: (row) => CAUSES[row.cause],
  user_id: (row) => row.userId,
  connection_id: (row) => row.connectionId,
  dead_node_id: (row) => row.deadNodeId,
  body: (row) => row.body,
  body_size: (row) => row.bodySize,
  keep_until_ms: (row) => storedMoment(row.keepUntilMs),
  keep_day: (row) => keepDay(row.keepUntilMs),
};

const MEMBER: Columns<Changes['presenceMembers'][number]> = {
  stream_key: (row) => row.streamKey,
  generation: (row) => row.generation,
  user_id: (row) => row.userId,
  present: (row) => row.present,
  last_no: (row) => row.lastNo,
  last_serial: (row) => row.lastSerial,
};

const CHECKPOINT: Columns<Changes['presenceCheckpoints'][number]> = {
  stream_key: (row) => row.streamKey,
  generation: (row) => row.generation,
  serial: (row) => row.serial,
  members: ({ members }) => storedMembers(members),
  keep_day: (row) => keepDay(row.keepUntilMs),
};

const bytesOf = (hex: string | undefined): Buffer | null =>
  hex === undefined ? null : Buffer.from(hex, 'hex');

const MESSAGE: Columns<MessageChanges['states'][number]> = {
  stream_key: (row) => row.streamKey,
  message_serial: (row) => row.messageSerial,
  generation: (row) => row.generation,
  history_serial: (row) => row.historySerial,
  original_client_id: (row) => row.creatorId,
  latest_version_serial: (row) => row.versionSerial,
  latest_delivery_serial: (row) => row.deliverySerial,
  latest_action: (row) => ACTIONS[row.action],
  version: storedVersion,
  name: (row) => row.name,
  data: (row) => row.data?.text ?? null,
  data_kind: (row) => DATA_KINDS[row.dataKind],
  data_bytes: (row) => row.dataBytes,
  extras: (row) => row.extras,
  base_delivery_serial: (row) => row.baseSerial,
  append_count: (row) => row.appends,
  is_open: (row) => row.isOpen,
  last_activity_ms: (row) => row.atMs,
  keep_until_ms: (row) => storedMoment(row.keepUntilMs),
};

/** Assignments are made one after another: the data goes by the base that is stored until then. */
const MESSAGE_AGAIN = [
  'data = if(values(base_delivery_serial) > base_delivery_serial, values(data), data)',
  ...without(MESSAGE, ['stream_key', 'message_serial', 'data']),
];

const ANNOTATION: Columns<MessageChanges['annotations'][number]> = {
  stream_key: (row) => row.streamKey,
  annotation_no: (row) => row.annotationNo,
  annotation_serial: (row) => row.annotationSerial,
  message_serial: (row) => row.messageSerial,
  type: (row) => row.type,
  action: (row) => ANNOTATION_ACTIONS[row.action],
  annotation_id: (row) => row.annotationId,
  target_no: (row) => row.targetNo,
  name: (row) => row.name,
  client_id: (row) => row.clientId,
  count_value: (row) => row.count,
  data: (row) => row.data,
  encoding: (row) => row.encoding,
  at_ms: (row) => row.atMs,
  actor_kind: (row) => (row.actorSocketId === null ? 0 : 1),
  actor_client_id: (row) => row.actorClientId,
  actor_socket_id: (row) => row.actorSocketId,
  keep_day: (row) => keepDay(row.keepUntilMs),
};

const SUMMARY: Columns<MessageChanges['summaries'][number]> = {
  stream_key: (row) => row.streamKey,
  message_serial: (row) => row.messageSerial,
  type: (row) => row.type,
  // The column is not nullable: rows that keep their text are not read.
  summary: (row) => row.summary ?? '{}',
  since: (row) => storedSince(row),
  last_no: (row) => row.lastNo,
  changed_at_ms: (row) => row.changedAtMs,
};

const LOG: Columns<Changes['operatorLog'][number]> = {
  at_ms: (row) => row.atMs,
  app_id: (row) => row.appId,
  channel: (row) => row.channel,
  operation: (row) => row.operation,
  reason: (row) => row.reason,
  requested_by: (row) => row.requestedBy,
  result: (row) => row.result,
};

/** Immutable columns of a stream row. */
const NAMED: Columns<Changes['streams'][number]> = {
  stream_key: (row) => row.streamKey,
  app_id: ({ address }) => address.appId,
  channel: ({ address }) => address.channel,
  kind: ({ address }) => KINDS[address.kind],
  route: ({ address }) => routeOf(address.appId, address.channel),
};

const STREAM: Columns<Changes['streams'][number]> = {
  stream_id: (row) => row.streamId,
  generation: (row) => row.generation,
  next_delivery_serial: (row) => row.nextDeliverySerial,
  next_history_serial: (row) => row.nextHistorySerial,
  next_annotation_no: (row) => row.nextAnnotationNo,
  fanned_out_serial: (row) => row.fannedOutSerial,
  last_cache_serial: (row) => row.lastCacheSerial,
  floor_delivery_serial: (row) => row.floorDeliverySerial,
  floor_history_serial: (row) => row.floorHistorySerial,
  floor_message_serial: (row) => row.floorMessageSerial,
  open_stream_count: (row) => row.openStreams,
  retained_messages: (row) => row.retainedMessages,
  retained_bytes: (row) => row.retainedBytes,
  newest_published_at_ms: (row) => row.newestPublishedAtMs,
  last_annotation_serial: (row) => row.lastAnnotationSerial,
  last_keep_day: (row) => row.lastKeepDay,
  max_messages: (row) => row.maxMessages,
  max_bytes: (row) => row.maxBytes,
  durable_state: (row) => STATES[row.durable.state],
  state_reason: (row) => row.durable.reason,
  state_node: (row) => row.durable.nodeId,
  state_changed_at_ms: (row) => row.durable.changedAtMs,
  updated_at_ms: (row) => row.updatedAtMs,
};

/** Writes a batch with one statement a table. */
export async function writeChanges(session: SqlSession, table: Names, changes: Changes): Promise<void> {
  const { records, presenceEvents, presenceMembers, presenceCheckpoints, receipts, operatorLog, streams } =
    changes;
  mustMatch(await insertRows(session, table('records'), RECORD, records), records.length);
  mustMatch(
    await insertRows(session, table('presence_events'), EVENT, presenceEvents),
    presenceEvents.length,
  );
  await insertRows(
    session,
    table('presence_members'),
    MEMBER,
    presenceMembers,
    without(MEMBER, ['stream_key', 'generation', 'user_id']),
  );
  await insertRows(session, table('presence_checkpoints'), CHECKPOINT, presenceCheckpoints, [
    'members',
    'keep_day',
  ]);
  if (changes.messages !== undefined) await writeMessages(session, table, changes.messages);
  await insertRows(session, table('receipts'), RECEIPT, receipts, without(RECEIPT, ['scope', 'slot']));
  await insertRows(session, table('operator_log'), LOG, operatorLog);
  // The rows exist and are locked: this statement only overwrites them.
  await insertRows(session, table('streams'), { ...NAMED, ...STREAM }, streams, Object.keys(STREAM));
}

async function writeMessages(
  session: SqlSession,
  table: Names,
  { states, annotations, summaries }: MessageChanges,
): Promise<void> {
  await insertRows(session, table('messages'), MESSAGE, states, MESSAGE_AGAIN);
  mustMatch(await insertRows(session, table('annotations'), ANNOTATION, annotations), annotations.length);
  await insertRows(session, table('annotation_summaries'), SUMMARY, summaries, [
    'summary = if(values(since) is null, values(summary), summary)',
    'since',
    'last_no',
    'changed_at_ms',
  ]);
}

function mustMatch(changed: number, wanted: number): void {
  if (changed !== wanted) throw new StoreFailure('conflict', `${changed} of ${wanted} rows were written`);
}
