import type { SqlSession } from '@carillon/database';
import type { PageQuery } from '../port.js';

/** Where the rows of a kind of stream are; times never decrease as serials rise. */
export interface TimedRows {
  /** As it stands in a statement. */
  readonly table: string;
  readonly serial: string;
  readonly at: string;
}

/** Fewer rows are looked at one by one. */
const NARROW = 1000;

/** Narrows a page with bounds of time to the serials that can be within them, so that it costs what any page does. */
export async function narrowed(session: SqlSession, rows: TimedRows, query: PageQuery): Promise<PageQuery> {
  const { fromMs, toMs, stream } = query;
  if (fromMs === null && toMs === null) return query;
  const first = Math.max(query.fromSerial ?? 0, stream.floorHistorySerial);
  const last = Math.min(query.toSerial ?? Infinity, stream.nextHistorySerial - 1);
  const look = (from: number) => firstFrom(session, rows, query, from);
  const [fromSerial] = fromMs === null ? [first] : await around(look, first, last, (at) => at < fromMs);
  const [, toSerial] = toMs === null ? [0, last] : await around(look, first, last, (at) => at <= toMs);
  return { ...query, fromSerial, toSerial };
}

interface Row {
  readonly serial: number;
  readonly atMs: number;
}

/** Serials between which the first row is that is not before; the ends are within. */
async function around(
  look: (from: number) => Promise<Row | null>,
  first: number,
  last: number,
  isBefore: (atMs: number) => boolean,
): Promise<readonly [from: number, to: number]> {
  let [low, high] = [first, last];
  while (high - low > NARROW) {
    const middle = Math.floor((low + high) / 2);
    const row = await look(middle);
    if (row !== null && isBefore(row.atMs)) low = row.serial;
    else high = middle;
  }
  return [low, high];
}

async function firstFrom(
  session: SqlSession,
  { table, serial, at }: TimedRows,
  { stream }: PageQuery,
  from: number,
): Promise<Row | null> {
  const { rows } = await session.query(
    `select c.${serial} as serial, c.${at} as at from ${table} c where c.stream_key = $1 and c.generation = $2
      and c.${serial} is not null and c.${serial} >= $3 order by c.${serial} limit 1`,
    [stream.streamKey, stream.generation, from],
  );
  return rows[0] === undefined ? null : { serial: Number(rows[0]['serial']), atMs: Number(rows[0]['at']) };
}
