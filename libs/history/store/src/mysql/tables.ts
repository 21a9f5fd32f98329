import {
  baseline,
  type MigrationInterface,
  type QueryRunner,
  type SqlRow,
  type Tables,
} from '@carillon/database';
import type { Names } from './statements.js';
import { checkedVersion, SCHEMA_VERSION, upgradeFrom } from '../schema-version.js';

const PREFIX = /^[A-Za-z_][A-Za-z0-9_]{0,40}$/;

/** Returns the qualified name of a table for a prefix. */
export function mysqlNames(prefix: string): (name: string) => string {
  if (!PREFIX.test(prefix)) throw new Error('the table prefix is not an identifier of at most 41 characters');
  return (name) => `\`${prefix}_${name}\``;
}

/** Complete tables; the first exists whenever any does. */
const TABLES = [
  'meta',
  'lanes',
  'streams',
  'records',
  'messages',
  'receipts',
  'annotations',
  'annotation_summaries',
  'presence_events',
  'presence_members',
  'presence_checkpoints',
  'operator_log',
];

/** The tables of the room. */
export function mysqlTables(prefix: string): Tables {
  const table = mysqlNames(prefix);
  /**
   * Makes the tables, or takes over those of the time when their version was kept in `meta`, where it still is for
   * processes of that time. It is written last: each statement is final.
   */
  class HistoryTables1764000000001 implements MigrationInterface {
    async up(runner: QueryRunner): Promise<void> {
      for (const statement of await missing(runner, prefix, table)) await runner.query(statement);
    }

    async down(runner: QueryRunner): Promise<void> {
      for (const name of TABLES.toReversed()) await runner.query(`drop table if exists ${table(name)}`);
    }
  }
  /** Contributions to a summary since its text was stored. */
  class HistorySince1764000000002 implements MigrationInterface {
    async up(runner: QueryRunner): Promise<void> {
      const found: SqlRow[] = await runner.query(
        `select 1 from information_schema.columns
          where table_schema = database() and table_name = ? and column_name = 'since'`,
        [`${prefix}_annotation_summaries`],
      );
      if (found.length === 0)
        await runner.query(`alter table ${table('annotation_summaries')} add column since longblob`);
    }

    async down(runner: QueryRunner): Promise<void> {
      await runner.query(`alter table ${table('annotation_summaries')} drop column since`);
    }
  }
  return {
    name: `history ${prefix}`,
    owned: { tables: TABLES.map((name) => `${prefix}_${name}`) },
    migrations: [baseline(HistoryTables1764000000001), baseline(HistorySince1764000000002)],
  };
}

async function missing(runner: QueryRunner, prefix: string, table: Names): Promise<readonly string[]> {
  const found: SqlRow[] = await runner.query(
    'select 1 from information_schema.tables where table_schema = database() and table_name = ?',
    [`${prefix}_meta`],
  );
  if (found.length === 0) return statements(table);
  const stored: SqlRow[] = await runner.query(
    `select cast(value as char) as value from ${table('meta')} where name = 'schema_version'`,
  );
  if (stored.length === 0) return statements(table);
  const version = checkedVersion(prefix, stored[0]?.['value']);
  if (version === SCHEMA_VERSION) return [];
  const keys: SqlRow[] = await runner.query(
    `select concat(table_name, ' ', index_name) as name from information_schema.statistics
        where table_schema = database() and table_name in (?)
      union select concat(table_name, ' ', column_name) from information_schema.columns
        where table_schema = database() and table_name in (?)`,
    [upgraded(prefix), upgraded(prefix)],
  );
  const there = new Set(keys.map((row) => String(row['name'])));
  return [
    ...upgradeFrom(
      version,
      steps(table, (of, name) => there.has(`${prefix}_${of} ${name}`)),
    ),
    `update ${table('meta')} set value = '${SCHEMA_VERSION}' where name = 'schema_version'`,
  ];
}

const upgraded = (prefix: string): string[] =>
  ['presence_members', 'streams', 'records'].map((name) => `${prefix}_${name}`);

/** An upgrade that was cut off has made some of the keys already, and none can be made twice. */
function steps(
  table: Names,
  has: (table: string, key: string) => boolean,
): ReadonlyMap<number, readonly string[]> {
  const key = (of: string, name: string, definition: string): string[] =>
    has(of, name) ? [] : [`alter table ${table(of)} add ${definition}`];
  return new Map([
    [2, [...key('presence_members', 'there', MEMBERS_THERE), checkpoints(table)]],
    [3, key('streams', 'state', STREAMS_BY_STATE)],
    [5, livingMessages(table, has)],
  ]);
}

/** Index of current members. */
const MEMBERS_THERE = 'key there (stream_key, generation, present)';

/** Index of degraded streams, which are verified periodically. A commit changes neither column. */
const STREAMS_BY_STATE = 'key state (durable_state, kind)';
/** Index hint for it. */
export const BY_STATE = 'force index (state)';

const checkpoints = (table: Names): string =>
  `create table if not exists ${table('presence_checkpoints')} (
    stream_key bigint not null, generation int not null, serial bigint not null, members longblob not null,
    keep_day date not null, primary key (stream_key, generation, serial)) engine = innodb`;

/** Versions of a message, and operations that may be repeated. */
const RECORD_KEYS = {
  versions: '(stream_key, message_serial, version_serial)',
  operations: '(stream_key, op_hash)',
} as const;

const STREAM_COLUMNS = [
  ['floor_message_serial', 'bigint not null default 1'],
  ['open_stream_count', 'int not null default 0'],
] as const;

/** Statements that add mutable messages to older tables; each is idempotent. */
const livingMessages = (table: Names, has: (table: string, name: string) => boolean): string[] => [
  ...STREAM_COLUMNS.filter(([name]) => !has('streams', name)).map(
    ([name, definition]) => `alter table ${table('streams')} add column ${name} ${definition}`,
  ),
  ...['op_hash', 'op_fingerprint']
    .filter((name) => !has('records', name))
    .map((name) => `alter table ${table('records')} add column ${name} binary(32)`),
  ...Object.entries(RECORD_KEYS)
    .filter(([name]) => !has('records', name))
    .map(([name, columns]) => `alter table ${table('records')} add key ${name} ${columns}`),
  ...livingTables(table),
];

const livingTables = (table: Names): string[] => [
  `create table if not exists ${table('messages')} (
    stream_key bigint not null, message_serial ${SERIAL} not null, generation int not null,
    history_serial bigint not null, original_client_id ${NAME}, latest_version_serial ${SERIAL} not null,
    latest_delivery_serial bigint not null, latest_action smallint not null, version longblob not null, name ${WORDS},
    data longblob, data_kind smallint not null, data_bytes int not null, extras longblob,
    base_delivery_serial bigint not null, append_count int not null default 0, is_open boolean not null default false,
    last_activity_ms bigint not null, keep_until_ms bigint not null, primary key (stream_key, message_serial),
    key history (stream_key, generation, history_serial), key open (is_open, last_activity_ms),
    key expiry (keep_until_ms)) engine = innodb`,
  `create table if not exists ${table('annotations')} (
    stream_key bigint not null, annotation_no bigint not null, annotation_serial ${SERIAL} not null,
    message_serial ${SERIAL} not null, type ${TYPE} not null, action smallint not null, annotation_id ${NAME} not null,
    target_no bigint, name ${TYPE}, client_id ${NAME}, count_value bigint, data longblob, encoding ${TYPE},
    at_ms bigint not null, actor_kind smallint not null, actor_client_id ${NAME}, actor_socket_id ${NAME},
    keep_day date not null, primary key (stream_key, annotation_no),
    key of_message (stream_key, message_serial, type, annotation_no), key taken_back (stream_key, target_no),
    key expiry (keep_day)) engine = innodb`,
  `create table if not exists ${table('annotation_summaries')} (
    stream_key bigint not null, message_serial ${SERIAL} not null, type ${TYPE} not null, summary longblob not null,
    last_no bigint not null, changed_at_ms bigint not null, primary key (stream_key, message_serial, type),
    key changed (stream_key, last_no)) engine = innodb`,
];

const UUID = 'char(36) character set ascii collate ascii_bin';
/** Bytes, so that they are compared as such: no collation pads or folds them. */
const NAME = 'varbinary(255)';
const CHANNEL = 'varbinary(2000)';
const SERIAL = 'varbinary(128)';
const TYPE = 'varbinary(256)';
const WORDS = 'varbinary(4000)';

/** `rest` holds rows of days without a partition, `forever` rows that never expire. */
const BY_DAY = `partition by range (to_days(keep_day)) (partition rest values less than (to_days('9999-12-31')),
  partition forever values less than maxvalue)`;

const statements = (table: Names): string[] => [
  `create table if not exists ${table('meta')} (name ${NAME} primary key, value ${WORDS} not null) engine = innodb`,
  `create table if not exists ${table('lanes')} (lane int primary key, writer_id ${NAME} not null,
    seen_at_ms bigint not null) engine = innodb`,
  `create table if not exists ${table('streams')} (
    stream_key bigint not null auto_increment primary key, app_id ${NAME} not null, channel ${CHANNEL} not null,
    kind smallint not null, route int not null, stream_id ${UUID} not null, generation int not null default 1,
    next_delivery_serial bigint not null default 1, next_history_serial bigint not null default 1,
    next_annotation_no bigint not null default 1, fanned_out_serial bigint not null default 0,
    last_cache_serial bigint not null default 0, floor_delivery_serial bigint not null default 1,
    floor_history_serial bigint not null default 1, retained_messages bigint not null default 0,
    retained_bytes bigint not null default 0, newest_published_at_ms bigint, last_annotation_serial ${WORDS},
    last_keep_day date, floor_message_serial bigint not null default 1,
    open_stream_count int not null default 0, max_messages bigint, max_bytes bigint, durable_state smallint not null default 0,
    state_reason ${WORDS}, state_node ${WORDS}, state_changed_at_ms bigint, updated_at_ms bigint not null,
    unique key name (app_id, channel, kind), ${STREAMS_BY_STATE}) engine = innodb`,
  `create table if not exists ${table('records')} (
    stream_key bigint not null, generation int not null, delivery_serial bigint not null, history_serial bigint,
    root_history_serial bigint, published_at_ms bigint not null, history_until_ms bigint,
    keep_until_ms bigint not null, keep_day date not null, action smallint not null, message_serial ${SERIAL},
    version_serial ${SERIAL}, message_id ${WORDS}, event_name ${WORDS}, actor_client_id ${WORDS}, payload longblob,
    payload_size int not null, tombstone boolean not null default false, op_hash binary(32), op_fingerprint binary(32),
    primary key (stream_key, generation, delivery_serial, keep_day),
    key history (stream_key, generation, history_serial), key versions ${RECORD_KEYS.versions},
    key operations ${RECORD_KEYS.operations}) engine = innodb ${BY_DAY}`,
  `create table if not exists ${table('receipts')} (
    scope ${UUID} not null, slot int not null, at_ms bigint not null, until_ms bigint not null, pub_id ${UUID} not null,
    stream_key bigint not null, generation int not null, delivery_serial bigint, fingerprint ${NAME}, extra longblob,
    primary key (scope, slot), key at_ms (at_ms, stream_key)) engine = innodb
    partition by range (slot) (partition rest values less than maxvalue)`,
  `create table if not exists ${table('presence_events')} (
    stream_key bigint not null, generation int not null, serial bigint not null, at_ms bigint not null,
    event smallint not null, cause smallint not null, user_id varbinary(1024) not null, connection_id ${WORDS},
    dead_node_id ${WORDS}, body longblob not null, body_size int not null, keep_until_ms bigint not null,
    keep_day date not null, primary key (stream_key, generation, serial, keep_day)) engine = innodb ${BY_DAY}`,
  `create table if not exists ${table('presence_members')} (
    stream_key bigint not null, generation int not null, user_id varbinary(1024) not null, present boolean not null,
    last_no bigint, last_serial bigint not null, primary key (stream_key, generation, user_id),
    ${MEMBERS_THERE}) engine = innodb`,
  checkpoints(table),
  ...livingTables(table),
  `create table if not exists ${table('operator_log')} (id bigint not null auto_increment primary key, at_ms bigint,
    app_id ${NAME}, channel ${CHANNEL}, operation ${NAME}, reason ${WORDS}, requested_by ${WORDS}, result longblob)
    engine = innodb`,
  `insert ignore into ${table('meta')} values ('schema_version', '${SCHEMA_VERSION}')`,
];
