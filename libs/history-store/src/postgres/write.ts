import type { SqlSession } from '@carillon/database';
import { slotOf } from '../model/calendar.js';
import type { Changes } from '../model/changes.js';
import { storedMembers } from '../sql/checkpoints.js';
import { ACTIONS, CAUSES, EVENTS, STATES } from '../sql/rows.js';
import {
  BIGINT,
  binaryArray,
  BOOLEAN,
  DAY,
  HEX,
  INT,
  type ItemKind,
  JSONB,
  KEY,
  MOMENT,
  SMALLINT,
  TEXT,
  UTF8,
  UUID,
} from './binary-arrays.js';

type Names = (name: string) => string;

/** A column of a table: how its values travel, and where they come from. */
interface Column<Row> {
  readonly type: string;
  array(rows: readonly Row[]): Buffer;
}

type Columns<Row> = Readonly<Record<string, Column<Row>>>;

const column = <Row, Value>(kind: ItemKind<Value>, from: (row: Row) => Value | null): Column<Row> => ({
  type: kind.type,
  array: (rows) => binaryArray(kind, rows, from),
});

const RECORD: Columns<Changes['records'][number]> = {
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
};

const RECEIPT: Columns<Changes['receipts'][number]> = {
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
};

const EVENT: Columns<Changes['presenceEvents'][number]> = {
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
};

const MEMBER: Columns<Changes['presenceMembers'][number]> = {
  stream_key: column(KEY, (row) => row.streamKey),
  generation: column(INT, (row) => row.generation),
  user_id: column(TEXT, (row) => row.userId),
  present: column(BOOLEAN, (row) => row.present),
  last_no: column(BIGINT, (row) => row.lastNo),
  last_serial: column(BIGINT, (row) => row.lastSerial),
};

const CHECKPOINT: Columns<Changes['presenceCheckpoints'][number]> = {
  stream_key: column(KEY, (row) => row.streamKey),
  generation: column(INT, (row) => row.generation),
  serial: column(BIGINT, (row) => row.serial),
  members: column(JSONB, ({ members }) => storedMembers(members)),
  keep_day: column(DAY, (row) => row.keepUntilMs),
};

const LOG: Columns<Changes['operatorLog'][number]> = {
  at_ms: column(BIGINT, (row) => row.atMs),
  app_id: column(TEXT, (row) => row.appId),
  channel: column(TEXT, (row) => row.channel),
  operation: column(TEXT, (row) => row.operation),
  reason: column(TEXT, (row) => row.reason),
  requested_by: column(TEXT, (row) => row.requestedBy),
  result: column(JSONB, (row) => row.result),
};

const STREAM: Columns<Changes['streams'][number]> = {
  stream_id: column(UUID, (row) => row.streamId),
  generation: column(INT, (row) => row.generation),
  next_delivery_serial: column(BIGINT, (row) => row.nextDeliverySerial),
  next_history_serial: column(BIGINT, (row) => row.nextHistorySerial),
  next_annotation_no: column(BIGINT, (row) => row.nextAnnotationNo),
  fanned_out_serial: column(BIGINT, (row) => row.fannedOutSerial),
  last_cache_serial: column(BIGINT, (row) => row.lastCacheSerial),
  floor_delivery_serial: column(BIGINT, (row) => row.floorDeliverySerial),
  floor_history_serial: column(BIGINT, (row) => row.floorHistorySerial),
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
};

const RECEIPT_AGAIN = `on conflict (scope, slot) do update set ${Object.keys(RECEIPT)
  .filter((name) => name !== 'scope' && name !== 'slot')
  .map((name) => `${name} = excluded.${name}`)
  .join(', ')}`;

const MEMBER_AGAIN = `on conflict (stream_key, generation, user_id) do update set present = excluded.present,
  last_no = excluded.last_no, last_serial = excluded.last_serial`;

const CHECKPOINT_AGAIN = `on conflict (stream_key, generation, serial) do update set members = excluded.members,
  keep_day = excluded.keep_day`;

/** How the rows of one table are written. */
export class TableWrite<Row> {
  /** How many arrays carry the rows. */
  readonly width: number;

  constructor(
    private readonly columns: Columns<Row>,
    private readonly statement: (names: string, rows: string) => string,
  ) {
    this.width = Object.keys(columns).length;
  }

  arrays(rows: readonly Row[]): Buffer[] {
    return Object.values(this.columns).map((each) => each.array(rows));
  }

  /** The statement over the rows that arrays from that placeholder on carry, as far as the condition lets it. */
  text(first = 1, condition = ''): string {
    const names = Object.keys(this.columns).join(', ');
    const types = Object.values(this.columns).map(({ type }, index) => `$${first + index}::${type}[]`);
    return this.statement(names, `unnest(${types.join(', ')}) as v(${names}) ${condition}`);
  }
}

const insertInto = <Row>(table: string, columns: Columns<Row>, onConflict = ''): TableWrite<Row> =>
  new TableWrite(
    columns,
    (names, rows) => `insert into ${table} (${names}) select ${names} from ${rows} ${onConflict}`,
  );

export const recordWrite = (table: Names): TableWrite<Changes['records'][number]> =>
  insertInto(table('records'), RECORD);

export const receiptWrite = (table: Names): TableWrite<Changes['receipts'][number]> =>
  insertInto(table('receipts'), RECEIPT, RECEIPT_AGAIN);

export function streamWrite(table: Names): TableWrite<Changes['streams'][number]> {
  const set = Object.keys(STREAM).map((name) => `${name} = v.${name}`);
  return new TableWrite(
    { ...STREAM, stream_key: column(KEY, (row) => row.streamKey) },
    (_, rows) => `update ${table('streams')} s set ${set.join(', ')} from (select * from ${rows}) v
        where s.stream_key = v.stream_key`,
  );
}

/**
 * A statement that fails when other rows were written than there are: it divides by zero. Its text is made once, since
 * making it takes longer than sending it.
 */
class Write<Row> {
  readonly #text: string;

  constructor(private readonly table: TableWrite<Row>) {
    this.#text = `with written as (${table.text()} returning 1)
      select 1 / (count(*) = cardinality($1))::int from written`;
  }

  async run(session: SqlSession, rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    await session.query(this.#text, this.table.arrays(rows), { again: true });
  }
}

/**
 * Writes batches with one statement a table. Each fails, and the transaction with it, when a row of it was not written;
 * so the commit may be on its way with them.
 */
export class BatchWriter {
  readonly #records: Write<Changes['records'][number]>;
  readonly #events: Write<Changes['presenceEvents'][number]>;
  readonly #members: Write<Changes['presenceMembers'][number]>;
  readonly #checkpoints: Write<Changes['presenceCheckpoints'][number]>;
  readonly #receipts: Write<Changes['receipts'][number]>;
  readonly #log: Write<Changes['operatorLog'][number]>;
  readonly #streams: Write<Changes['streams'][number]>;

  constructor(table: Names) {
    this.#records = new Write(recordWrite(table));
    this.#events = new Write(insertInto(table('presence_events'), EVENT));
    this.#members = new Write(insertInto(table('presence_members'), MEMBER, MEMBER_AGAIN));
    this.#checkpoints = new Write(insertInto(table('presence_checkpoints'), CHECKPOINT, CHECKPOINT_AGAIN));
    this.#receipts = new Write(receiptWrite(table));
    this.#log = new Write(insertInto(table('operator_log'), LOG));
    this.#streams = new Write(streamWrite(table));
  }

  async write(session: SqlSession, changes: Changes): Promise<void> {
    await Promise.all([
      this.#records.run(session, changes.records),
      this.#events.run(session, changes.presenceEvents),
      this.#members.run(session, changes.presenceMembers),
      this.#checkpoints.run(session, changes.presenceCheckpoints),
      this.#receipts.run(session, changes.receipts),
      this.#log.run(session, changes.operatorLog),
      this.#streams.run(session, changes.streams),
    ]);
  }
}
