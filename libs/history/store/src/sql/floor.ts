import type { SqlSession } from '@carillon/database';
import { countFloor } from '../model/floor.js';
import type { Stream } from '../model/stream.js';
import { type Names, SHOWN } from './shown.js';
import { bytesBetween, RememberedSums, type SumScope } from './sums.js';

/** The lowest history serial that purges and caps leave visible. */
export async function visibleFloor(
  session: SqlSession,
  table: Names,
  stream: Stream,
  nowMs: number,
  sums = new RememberedSums(),
): Promise<number> {
  const floor = countFloor(stream);
  const { maxBytes, retainedBytes } = stream;
  if (maxBytes === null || retainedBytes <= maxBytes) return floor;
  const scope = { session, table, stream, nowMs, sums };
  const from = Math.max(floor, sums.beginning(stream) ?? floor);
  return (await fromTheOldest(scope, from, maxBytes)) ?? fromTheNewest(scope, floor, maxBytes);
}

/** Returns the floor after dropping the oldest rows until the rest fits. Null: the stored sums do not suffice. */
async function fromTheOldest(scope: SumScope, from: number, maxBytes: number): Promise<number | null> {
  const { session, table, stream, sums } = scope;
  const head = stream.nextHistorySerial - 1;
  const bytes = await bytesBetween(scope, from, head);
  if (bytes === null) return null;
  if (bytes <= maxBytes) {
    sums.remember(stream, { from, to: head, bytes });
    return from;
  }
  const { table: name, serial, size, own } = SHOWN[stream.address.kind];
  const found = await session.query(
    `select added.serial, added.bytes, added.messages from (
        select c.${serial} as serial, sum(c.${size}) over (order by c.${serial}) as bytes,
            count(*) over (order by c.${serial}) as messages
          from ${table(name)} c where ${own} and c.${serial} >= $3 and c.${serial} <= $4) added
      where added.bytes >= $5 order by added.serial limit 1`,
    [stream.streamKey, stream.generation, from, head, bytes - maxBytes],
  );
  const [last] = found.rows;
  const floor = Number(last?.['serial']) + 1;
  // If some rows were missing, the sum does not match the dropped rows.
  if (last === undefined || Number(last['messages']) !== floor - from) return null;
  sums.remember(stream, { from: floor, to: head, bytes: bytes - Number(last['bytes']) });
  return floor;
}

/** Takes the newest as long as they fit. */
async function fromTheNewest(
  { session, table, stream }: SumScope,
  floor: number,
  maxBytes: number,
): Promise<number> {
  const { table: name, serial, size, own } = SHOWN[stream.address.kind];
  const found = await session.query(
    `select sized.serial from (
        select c.${serial} as serial, sum(c.${size}) over (order by c.${serial} desc) as bytes
          from ${table(name)} c where ${own} and c.${serial} >= $3) sized
      where sized.bytes > $4 order by sized.serial desc limit 1`,
    [stream.streamKey, stream.generation, floor, maxBytes],
  );
  return found.rows[0] === undefined ? floor : Number(found.rows[0]['serial']) + 1;
}
