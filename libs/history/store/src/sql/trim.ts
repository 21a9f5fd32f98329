import type { Stream } from '../model/stream.js';
import { visibleFloor } from './floor.js';
import { ROWS } from './rows.js';
import type { PartDone, PurgeScope } from './scope.js';

/** Younger rows are kept for gateways that missed them. */
const TRIMMED_AFTER_MS = 15_000;

/** Versions of a message are kept for their retention, regardless of their position in the history. */
const LIVES_ON = {
  messages: 'and (action = 0 or keep_until_ms <= $4)',
  presence: '',
} as const;

/** Raises the floor towards the caps and deletes the rows below; the stream is locked. */
export async function trimStream(scope: PurgeScope, stream: Stream): Promise<PartDone | null> {
  const { session, table, request } = scope;
  const { streamKey, generation, floorHistorySerial: floor, address } = stream;
  const { table: name, history, delivery, size, at } = ROWS[address.kind];
  const wanted = await visibleFloor(session, table, stream, request.nowMs);
  const { rows } = await session.query(
    `select c.${history} as serial, c.${size} as bytes from ${table(name)} c where c.stream_key = $1
        and c.generation = $2 and c.${history} >= $3 and c.${history} < $4 and c.${at} < $5
        and (c.${delivery} <= $6 or c.${at} < $7) order by c.${history} limit $8`,
    [
      streamKey,
      generation,
      floor,
      wanted,
      request.nowMs - TRIMMED_AFTER_MS,
      // Presence histories have no fan-out.
      address.kind === 'presence' ? stream.nextDeliverySerial : stream.fannedOutSerial,
      request.nowMs - request.receiptsKeptMs,
      request.batch,
    ],
  );
  const newest = rows.at(-1);
  if (newest === undefined) return null;
  const bytes = rows.reduce((sum, row) => sum + Number(row['bytes']), 0);
  const next = Number(newest['serial']) + 1;
  const first = await session.query(
    `select c.${delivery} as serial from ${table(name)} c where c.stream_key = $1 and c.generation = $2
      and c.${history} >= $3 order by c.${history} limit 1`,
    [streamKey, generation, next],
  );
  const deliveryFloor = Number(first.rows[0]?.['serial'] ?? stream.nextDeliverySerial);
  await session.query(
    `delete from ${table(name)} where stream_key = $1 and generation = $2 and ${delivery} < $3 ${LIVES_ON[address.kind]}`,
    [streamKey, generation, deliveryFloor, ...(address.kind === 'messages' ? [request.nowMs] : [])],
  );
  if (address.kind === 'presence')
    await session.query(
      `delete from ${table('presence_checkpoints')} where stream_key = $1 and generation = $2 and serial < $3`,
      [streamKey, generation, next],
    );
  await session.query(
    `update ${table('streams')} s set floor_history_serial = $2,
        floor_delivery_serial = greatest(s.floor_delivery_serial, $3),
        retained_messages = greatest(0, s.retained_messages - $4),
        retained_bytes = greatest(0, s.retained_bytes - $5) where s.stream_key = $1`,
    [streamKey, next, deliveryFloor, rows.length, bytes],
  );
  const evicted = [{ appId: address.appId, kind: address.kind, records: rows.length, bytes }];
  return { evicted, removed: rows.length };
}
