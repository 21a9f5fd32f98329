import type { PartDone, PurgeScope } from './scope.js';

/** Streams of a channel that one step looks at. */
const MAX_CHANNELS = 100;

/**
 * Closes open messages that have expired, for example after writers were unavailable for longer than the retention:
 * they can no longer be ended, so they no longer count as open and are removed like other expired messages. For both
 * databases.
 */
export async function closeOver({ session, table, request }: PurgeScope): Promise<PartDone | null> {
  const over = 'm.is_open and m.keep_until_ms <= ';
  const { rows } = await session.query(
    `select distinct m.stream_key from ${table('messages')} m where ${over} $1 limit ${MAX_CHANNELS}`,
    [request.nowMs],
  );
  if (rows.length === 0) return null;
  const keys = rows.map((row) => String(row['stream_key']));
  const streams = await session.query(
    `select s.stream_key, s.generation, s.floor_message_serial from ${table('streams')} s
      where s.stream_key in (${keys.map((_, index) => `$${index + 1}::bigint`).join(', ')})
      order by s.app_id, s.channel, s.kind for update`,
    keys,
  );
  const found = new Map(streams.rows.map((stream) => [String(stream['stream_key']), stream]));
  let removed = 0;
  for (const key of keys) {
    const stream = found.get(key);
    if (stream !== undefined) {
      // Messages from before a reset or below the purged serial no longer count.
      const counted = await session.query(
        `select count(*) as messages from ${table('messages')} m where m.stream_key = $1::bigint and ${over} $2
          and m.generation = $3 and m.history_serial >= $4`,
        [key, request.nowMs, Number(stream['generation']), Number(stream['floor_message_serial'])],
      );
      await session.query(
        `update ${table('streams')} set open_stream_count = greatest(0, open_stream_count - $1)
          where stream_key = $2::bigint`,
        [Number(counted.rows[0]?.['messages']), key],
      );
    }
    const closed = await session.query(
      `update ${table('messages')} set is_open = false
        where stream_key = $1::bigint and is_open and keep_until_ms <= $2`,
      [key, request.nowMs],
    );
    removed += closed.changed;
  }
  return { evicted: [], removed };
}
