import type { SqlSession } from '@carillon/database';
import { slotsBetween } from '../model/calendar.js';
import { type Stream, type StreamAddress, streamName } from '../model/stream.js';
import type { TailQuery } from '../port.js';
import { STREAM_COLUMNS, streamOf } from '../sql/rows.js';
import { addressArrays } from './find.js';

type Names = (name: string) => string;

export async function readHeads(
  session: SqlSession,
  table: Names,
  addresses: readonly StreamAddress[],
): Promise<Map<string, Stream>> {
  const { rows } = await session.query(
    `select ${STREAM_COLUMNS} from ${table('streams')} s where (s.app_id, s.channel, s.kind) in
      (select * from unnest($1::text[], $2::text[], $3::smallint[]))`,
    addressArrays(addresses),
  );
  return new Map(rows.map(streamOf).map((stream) => [streamName(stream.address), stream]));
}

/** Streams searched for a tail per call; the next call finds the rest. */
const MAX_BEHIND = 10_000;

export async function readBehind(
  session: SqlSession,
  table: Names,
  { lane, lanes, sinceMs }: TailQuery,
  nowMs: number,
): Promise<Stream[]> {
  const { rows } = await session.query(
    `select ${STREAM_COLUMNS} from ${table('streams')} s where s.kind = 1 and s.route % $1 = $2
        and s.fanned_out_serial < s.next_delivery_serial - 1 and s.stream_key in
          (select r.stream_key from ${table('receipts')} r where r.slot = any($3::int[]) and r.at_ms >= $4)
      limit ${MAX_BEHIND}`,
    [lanes, lane, slotsBetween(sinceMs, nowMs), sinceMs],
  );
  return rows.map(streamOf);
}
