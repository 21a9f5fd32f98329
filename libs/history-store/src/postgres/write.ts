import type { SqlSession, SqlValue } from '@carillon/database';
import { StoreFailure } from '../failures.js';
import { keepDay, slotOf } from '../model/calendar.js';
import type { Changes } from '../model/changes.js';
import { storedMembers } from '../sql/checkpoints.js';
import { ACTIONS, CAUSES, EVENTS, STATES, storedMoment } from '../sql/rows.js';

type Names = (name: string) => string;
type Scalar = string | number | boolean | null;

/** A column by name: the type its values are sent as, where they come from, and what is put around them. */
type Columns<Row> = Readonly<
  Record<string, readonly [type: string, from: (row: Row) => Scalar, stored?: (value: string) => string]>
>;

/** Texts travel as text: half the bytes of a binary value's escapes. */
const utf8 = (value: string): string => `convert_to(${value}, 'UTF8')`;
const hex = (value: string): string => `decode(${value}, 'hex')`;

const RECORD: Columns<Changes['records'][number]> = {
  stream_key: ['bigint', (row) => row.streamKey],
  generation: ['int', (row) => row.generation],
  delivery_serial: ['bigint', (row) => row.deliverySerial],
  history_serial: ['bigint', (row) => row.historySerial],
  root_history_serial: ['bigint', (row) => row.rootHistorySerial],
  published_at_ms: ['bigint', (row) => row.publishedAtMs],
  history_until_ms: [
    'bigint',
    ({ historyUntilMs }) => (historyUntilMs === null ? null : storedMoment(historyUntilMs)),
  ],
  keep_until_ms: ['bigint', (row) => storedMoment(row.keepUntilMs)],
  keep_day: ['date', (row) => keepDay(row.keepUntilMs)],
  action: ['smallint', (row) => ACTIONS[row.action]],
  message_serial: ['text', (row) => row.messageSerial],
  version_serial: ['text', (row) => row.versionSerial],
  message_id: ['text', (row) => row.messageId],
  event_name: ['text', (row) => row.eventName],
  actor_client_id: ['text', (row) => row.actorClientId],
  payload: ['text', (row) => row.payload, utf8],
  payload_size: ['int', (row) => row.payloadSize],
  tombstone: ['boolean', (row) => row.tombstone],
};

const RECEIPT: Columns<Changes['receipts'][number]> = {
  scope: ['uuid', (row) => row.scope],
  slot: ['int', (row) => slotOf(row.atMs)],
  at_ms: ['bigint', (row) => row.atMs],
  until_ms: ['bigint', (row) => storedMoment(row.untilMs)],
  pub_id: ['uuid', (row) => row.pubId],
  stream_key: ['bigint', (row) => row.streamKey],
  generation: ['int', (row) => row.generation],
  delivery_serial: ['bigint', (row) => row.deliverySerial],
  fingerprint: ['text', (row) => row.fingerprint, hex],
  extra: ['text', (row) => row.extra, utf8],
};

const EVENT: Columns<Changes['presenceEvents'][number]> = {
  stream_key: ['bigint', (row) => row.streamKey],
  generation: ['int', (row) => row.generation],
  serial: ['bigint', (row) => row.serial],
  at_ms: ['bigint', (row) => row.atMs],
  event: ['smallint', (row) => EVENTS[row.event]],
  cause: ['smallint', (row) => CAUSES[row.cause]],
  user_id: ['text', (row) => row.userId],
  connection_id: ['text', (row) => row.connectionId],
  dead_node_id: ['text', (row) => row.deadNodeId],
  body: ['text', (row) => row.body, utf8],
  body_size: ['int', (row) => row.bodySize],
  keep_until_ms: ['bigint', (row) => storedMoment(row.keepUntilMs)],
  keep_day: ['date', (row) => keepDay(row.keepUntilMs)],
};

const MEMBER: Columns<Changes['presenceMembers'][number]> = {
  stream_key: ['bigint', (row) => row.streamKey],
  generation: ['int', (row) => row.generation],
  user_id: ['text', (row) => row.userId],
  present: ['boolean', (row) => row.present],
  last_no: ['bigint', (row) => row.lastNo],
  last_serial: ['bigint', (row) => row.lastSerial],
};

const CHECKPOINT: Columns<Changes['presenceCheckpoints'][number]> = {
  stream_key: ['bigint', (row) => row.streamKey],
  generation: ['int', (row) => row.generation],
  serial: ['bigint', (row) => row.serial],
  members: ['jsonb', ({ members }) => storedMembers(members)],
  keep_day: ['date', (row) => keepDay(row.keepUntilMs)],
};

const LOG: Columns<Changes['operatorLog'][number]> = {
  at_ms: ['bigint', (row) => row.atMs],
  app_id: ['text', (row) => row.appId],
  channel: ['text', (row) => row.channel],
  operation: ['text', (row) => row.operation],
  reason: ['text', (row) => row.reason],
  requested_by: ['text', (row) => row.requestedBy],
  result: ['jsonb', (row) => row.result],
};

const STREAM: Columns<Changes['streams'][number]> = {
  stream_id: ['uuid', (row) => row.streamId],
  generation: ['int', (row) => row.generation],
  next_delivery_serial: ['bigint', (row) => row.nextDeliverySerial],
  next_history_serial: ['bigint', (row) => row.nextHistorySerial],
  next_annotation_no: ['bigint', (row) => row.nextAnnotationNo],
  fanned_out_serial: ['bigint', (row) => row.fannedOutSerial],
  last_cache_serial: ['bigint', (row) => row.lastCacheSerial],
  floor_delivery_serial: ['bigint', (row) => row.floorDeliverySerial],
  floor_history_serial: ['bigint', (row) => row.floorHistorySerial],
  retained_messages: ['bigint', (row) => row.retainedMessages],
  retained_bytes: ['bigint', (row) => row.retainedBytes],
  newest_published_at_ms: ['bigint', (row) => row.newestPublishedAtMs],
  last_annotation_serial: ['text', (row) => row.lastAnnotationSerial],
  last_keep_day: ['date', (row) => row.lastKeepDay],
  max_messages: ['bigint', (row) => row.maxMessages],
  max_bytes: ['bigint', (row) => row.maxBytes],
  durable_state: ['smallint', (row) => STATES[row.durable.state]],
  state_reason: ['text', (row) => row.durable.reason],
  state_node: ['text', (row) => row.durable.nodeId],
  state_changed_at_ms: ['bigint', (row) => row.durable.changedAtMs],
  updated_at_ms: ['bigint', (row) => row.updatedAtMs],
};

const RECEIPT_AGAIN = `on conflict (scope, slot) do update set ${Object.keys(RECEIPT)
  .filter((name) => name !== 'scope' && name !== 'slot')
  .map((name) => `${name} = excluded.${name}`)
  .join(', ')}`;

const MEMBER_AGAIN = `on conflict (stream_key, generation, user_id) do update set present = excluded.present,
  last_no = excluded.last_no, last_serial = excluded.last_serial`;

const CHECKPOINT_AGAIN = `on conflict (stream_key, generation, serial) do update set members = excluded.members,
  keep_day = excluded.keep_day`;

/** Writes a batch with one statement a table, and fails it when a row was not written. */
export async function writeChanges(session: SqlSession, table: Names, changes: Changes): Promise<void> {
  await Promise.all([
    insert(session, table('records'), RECORD, changes.records),
    insert(session, table('presence_events'), EVENT, changes.presenceEvents),
    insert(session, table('presence_members'), MEMBER, changes.presenceMembers, MEMBER_AGAIN),
    insert(session, table('presence_checkpoints'), CHECKPOINT, changes.presenceCheckpoints, CHECKPOINT_AGAIN),
    insert(session, table('receipts'), RECEIPT, changes.receipts, RECEIPT_AGAIN),
    insert(session, table('operator_log'), LOG, changes.operatorLog),
    updateStreams(session, table('streams'), changes.streams),
  ]);
}

async function insert<Row>(
  session: SqlSession,
  into: string,
  columns: Columns<Row>,
  rows: readonly Row[],
  onConflict = '',
): Promise<void> {
  if (rows.length === 0) return;
  const names = Object.keys(columns).join(', ');
  const values = Object.entries(columns).map(([name, [, , stored]]) => stored?.(`v.${name}`) ?? `v.${name}`);
  const { changed } = await session.query(
    `insert into ${into} (${names}) select ${values.join(', ')} from ${unnested(columns)} ${onConflict}`,
    arrays(columns, rows),
    { again: true },
  );
  mustMatch(changed, rows.length);
}

async function updateStreams(session: SqlSession, into: string, rows: Changes['streams']): Promise<void> {
  if (rows.length === 0) return;
  const columns = { ...STREAM, stream_key: ['bigint', (row) => row.streamKey] } satisfies typeof STREAM;
  const set = Object.keys(STREAM).map((name) => `${name} = v.${name}`);
  const { changed } = await session.query(
    `update ${into} s set ${set.join(', ')} from ${unnested(columns)} where s.stream_key = v.stream_key`,
    arrays(columns, rows),
    { again: true },
  );
  mustMatch(changed, rows.length);
}

function unnested<Row>(columns: Columns<Row>): string {
  const types = Object.values(columns).map(([type], index) => `$${index + 1}::${type}[]`);
  return `unnest(${types.join(', ')}) as v(${Object.keys(columns).join(', ')})`;
}

const arrays = <Row>(columns: Columns<Row>, rows: readonly Row[]): SqlValue[] =>
  Object.values(columns).map(([, from]) => rows.map((row) => from(row)));

function mustMatch(changed: number, wanted: number): void {
  if (changed !== wanted) throw new StoreFailure('conflict', `${changed} of ${wanted} rows were written`);
}
