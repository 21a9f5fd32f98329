import type { SqlRow } from '@carillon/database';
import { slotOf } from '../model/calendar.js';
import type { StreamKind } from '../model/stream.js';
import { type Evicted, sumEvicted } from '../retention.js';
import { ROWS } from '../sql/rows.js';
import { type PartDone, type PurgeScope, today } from '../sql/scope.js';
import { removeMessages } from './erased.js';
import { tuples } from './statements.js';

export const SLOT_MS = 3_600_000;

/** Removes rows of expired days, subtracts them from the counters, and removes expired receipts. */
export async function removeExpired(scope: PurgeScope): Promise<PartDone | null> {
  for (const kind of ['messages', 'presence'] as const) {
    const done = await removeOfKind(scope, kind);
    if (done !== null) return done;
  }
  const { session, table, request } = scope;
  const over = await removeMessages(scope, 'not is_open and keep_until_ms <= ?', [request.nowMs]);
  if (over > 0) return { evicted: [], removed: over };
  const annotations = await session.query(`delete from ${table('annotations')} where keep_day < ? limit ?`, [
    today(scope),
    request.batch,
  ]);
  if (annotations.changed > 0) return { evicted: [], removed: annotations.changed };
  const { changed } = await session.query(`delete from ${table('receipts')} where slot < ? limit ?`, [
    slotOf(request.nowMs - request.receiptsKeptMs - SLOT_MS),
    request.batch,
  ]);
  return changed === 0 ? null : { evicted: [], removed: changed };
}

async function removeOfKind(scope: PurgeScope, kind: StreamKind): Promise<PartDone | null> {
  const { session, table, request } = scope;
  const { table: name, history, delivery, size } = ROWS[kind];
  const { rows } = await session.query(
    `select c.stream_key, c.generation, c.${delivery} as delivery, c.${history} as history, c.${size} as size
      from ${table(name)} c where c.keep_day < ? limit ?`,
    [today(scope), request.batch],
  );
  if (rows.length === 0) return null;
  await session.query(
    `delete from ${table(name)} where (stream_key, generation, ${delivery}) in (${tuples(rows.length, 3)})
      and keep_day < ?`,
    [
      ...rows.flatMap((row) => [
        String(row['stream_key']),
        Number(row['generation']),
        Number(row['delivery']),
      ]),
      today(scope),
    ],
  );
  const streams = await session.query(
    `select s.stream_key, s.app_id, s.generation, s.floor_history_serial from ${table('streams')} s
      where s.stream_key in (?) order by s.app_id, s.channel, s.kind for update`,
    [[...new Set(rows.map((row) => String(row['stream_key'])))]],
  );
  const evicted: Evicted[] = [];
  for (const stream of streams.rows) {
    const lost = lostOf(stream, rows);
    await lower(scope, kind, stream, lost);
    if (lost.records > 0) evicted.push({ appId: String(stream['app_id']), kind, ...lost });
  }
  if (kind === 'presence') await dropCheckpoints(scope, streams.rows);
  return { evicted: sumEvicted(evicted), removed: rows.length };
}

/** Drops checkpoints below the new floors. */
async function dropCheckpoints({ session, table }: PurgeScope, streams: readonly SqlRow[]): Promise<void> {
  if (streams.length === 0) return;
  await session.query(
    `delete p from ${table('presence_checkpoints')} p join ${table('streams')} s on s.stream_key = p.stream_key
      where s.stream_key in (?) and p.generation = s.generation and p.serial < s.floor_history_serial`,
    [streams.map((row) => String(row['stream_key']))],
  );
}

/** Returns the part of the rows that belonged to the history of a stream. */
function lostOf(
  stream: SqlRow,
  rows: readonly SqlRow[],
): { readonly records: number; readonly bytes: number } {
  const own = rows.filter(
    (row) =>
      String(row['stream_key']) === String(stream['stream_key']) &&
      Number(row['generation']) === Number(stream['generation']) &&
      Number(row['history'] ?? 0) >= Number(stream['floor_history_serial']),
  );
  return { records: own.length, bytes: own.reduce((sum, row) => sum + Number(row['size']), 0) };
}

/** Raises the floors to the first remaining row, or to the head if none remains. */
async function lower(
  { session, table }: PurgeScope,
  kind: StreamKind,
  stream: SqlRow,
  { records, bytes }: { readonly records: number; readonly bytes: number },
): Promise<void> {
  const { table: name, history, delivery } = ROWS[kind];
  const first = (serial: string) =>
    `(select min(c.${serial}) from ${table(name)} c where c.stream_key = ? and c.generation = ?
      and c.${serial} >= ?)`;
  const key = String(stream['stream_key']);
  const at = [key, Number(stream['generation'])];
  await session.query(
    `update ${table('streams')} set retained_messages = greatest(0, retained_messages - ?),
        retained_bytes = greatest(0, retained_bytes - ?),
        floor_history_serial = greatest(floor_history_serial, coalesce(${first(history)}, next_history_serial)),
        floor_delivery_serial = greatest(floor_delivery_serial, coalesce(${first(delivery)}, next_delivery_serial))
      where stream_key = ?`,
    [records, bytes, ...at, Number(stream['floor_history_serial']), ...at, 1, key],
  );
}
