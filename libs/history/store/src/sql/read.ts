import type { SqlRow, SqlScalar, SqlSession } from '@carillon/database';
import type { PresenceEvent } from '../model/presence.js';
import type { StoredRecord } from '../model/record.js';
import type { PageQuery, RangeQuery } from '../port.js';
import { visibleFloor } from './floor.js';
import { EVENT_COLUMNS, eventOf, RECORD_COLUMNS, recordOf } from './rows.js';
import { keptDays, type Names, SHOWN } from './shown.js';
import type { RememberedSums } from './sums.js';
import { narrowed } from './time-bounds.js';

export async function readRange(
  session: SqlSession,
  table: Names,
  { streamKey, generation, fromSerial, toSerial, limit }: RangeQuery,
): Promise<StoredRecord[]> {
  const { rows } = await session.query(
    `select ${RECORD_COLUMNS}, s.floor_history_serial from ${table('records')} c
      join ${table('streams')} s on s.stream_key = c.stream_key and s.generation = c.generation
      where c.stream_key = $1 and c.generation = $2 and c.delivery_serial between $3 and $4
      order by c.delivery_serial limit $5`,
    [streamKey, generation, fromSerial, toSerial, limit],
  );
  return rows.map((row) => asRead(recordOf(row), Number(row['floor_history_serial'])));
}

/** Records below the floor read as erased, whether or not they have been erased yet. */
function asRead(record: StoredRecord, floor: number): StoredRecord {
  const serial = record.rootHistorySerial ?? record.historySerial;
  return serial !== null && serial < floor ? { ...record, tombstone: true, payload: null } : record;
}

export const readPage = async (
  session: SqlSession,
  table: Names,
  query: PageQuery,
  sums?: RememberedSums,
): Promise<StoredRecord[]> => (await readRows(session, table, query, RECORD_COLUMNS, sums)).map(recordOf);

export const readPresenceEvents = async (
  session: SqlSession,
  table: Names,
  query: PageQuery,
  sums?: RememberedSums,
): Promise<PresenceEvent[]> => (await readRows(session, table, query, EVENT_COLUMNS, sums)).map(eventOf);

async function readRows(
  session: SqlSession,
  table: Names,
  query: PageQuery,
  columns: string,
  sums?: RememberedSums,
): Promise<readonly SqlRow[]> {
  const { stream, nowMs, newestFirst, limit } = query;
  const { table: name, serial, at, until, own } = SHOWN[stream.address.kind];
  const { fromSerial, toSerial } = await narrowed(session, table, query);
  const floor = await visibleFloor(session, table, stream, nowMs, sums);
  const values: SqlScalar[] = [
    stream.streamKey,
    stream.generation,
    Math.max(floor, fromSerial ?? floor),
    nowMs,
    ...keptDays(stream, nowMs),
  ];
  // A bound that is not there must not be in the statement: a plan that has to do for both does not use the index.
  const bounds = [
    [`c.${serial} <=`, toSerial],
    [`c.${at} >=`, query.fromMs],
    [`c.${at} <=`, query.toMs],
  ] as const;
  const conditions = bounds.flatMap(([condition, value]) =>
    value === null ? [] : [`and ${condition} $${values.push(value)}`],
  );
  const { rows } = await session.query(
    `select ${columns} from ${table(name)} c where ${own} and c.${serial} >= $3 and c.${until} > $4
      and c.keep_day between $5::date and $6::date ${conditions.join(' ')}
      order by c.${serial} ${newestFirst ? 'desc' : 'asc'} limit $${values.push(limit)}`,
    values,
  );
  return rows;
}
