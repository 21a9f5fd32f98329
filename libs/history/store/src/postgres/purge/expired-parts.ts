import { slotOf } from '../../model/calendar.js';
import type { StreamKind } from '../../model/stream.js';
import type { Evicted } from '../../retention.js';
import { lockByKey } from './lock.js';
import { type PartDone, type PurgeScope, today } from '../../sql/scope.js';
import { ROWS } from '../../sql/rows.js';

/** Tables that are split by time, with how their parts are named. */
const BY_DAY = [
  ['records', 'records', 'messages'],
  ['presence_events', 'presence', 'presence'],
  ['annotations', 'annotations', null],
] as const;

const SLOT_MS = 3_600_000;

/** Drops the oldest part of a table that holds nothing but expired rows, or takes it out of the counters bit by bit. */
export async function dropExpiredPart(scope: PurgeScope): Promise<PartDone | null> {
  const day = today(scope).replaceAll('-', '');
  for (const [table, names, kind] of BY_DAY) {
    const part = await oldestPart(scope, table, names, day);
    if (part === null) continue;
    return kind === null ? drop(scope, part) : await takeOut(scope, part, kind);
  }
  const { nowMs, receiptsKeptMs } = scope.request;
  const slot = slotOf(nowMs - receiptsKeptMs - SLOT_MS);
  const receipts = await oldestPart(scope, 'receipts', 'receipts', String(slot));
  return receipts === null ? null : drop(scope, receipts);
}

/** Returns the first partition before a day or hour as an SQL name; null: none. */
async function oldestPart(
  { session, table }: PurgeScope,
  of: string,
  names: string,
  before: string,
): Promise<string | null> {
  const { rows } = await session.query(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass($1) order by c.relname`,
    [table(of)],
  );
  const whole = table(`${names}_`);
  const start = bare(whole);
  const found = rows
    .map((row) => String(row['name']))
    .find((name) => {
      const period = name.slice(start.length);
      return name.startsWith(start) && /^\d+$/.test(period) && Number(period) < Number(before);
    });
  return found === undefined ? null : whole.replace(`"${start}"`, `"${found}"`);
}

/** The name alone, without the schema. */
const bare = (quoted: string): string => quoted.slice(quoted.lastIndexOf('"', quoted.length - 2) + 1, -1);

async function drop({ session, table }: PurgeScope, part: string): Promise<PartDone> {
  await session.query(`drop table ${part}`);
  await session.query(`delete from ${table('meta')} where key = $1`, [progressKey(part)]);
  return { evicted: [], removed: 1 };
}

const progressKey = (part: string): string => `purged_up_to:${bare(part)}`;

/**
 * Takes the rows of some streams of a dying part out of their counters and floors, and notes how far that went; so a
 * part of any size is taken out in steps that are all or nothing. Once no stream is left, the part is dropped.
 */
async function takeOut(scope: PurgeScope, part: string, kind: StreamKind): Promise<PartDone> {
  const { session, table, request } = scope;
  const { history, size } = ROWS[kind];
  const noted = await session.query(`select value from ${table('meta')} where key = $1`, [progressKey(part)]);
  const next = await session.query(
    `select distinct c.stream_key from ${part} c where c.stream_key > $1 order by c.stream_key limit $2`,
    [noted.rows[0] === undefined ? '0' : String(noted.rows[0]['value']), request.batch],
  );
  const keys = next.rows.map((row) => String(row['stream_key']));
  if (keys.length === 0) return drop(scope, part);
  const streams = await lockByKey(scope, keys);
  const lost = await session.query(
    `select v.stream_key, count(*) as records, coalesce(sum(c.${size}), 0) as bytes
      from unnest($1::bigint[], $2::int[], $3::bigint[]) as v(stream_key, generation, floor)
        join ${part} c on c.stream_key = v.stream_key and c.generation = v.generation and c.${history} >= v.floor
      group by v.stream_key`,
    [
      streams.map((row) => String(row['stream_key'])),
      streams.map((row) => Number(row['generation'])),
      streams.map((row) => String(row['floor_history_serial'])),
    ],
  );
  await lower(scope, kind, lost.rows, streams);
  if (kind === 'presence') await dropCheckpoints(scope, keys);
  await session.query(
    `insert into ${table('meta')} values ($1, $2) on conflict (key) do update set value = excluded.value`,
    [progressKey(part), keys.at(-1) ?? '0'],
  );
  const apps = new Map(streams.map((row) => [String(row['stream_key']), String(row['app_id'])]));
  const evicted = lost.rows.map((row): Evicted => ({
    appId: apps.get(String(row['stream_key'])) ?? '',
    kind,
    records: Number(row['records']),
    bytes: Number(row['bytes']),
  }));
  return { evicted, removed: keys.length };
}

/** Drops checkpoints below the new floors. */
async function dropCheckpoints({ session, table }: PurgeScope, keys: readonly string[]): Promise<void> {
  await session.query(
    `delete from ${table('presence_checkpoints')} p using ${table('streams')} s
      where s.stream_key = any($1::bigint[]) and p.stream_key = s.stream_key
        and p.generation = s.generation and p.serial < s.floor_history_serial`,
    [keys],
  );
}

/** Raises the floors to the first row with longer retention, or to the head if none remains. */
async function lower(
  scope: PurgeScope,
  kind: StreamKind,
  lost: readonly Readonly<Record<string, unknown>>[],
  streams: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const { session, table } = scope;
  const { table: rows, history, delivery } = ROWS[kind];
  const byKey = new Map(lost.map((row) => [String(row['stream_key']), row]));
  const keys = streams.map((row) => String(row['stream_key']));
  const first = (serial: string, floor: string) =>
    `(select c.${serial} from ${table(rows)} c where c.stream_key = s.stream_key and c.generation = s.generation
      and c.${serial} >= ${floor} and c.keep_day >= $4::date order by c.${serial} limit 1)`;
  await session.query(
    `update ${table('streams')} s set retained_messages = greatest(0, s.retained_messages - v.records),
        retained_bytes = greatest(0, s.retained_bytes - v.bytes),
        floor_history_serial = greatest(s.floor_history_serial,
          coalesce(${first(history, 's.floor_history_serial')}, s.next_history_serial)),
        floor_delivery_serial = greatest(s.floor_delivery_serial,
          coalesce(${first(delivery, 's.floor_delivery_serial')}, s.next_delivery_serial))
      from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as v(stream_key, records, bytes)
      where s.stream_key = v.stream_key`,
    [
      keys,
      keys.map((key) => Number(byKey.get(key)?.['records'] ?? 0)),
      keys.map((key) => Number(byKey.get(key)?.['bytes'] ?? 0)),
      today(scope),
    ],
  );
}
