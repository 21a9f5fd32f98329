import type { SqlRow, SqlScalar, SqlSession } from '@carillon/database';
import { keepDay } from '../model/calendar.js';
import { countFloor } from '../model/floor.js';
import type { PresenceEvent } from '../model/presence.js';
import type { StoredRecord } from '../model/record.js';
import type { Stream, StreamKind } from '../model/stream.js';
import type { PageQuery, RangeQuery, Retained } from '../port.js';
import { HISTORY } from './look.js';
import { narrowed } from './time-bounds.js';
import { EVENT_COLUMNS, eventOf, RECORD_COLUMNS, recordOf } from './rows.js';

type Names = (name: string) => string;

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

/** What is below the floor reads as erased, whether it is already or not. */
function asRead(record: StoredRecord, floor: number): StoredRecord {
  const serial = record.rootHistorySerial ?? record.historySerial;
  return serial !== null && serial < floor ? { ...record, tombstone: true, payload: null } : record;
}

/** Rows of one kind of stream, as they are shown. */
interface Shown {
  readonly table: string;
  readonly serial: string;
  readonly at: string;
  readonly size: string;
  /** `$1` to `$3` are the stream and its floor, `$4` is now, `$5` and `$6` the days that anything visible is kept for. */
  readonly visible: string;
}

const SHOWN: Readonly<Record<StreamKind, Shown>> = {
  messages: {
    table: 'records',
    serial: 'history_serial',
    at: 'published_at_ms',
    size: 'payload_size',
    visible: `${HISTORY} and c.history_serial >= $3 and c.history_until_ms > $4
      and c.keep_day between $5::date and $6::date`,
  },
  presence: {
    table: 'presence_events',
    serial: 'serial',
    at: 'at_ms',
    size: 'body_size',
    visible: `c.stream_key = $1 and c.generation = $2 and c.serial >= $3 and c.keep_until_ms > $4
      and c.keep_day between $5::date and $6::date`,
  },
};

async function visibleValues(session: SqlSession, table: Names, stream: Stream, nowMs: number) {
  const floor = await visibleFloor(session, table, stream);
  const today = keepDay(nowMs);
  return [stream.streamKey, stream.generation, floor, nowMs, today, stream.lastKeepDay ?? today] as const;
}

export const readPage = async (
  session: SqlSession,
  table: Names,
  query: PageQuery,
): Promise<StoredRecord[]> =>
  (await readRows(session, table, query, SHOWN.messages, RECORD_COLUMNS)).map(recordOf);

export const readPresenceEvents = async (
  session: SqlSession,
  table: Names,
  query: PageQuery,
): Promise<PresenceEvent[]> =>
  (await readRows(session, table, query, SHOWN.presence, EVENT_COLUMNS)).map(eventOf);

async function readRows(
  session: SqlSession,
  table: Names,
  query: PageQuery,
  { table: from, serial, at, visible }: Shown,
  columns: string,
): Promise<readonly SqlRow[]> {
  const { stream, nowMs, newestFirst, limit } = query;
  const { fromSerial, toSerial } = await narrowed(session, { table: table(from), serial, at }, query);
  const values: SqlScalar[] = [...(await visibleValues(session, table, stream, nowMs))];
  // A bound that is not there must not be in the statement: a plan that has to do for both does not use the index.
  const bounds = [
    [`c.${serial} >=`, fromSerial],
    [`c.${serial} <=`, toSerial],
    [`c.${at} >=`, query.fromMs],
    [`c.${at} <=`, query.toMs],
  ] as const;
  const conditions = bounds.flatMap(([condition, value]) =>
    value === null ? [] : [`and ${condition} $${values.push(value)}`],
  );
  const { rows } = await session.query(
    `select ${columns} from ${table(from)} c where ${visible} ${conditions.join(' ')}
      order by c.${serial} ${newestFirst ? 'desc' : 'asc'} limit $${values.push(limit)}`,
    values,
  );
  return rows;
}

export async function readRetained(
  session: SqlSession,
  table: Names,
  stream: Stream,
  nowMs: number,
): Promise<Retained> {
  const { table: from, serial, at, size, visible } = SHOWN[stream.address.kind];
  const values = await visibleValues(session, table, stream, nowMs);
  const edge = async (order: 'asc' | 'desc') => {
    const { rows } = await session.query(
      `select c.${serial} as serial, c.${at} as at from ${table(from)} c where ${visible}
        order by c.${serial} ${order} limit 1`,
      values,
    );
    const [row] = rows;
    return row === undefined ? null : { serial: Number(row['serial']), publishedAtMs: Number(row['at']) };
  };
  const [oldest, newest] = [await edge('asc'), await edge('desc')];
  if (oldest === null || newest === null) return { oldest: null, newest: null, messages: 0, bytes: 0 };
  // The counters of the stream are right unless something expired or went over a cap since they were.
  if (newest.serial - oldest.serial + 1 === stream.retainedMessages)
    return { oldest, newest, messages: stream.retainedMessages, bytes: stream.retainedBytes };
  const { rows } = await session.query(
    `select count(*) as messages, sum(c.${size}) as bytes from ${table(from)} c where ${visible}`,
    values,
  );
  return { oldest, newest, messages: Number(rows[0]?.['messages']), bytes: Number(rows[0]?.['bytes']) };
}

/** The lowest history serial that purges and caps leave visible. */
export async function visibleFloor(session: SqlSession, table: Names, stream: Stream): Promise<number> {
  const floor = countFloor(stream);
  const { maxBytes, retainedBytes, streamKey, generation } = stream;
  if (maxBytes === null || retainedBytes <= maxBytes) return floor;
  const { table: rows, serial, size } = SHOWN[stream.address.kind];
  const found = await session.query(
    `select sized.serial from (
        select c.${serial} as serial, sum(c.${size}) over (order by c.${serial} desc) as bytes
          from ${table(rows)} c where c.stream_key = $1 and c.generation = $2 and c.${serial} >= $3) sized
      where sized.bytes > $4 order by sized.serial desc limit 1`,
    [streamKey, generation, floor, maxBytes],
  );
  return found.rows[0] === undefined ? floor : Number(found.rows[0]['serial']) + 1;
}
