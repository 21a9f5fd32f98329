import type { SqlSession } from '@carillon/database';
import { StoreFailure } from '../failures.js';
import { keepDay, slotOf } from '../model/calendar.js';
import type { Changes } from '../model/changes.js';
import { routeOf } from '../model/route.js';
import { storedMembers } from '../sql/checkpoints.js';
import { ACTIONS, CAUSES, EVENTS, KINDS, STATES, storedMoment } from '../sql/rows.js';
import { type Columns, insertRows, type Names } from './statements.js';

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

const LOG: Columns<Changes['operatorLog'][number]> = {
  at_ms: (row) => row.atMs,
  app_id: (row) => row.appId,
  channel: (row) => row.channel,
  operation: (row) => row.operation,
  reason: (row) => row.reason,
  requested_by: (row) => row.requestedBy,
  result: (row) => row.result,
};

/** What does not change in the row of a stream. */
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

const without = (columns: object, keys: readonly string[]): string[] =>
  Object.keys(columns).filter((name) => !keys.includes(name));

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
  await insertRows(session, table('receipts'), RECEIPT, receipts, without(RECEIPT, ['scope', 'slot']));
  await insertRows(session, table('operator_log'), LOG, operatorLog);
  // The rows are there and locked: all that this does is to overwrite them.
  await insertRows(session, table('streams'), { ...NAMED, ...STREAM }, streams, Object.keys(STREAM));
}

function mustMatch(changed: number, wanted: number): void {
  if (changed !== wanted) throw new StoreFailure('conflict', `${changed} of ${wanted} rows were written`);
}
