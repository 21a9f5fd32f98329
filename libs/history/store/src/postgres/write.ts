import type { SqlSession } from '@carillon/database';
import type { Changes } from '../model/changes.js';
import type { MessageChanges } from '../model/living.js';
import { binaryRows, type Column } from './binary-rows.js';
import {
  ANNOTATION,
  CHECKPOINT,
  EVENT,
  MEMBER,
  MESSAGE,
  OPERATOR_LOG,
  RECEIPT,
  RECORD,
  type RowType,
  STREAM,
  SUMMARY,
} from './row-types.js';

type Names = (name: string) => string;

const RECEIPT_AGAIN = `on conflict (scope, slot) do update set ${Object.keys(RECEIPT.columns)
  .filter((name) => name !== 'scope' && name !== 'slot')
  .map((name) => `${name} = excluded.${name}`)
  .join(', ')}`;

const MEMBER_AGAIN = `on conflict (stream_key, generation, user_id) do update set present = excluded.present,
  last_no = excluded.last_no, last_serial = excluded.last_serial`;

const CHECKPOINT_AGAIN = `on conflict (stream_key, generation, serial) do update set members = excluded.members,
  keep_day = excluded.keep_day`;

/** Its data stays as it is stored, unless it comes with the row. */
const messageAgain = (table: Names): string => {
  const names = Object.keys(MESSAGE.columns).filter(
    (name) => !['stream_key', 'message_serial', 'data'].includes(name),
  );
  const stored = table('messages');
  return `on conflict (stream_key, message_serial) do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')},
    data = case when excluded.base_delivery_serial > ${stored}.base_delivery_serial then excluded.data else ${stored}.data end`;
};

/** Its text stays as it is stored as long as there is something that came since. */
const summaryAgain = (table: Names): string =>
  `on conflict (stream_key, message_serial, type) do update set since = excluded.since, last_no = excluded.last_no,
    changed_at_ms = excluded.changed_at_ms,
    summary = case when excluded.since is null then excluded.summary else ${table('annotation_summaries')}.summary end`;

/** Insert of the rows of one table. */
class TableWrite<Row> {
  readonly #columns: readonly Column<Row>[];

  constructor(
    private readonly table: Names,
    private readonly of: RowType<Row>,
    private readonly statement: (names: string, rows: string) => string,
  ) {
    this.#columns = Object.values(of.columns);
  }

  /** Returns the parameter value for the rows. */
  array(rows: readonly Row[]): Buffer {
    return binaryRows(this.#columns, rows);
  }

  /** The statement over the rows for that placeholder, as far as the condition lets it. */
  text(placeholder = 1, condition = ''): string {
    const rows = `unnest($${placeholder}::${this.table(this.of.name)}[]) as v ${condition}`;
    return this.statement(Object.keys(this.of.columns).join(', '), rows);
  }
}

const insertInto = <Row>(table: Names, name: string, of: RowType<Row>, onConflict = ''): TableWrite<Row> =>
  new TableWrite(
    table,
    of,
    (names, rows) => `insert into ${table(name)} (${names}) select ${names} from ${rows} ${onConflict}`,
  );

export const recordWrite = (table: Names): TableWrite<Changes['records'][number]> =>
  insertInto(table, 'records', RECORD);

/** Fails if one of them exists. */
export const newReceiptWrite = (table: Names): TableWrite<Changes['receipts'][number]> =>
  insertInto(table, 'receipts', RECEIPT);

/** Inserts or updates the latest state of messages. */
export const messageWrite = (table: Names): TableWrite<MessageChanges['states'][number]> =>
  insertInto(table, 'messages', MESSAGE, messageAgain(table));

export function streamWrite(table: Names): TableWrite<Changes['streams'][number]> {
  const set = Object.keys(STREAM.columns)
    .filter((name) => name !== 'stream_key')
    .map((name) => `${name} = v.${name}`);
  return new TableWrite(
    table,
    STREAM,
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
    await session.query(this.#text, [this.table.array(rows)], { again: true });
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
  readonly #messages: Write<MessageChanges['states'][number]>;
  readonly #annotations: Write<MessageChanges['annotations'][number]>;
  readonly #summaries: Write<MessageChanges['summaries'][number]>;
  readonly #receipts: Write<Changes['receipts'][number]>;
  readonly #log: Write<Changes['operatorLog'][number]>;
  readonly #streams: Write<Changes['streams'][number]>;

  constructor(table: Names) {
    const into = <Row>(name: string, of: RowType<Row>, onConflict = '') =>
      new Write(insertInto(table, name, of, onConflict));
    this.#records = new Write(recordWrite(table));
    this.#events = into('presence_events', EVENT);
    this.#members = into('presence_members', MEMBER, MEMBER_AGAIN);
    this.#checkpoints = into('presence_checkpoints', CHECKPOINT, CHECKPOINT_AGAIN);
    this.#messages = new Write(messageWrite(table));
    this.#annotations = into('annotations', ANNOTATION);
    this.#summaries = into('annotation_summaries', SUMMARY, summaryAgain(table));
    this.#receipts = into('receipts', RECEIPT, RECEIPT_AGAIN);
    this.#log = into('operator_log', OPERATOR_LOG);
    this.#streams = new Write(streamWrite(table));
  }

  async write(session: SqlSession, changes: Changes): Promise<void> {
    await Promise.all([
      this.#records.run(session, changes.records),
      this.#events.run(session, changes.presenceEvents),
      this.#members.run(session, changes.presenceMembers),
      this.#checkpoints.run(session, changes.presenceCheckpoints),
      this.#messages.run(session, changes.messages?.states ?? []),
      this.#annotations.run(session, changes.messages?.annotations ?? []),
      this.#summaries.run(session, changes.messages?.summaries ?? []),
      this.#receipts.run(session, changes.receipts),
      this.#log.run(session, changes.operatorLog),
      this.#streams.run(session, changes.streams),
    ]);
  }
}
