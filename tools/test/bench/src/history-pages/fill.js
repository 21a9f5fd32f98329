// Fills a channel as lanes would have in the hour before, a hundred thousand records a statement.
import { streamName } from '@carillon/history-store';
import { BenchError } from '../../settings/bench-error.js';
import { ADDRESS, CHANNEL } from './records.js';

const AT_ONCE = 100_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The newest is so old that its receipt is over: nothing but the cap keeps a row. */
const YOUNGEST_MS = 660_000;

/** @type {import('@carillon/history-store').Changes} */
const NOTHING = {
  streams: [],
  records: [],
  receipts: [],
  presenceEvents: [],
  presenceMembers: [],
  presenceCheckpoints: [],
  operatorLog: [],
};

/** @param {import('../history/setting.js').Setting} setting */
async function newStream({ store }) {
  const nowMs = Date.now();
  await store.commit(
    {
      nowMs,
      streams: [{ address: ADDRESS, create: true }],
      receipts: { scopes: [], sinceMs: nowMs },
      members: [],
      crowds: [],
      below: null,
      inspect: false,
    },
    () => ({ changes: NOTHING }),
  );
  const stream = (await store.heads([ADDRESS])).get(streamName(ADDRESS));
  if (stream === undefined) throw new BenchError('the stream was not made');
  return stream;
}

/**
 * Makes the channel with so many records, which is also its cap.
 * @param {import('../history/setting.js').Setting} setting @param {number} records @param {number} payloadBytes
 */
export async function fill(setting, records, payloadBytes) {
  const { database, store, table } = setting;
  // The parts of the tables for the days to come are made by a purge.
  await store.purge({ nowMs: Date.now(), batch: 1, receiptsKeptMs: HOUR_MS, windowMs: DAY_MS });
  const { streamKey } = await newStream(setting);
  const firstMs = Date.now() - HOUR_MS;
  const spanMs = HOUR_MS - YOUNGEST_MS;
  for (let first = 1; first <= records; first += AT_ONCE) {
    const last = Math.min(records, first + AT_ONCE - 1);
    await database.query(
      `insert into ${table('records')} (stream_key, generation, delivery_serial, history_serial, published_at_ms,
          history_until_ms, keep_until_ms, keep_day, action, message_id, event_name, payload, payload_size)
        select $1, 1, v.n, v.n, v.at, v.at + ${DAY_MS}, v.at + ${DAY_MS},
            (to_timestamp((v.at + ${DAY_MS}) / 1000.0) at time zone 'UTC')::date, 0, 'filled ' || v.n, 'bench',
            convert_to(v.text, 'UTF8'), length(v.text)
          from (select n, $2::bigint + n * $3::bigint / $4::bigint as at,
              '{"event":"bench","channel":"${CHANNEL}","data":"' || rpad('filled ' || n || ' ', $5::int, 'x') ||
                '","message_id":"filled ' || n || '"}' as text
            from generate_series($6::bigint, $7::bigint) n) v`,
      [streamKey, firstMs, spanMs, records, payloadBytes, first, last],
    );
  }
  await database.query(
    `update ${table('streams')} s set next_delivery_serial = $2::bigint + 1, next_history_serial = $2::bigint + 1,
        fanned_out_serial = $2, retained_messages = $2, retained_bytes = c.bytes, newest_published_at_ms = c.newest,
        last_keep_day = c.last, max_messages = $2, updated_at_ms = $3
      from (select sum(payload_size) as bytes, max(published_at_ms) as newest, max(keep_day) as last
        from ${table('records')} where stream_key = $1) c
      where s.stream_key = $1`,
    [streamKey, records, Date.now()],
  );
}
