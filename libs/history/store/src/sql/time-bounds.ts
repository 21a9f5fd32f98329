import type { SqlSession } from '@carillon/database';
import type { PageQuery } from '../port.js';
import { keptDays, type Names, SHOWN } from './shown.js';

/** Fewer rows are looked at one by one. */
const NARROW = 1000;

/**
 * Replaces time bounds of a page by serial bounds, so that it costs no more than any page: times never decrease as
 * serials rise.
 */
export async function narrowed(session: SqlSession, table: Names, query: PageQuery): Promise<PageQuery> {
  const { fromMs, toMs, stream } = query;
  if (fromMs === null && toMs === null) return query;
  const first = Math.max(query.fromSerial ?? 0, stream.floorHistorySerial);
  const last = Math.min(query.toSerial ?? Infinity, stream.nextHistorySerial - 1);
  const look = (from: number) => firstFrom(session, table, query, from);
  const [fromSerial] =
    fromMs === null ? [first] : await around(look, first, last, ({ atMs }) => atMs < fromMs);
  const [, toSerial] =
    toMs === null ? [0, last] : await around(look, first, last, ({ atMs }) => atMs <= toMs);
  return { ...query, fromSerial, toSerial };
}

interface Row {
  readonly serial: number;
  readonly atMs: number;
}

/**
 * Serials between which the first row is that is not before, if all that are come before all that are not; the ends are
 * within. `look` finds the first row from a serial on.
 */
export async function around<Found extends { readonly serial: number }>(
  look: (from: number) => Promise<Found | null>,
  first: number,
  last: number,
  isBefore: (row: Found) => boolean,
): Promise<readonly [from: number, to: number]> {
  let [low, high] = [first, last];
  while (high - low > NARROW) {
    const middle = Math.floor((low + high) / 2);
    const row = await look(middle);
    if (row !== null && isBefore(row)) low = row.serial;
    else high = middle;
  }
  return [low, high];
}

async function firstFrom(
  session: SqlSession,
  table: Names,
  { stream, nowMs }: PageQuery,
  from: number,
): Promise<Row | null> {
  const { table: name, serial, at, own } = SHOWN[stream.address.kind];
  const { rows } = await session.query(
    `select c.${serial} as serial, c.${at} as at from ${table(name)} c where ${own} and c.${serial} >= $3
      and c.keep_day between $4::date and $5::date order by c.${serial} limit 1`,
    [stream.streamKey, stream.generation, from, ...keptDays(stream, nowMs)],
  );
  return rows[0] === undefined ? null : { serial: Number(rows[0]['serial']), atMs: Number(rows[0]['at']) };
}
