import type { QueryRunner, SqlRow } from '@carillon/database';
import { checkedVersion, SCHEMA_VERSION, upgradeFrom } from '../schema-version.js';
import { createRowTypes } from './row-types.js';
import { hashParts, type Spread } from './spread.js';

type Names = (name: string) => string;

/** Creates the tables, or migrates those whose version is stored in `meta` to its last version. */
export async function firstTables(
  runner: QueryRunner,
  prefix: string,
  table: Names,
  spread: Spread,
): Promise<readonly string[]> {
  const found: SqlRow[] = await runner.query('select to_regclass($1) is not null as there', [table('meta')]);
  if (found[0]?.['there'] !== true) return statements(table, spread);
  const stored: SqlRow[] = await runner.query(
    `select value from ${table('meta')} where key = 'schema_version'`,
  );
  const version = checkedVersion(prefix, stored[0]?.['value']);
  if (version === SCHEMA_VERSION) return [];
  return [
    ...upgradeFrom(version, steps(table)),
    `update ${table('meta')} set value = '${SCHEMA_VERSION}' where key = 'schema_version'`,
  ];
}

const steps = (table: Names): ReadonlyMap<number, readonly string[]> =>
  new Map([
    [2, [membersThere(table)]],
    [3, [degradedStreams(table)]],
    [4, createRowTypes(table, 4)],
    [5, [...livingMessages(table), ...createRowTypes(table, 5)]],
  ]);

/** Index of current members. An update keeps a member's position in it. */
const membersThere = (table: Names): string =>
  `create index on ${table('presence_members')} (stream_key, generation) where present`;

/** Degraded streams in the order of their verification. */
const degradedStreams = (table: Names): string =>
  `create index on ${table('streams')} (stream_key) where durable_state = 1 and kind = 1`;

/** Columns of mutable messages besides their tables. */
const livingMessages = (table: Names): string[] => [
  `alter table ${table('streams')} add column floor_message_serial bigint not null default 1`,
  takenBack(table),
];

/** Index of delete events by their annotation. */
const takenBack = (table: Names): string =>
  `create index on ${table('annotations')} (stream_key, target_no) where target_no is not null`;

const TEXT = 'text collate "C"';

function statements(table: Names, spread: Spread): string[] {
  return [
    `create table ${table('meta')} (key ${TEXT} primary key, value ${TEXT} not null)`,
    `insert into ${table('meta')} values ('schema_version', '${SCHEMA_VERSION}')`,
    `create table ${table('lanes')} (lane int primary key, writer_id ${TEXT} not null, seen_at_ms bigint not null)`,
    ...streams(table),
    ...records(table),
    ...messages(table, spread.messages),
    ...receipts(table),
    ...annotations(table, spread.messages),
    ...presence(table),
    ...createRowTypes(table, 1, SCHEMA_VERSION),
    `create table ${table('operator_log')} (id bigint generated always as identity primary key, at_ms bigint,
      app_id ${TEXT}, channel ${TEXT}, operation ${TEXT}, reason ${TEXT}, requested_by ${TEXT}, result jsonb)`,
  ];
}

/** No index is on a column that a commit changes, or depends on one, so that an update stays on its page. */
const streams = (table: Names): string[] => [
  `create table ${table('streams')} (
    stream_key bigint generated always as identity primary key,
    app_id ${TEXT} not null, channel ${TEXT} not null, kind smallint not null,
    route int not null, stream_id uuid not null, generation int not null default 1,
    next_delivery_serial bigint not null default 1, next_history_serial bigint not null default 1,
    next_annotation_no bigint not null default 1, fanned_out_serial bigint not null default 0,
    last_cache_serial bigint not null default 0, floor_delivery_serial bigint not null default 1,
    floor_history_serial bigint not null default 1, floor_message_serial bigint not null default 1, retained_messages bigint not null default 0,
    retained_bytes bigint not null default 0, newest_published_at_ms bigint, last_annotation_serial ${TEXT},
    last_keep_day date, message_count bigint not null default 0, open_stream_count int not null default 0,
    max_messages bigint, max_bytes bigint, durable_state smallint not null default 0, state_reason ${TEXT},
    state_node ${TEXT}, state_changed_at_ms bigint, updated_at_ms bigint not null,
    unique (app_id, channel, kind)) with (fillfactor = 50)`,
  `create index on ${table('streams')} (durable_state, app_id) where durable_state <> 0`,
  degradedStreams(table),
];

const records = (table: Names): string[] => [
  `create table ${table('records')} (
    stream_key bigint not null, generation int not null, delivery_serial bigint not null, history_serial bigint,
    root_history_serial bigint, published_at_ms bigint not null, history_until_ms bigint,
    keep_until_ms bigint not null, keep_day date not null, action smallint not null, message_serial ${TEXT},
    version_serial ${TEXT}, message_id ${TEXT}, event_name ${TEXT}, actor_client_id ${TEXT}, op_hash bytea,
    op_fingerprint bytea, payload bytea, payload_size int not null, tombstone boolean not null default false,
    primary key (stream_key, generation, delivery_serial, keep_day)) partition by range (keep_day)`,
  `create index on ${table('records')} (stream_key, generation, history_serial) where history_serial is not null`,
  `create index on ${table('records')} (stream_key, message_serial, version_serial) where message_serial is not null`,
  `create index on ${table('records')} (stream_key, op_hash) where op_hash is not null`,
];

const messages = (table: Names, parts: number): string[] => [
  `create table ${table('messages')} (
    stream_key bigint not null, message_serial ${TEXT} not null, generation int not null,
    history_serial bigint not null, original_client_id ${TEXT}, latest_version_serial ${TEXT} not null,
    latest_delivery_serial bigint not null, latest_action smallint not null, version bytea not null, name ${TEXT},
    data bytea, data_kind smallint not null, data_bytes int not null, extras bytea,
    base_delivery_serial bigint not null, append_count int not null default 0, is_open boolean not null default false,
    last_activity_ms bigint not null, keep_until_ms bigint not null,
    primary key (stream_key, message_serial)) partition by hash (stream_key)`,
  ...hashParts(table('messages'), (index) => table(`messages_${index}`), parts),
  `create index on ${table('messages')} (stream_key, generation, history_serial)`,
  `create index on ${table('messages')} (last_activity_ms) where is_open`,
  `create index on ${table('messages')} (keep_until_ms) where keep_until_ms < 9223372036854775807`,
];

const receipts = (table: Names): string[] => [
  `create table ${table('receipts')} (
    scope uuid not null, slot int not null, at_ms bigint not null, until_ms bigint not null, pub_id uuid not null,
    stream_key bigint not null, generation int not null, delivery_serial bigint, annotation_no bigint,
    fingerprint bytea, extra bytea, primary key (scope, slot)) partition by range (slot)`,
  `create index on ${table('receipts')} using brin (at_ms) with (pages_per_range = 32, autosummarize = on)`,
];

const annotations = (table: Names, parts: number): string[] => [
  `create table ${table('annotations')} (
    stream_key bigint not null, annotation_no bigint not null, annotation_serial ${TEXT} not null,
    message_serial ${TEXT} not null, type ${TEXT} not null, action smallint not null, annotation_id ${TEXT} not null,
    target_no bigint, name ${TEXT}, client_id ${TEXT}, count_value bigint, data bytea, encoding ${TEXT},
    at_ms bigint not null, actor_kind smallint not null, actor_client_id ${TEXT}, actor_socket_id ${TEXT},
    keep_day date not null, primary key (stream_key, annotation_no, keep_day)) partition by range (keep_day)`,
  `create index on ${table('annotations')} (stream_key, message_serial, type, annotation_no)`,
  takenBack(table),
  `create table ${table('annotation_parts')} (
    stream_key bigint not null, message_serial ${TEXT} not null, type ${TEXT} not null, name ${TEXT} not null,
    client_id ${TEXT} not null, amount bigint not null,
    primary key (stream_key, message_serial, type, name, client_id)) partition by hash (stream_key)`,
  ...hashParts(table('annotation_parts'), (index) => table(`parts_${index}`), parts),
  `create table ${table('annotation_summaries')} (
    stream_key bigint not null, message_serial ${TEXT} not null, type ${TEXT} not null, summary jsonb not null,
    last_no bigint not null, changed_at_ms bigint not null,
    primary key (stream_key, message_serial, type)) partition by hash (stream_key)`,
  ...hashParts(table('annotation_summaries'), (index) => table(`summaries_${index}`), parts),
  `create index on ${table('annotation_summaries')} (stream_key, last_no desc)`,
];

const presence = (table: Names): string[] => [
  `create table ${table('presence_events')} (
    stream_key bigint not null, generation int not null, serial bigint not null, at_ms bigint not null,
    event smallint not null, cause smallint not null, user_id ${TEXT} not null, connection_id ${TEXT},
    dead_node_id ${TEXT}, body bytea not null, body_size int not null, keep_until_ms bigint not null,
    keep_day date not null, primary key (stream_key, generation, serial, keep_day)) partition by range (keep_day)`,
  `create table ${table('presence_members')} (
    stream_key bigint, generation int, user_id ${TEXT}, present boolean not null, last_no bigint,
    last_serial bigint not null, primary key (stream_key, generation, user_id))`,
  membersThere(table),
  `create table ${table('presence_checkpoints')} (
    stream_key bigint, generation int, serial bigint, members jsonb not null, keep_day date not null,
    primary key (stream_key, generation, serial))`,
];
