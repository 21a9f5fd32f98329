import { type Database, explained, type Explained } from '@carillon/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepDay, slotOf } from '../src/model/calendar.js';
import { eraseForOperators, removeExpiredMessages } from '../src/postgres/purge/erased.js';
import { PURGING } from '../src/postgres/purge/purger.js';
import { closeOver } from '../src/sql/over-streams.js';
import type { PurgeScope } from '../src/sql/scope.js';
import {
  addressOf,
  append,
  corner,
  databaseAt,
  databasesOf,
  DAY_MS,
  headOf,
  NOTHING,
  NOW_MS,
  openPostgres,
  type OpenedPostgres,
  receiptOf,
  recordAt,
  settings,
  streamIn,
  wantedOf,
} from './scene.js';
import { PostgresHistoryStore, streamName } from '../src/index.js';
import { tableNames, tablesName } from '../src/postgres/tables.js';

/** Rows of each large table. */
const MANY = 100_000;
const BATCH = 500;
const PREFIX = 'service_history';
const SPREAD = { records: 2, forever: 2, messages: 2 };
const PURGE_MS = NOW_MS + 61_000;
const KEEP = { keepUntilMs: NOW_MS + 9 * DAY_MS };
const CHANNELS = Array.from({ length: BATCH }, (_, index) => addressOf(`channel-${50_000 + index}`));

/** Fills tables that were never analysed. `purged` and `reset` are the streams of two operator commands. */
const filled = (purged: string, reset: string): Readonly<Record<string, string>> => ({
  streams: `(app_id, channel, kind, route, stream_id, updated_at_ms) select 'shop', 'channel-' || i, 1, i,
    gen_random_uuid(), ${NOW_MS} from generate_series(1, ${MANY}) i`,
  records: `(stream_key, generation, delivery_serial, history_serial, published_at_ms, history_until_ms, keep_until_ms,
      keep_day, action, payload, payload_size) select k, g, i, i, ${NOW_MS}, ${KEEP.keepUntilMs}, ${KEEP.keepUntilMs},
      '${keepDay(KEEP.keepUntilMs)}', 0, 'p', 1
    from (values (${purged}, 1), (${reset}, 0)) v(k, g), generate_series(10, ${MANY / 2}) i`,
  messages: `(stream_key, message_serial, generation, history_serial, latest_version_serial, latest_delivery_serial,
      latest_action, version, data_kind, data_bytes, base_delivery_serial, is_open, last_activity_ms, keep_until_ms)
    select 1000000 + i % 1000, 'm' || i, 1, i, 'v', i, 1, '', 0, 0, i, i % 10000 = 7, ${NOW_MS},
      case when i % 2 = 0 then ${NOW_MS + 9 * DAY_MS} else ${NOW_MS} - i end from generate_series(1, ${MANY}) i`,
  receipts: `(scope, slot, at_ms, until_ms, pub_id, stream_key, generation, delivery_serial) select gen_random_uuid(),
    ${slotOf(NOW_MS)}, ${NOW_MS}, ${NOW_MS}, gen_random_uuid(), 1, 1, i from generate_series(1, ${MANY}) i`,
});

describe('the statements of the history store on PostgreSQL tables that were never analysed', () => {
  let plain: OpenedPostgres;
  let store: PostgresHistoryStore;
  let database: Database;
  let taken: Explained['taken'];
  let table: (name: string) => string;
  let end: () => Promise<void>;

  const logged = async (channel: string, operation: 'purge' | 'reset', change: object): Promise<void> => {
    const address = addressOf(channel);
    await plain.store.commit(wantedOf([address]), (found) => ({
      changes: {
        ...NOTHING,
        streams: [{ ...streamIn(found, address), ...change }],
        operatorLog: [
          { atMs: NOW_MS, appId: 'shop', channel, operation, reason: 'r', requestedBy: null, result: '{}' },
        ],
      },
    }));
  };

  beforeAll(async () => {
    const { url, end: leave } = await corner();
    plain = await openPostgres(url, PREFIX, SPREAD);
    for (const channel of ['purged', 'reset']) await append(plain.store, addressOf(channel), [{}, KEEP]);
    const keyOf = async (channel: string) => (await headOf(plain.store, addressOf(channel))).streamKey;
    const [purged, reset] = [await keyOf('purged'), await keyOf('reset')];
    const filler = databasesOf(settings('postgres', url)).apart('postgres', {
      waiting: 9,
      statementMs: 60_000,
    });
    await filler.connect();
    table = tableNames(PREFIX, plain.database.place(tablesName(PREFIX)));
    const { rows: leaves } = await filler.query(
      `select c.oid::regclass::text as name from pg_class c
        where c.relkind = 'r' and c.relnamespace = 'service'::regnamespace`,
    );
    for (const { name } of leaves)
      await filler.query(`alter table ${String(name)} set (autovacuum_enabled = false)`);
    for (const [name, rows] of Object.entries(filled(purged, reset)))
      await filler.query(`insert into ${table(name)} ${rows}`);
    await filler.close();
    await logged('purged', 'purge', { floorHistorySerial: MANY / 4, nextHistorySerial: MANY });
    await logged('reset', 'reset', {});
    const bare = databaseAt(url, PREFIX, SPREAD);
    const reads = databasesOf(settings('postgres', url)).apart('postgres', { waiting: 9, statementMs: 2000 });
    const [lanes, reading] = [explained(bare), explained(reads)];
    database = lanes.database;
    taken = () => [...lanes.taken(), ...reading.taken()];
    store = new PostgresHistoryStore(database, {
      prefix: PREFIX,
      spread: SPREAD,
      now: () => NOW_MS,
      reads: reading.database,
    });
    await store.connect();
    end = async () => {
      await Promise.all([reads.close(), bare.close(), plain.close()]);
      await leave();
    };
    taken();
  }, 120_000);
  afterAll(() => end());

  /** Every statement reads its batch a few times over, and never the table. */
  const expectBounded = (batch: number): void => {
    const statements = taken();
    expect(statements.length).toBeGreaterThan(0);
    for (const { sql, rows } of statements)
      expect({ sql, rows: rows <= 4 * batch + 20 ? 0 : rows }).toEqual({ sql, rows: 0 });
  };

  const step = <Result>(work: (scope: PurgeScope) => Promise<Result>, on = database): Promise<Result> =>
    on.transaction(
      (session) =>
        work({
          session,
          table,
          request: { nowMs: PURGE_MS, batch: BATCH, receiptsKeptMs: 600_000, windowMs: 9 * DAY_MS },
        }),
      PURGING,
    );
  /** Repeats a step until it finds nothing and observes the first ones; resolves with the number of removed rows. */
  const all = async (work: (scope: PurgeScope) => Promise<{ readonly removed: number } | null>) => {
    let removed = 0;
    for (let steps = 0; ; steps += 1) {
      const done = await step(work, steps < 3 ? database : plain.database);
      if (steps < 3) expectBounded(BATCH);
      if (done === null) return removed;
      removed += done.removed;
    }
  };
  const write = () =>
    store.commit(wantedOf(CHANNELS), (found) => {
      const records = CHANNELS.map((address) => recordAt(streamIn(found, address)));
      const streams = CHANNELS.map((address) => {
        const stream = streamIn(found, address);
        return { ...stream, nextDeliverySerial: stream.nextDeliverySerial + 1 };
      });
      return { changes: { ...NOTHING, streams, records, receipts: records.map((one) => receiptOf(one)) } };
    });

  it('commit reads no more than its batch when it locks streams first', async () => {
    await write();
    expectBounded(BATCH);
  });
  it('commit reads no more than its batch when it remembers the streams', async () => {
    await write();
    expectBounded(BATCH);
  });
  it('heads and raiseWatermarks read no more than their streams', async () => {
    const heads = await store.heads(CHANNELS);
    expect(heads.size).toBe(BATCH);
    expectBounded(BATCH);
    const marks = CHANNELS.map((address) => {
      const stream = heads.get(streamName(address));
      return { streamKey: stream?.streamKey ?? '', generation: 1, serial: 1 };
    });
    await store.raiseWatermarks(marks, { lanes: [1], writerId: 'w', nowMs: NOW_MS });
    expectBounded(BATCH);
  });
  it('the purge of messages reads no more than its batch and keeps live rows in every partition', async () => {
    await step(closeOver);
    expectBounded(BATCH);
    expect(await all(removeExpiredMessages)).toBe(MANY / 2);
    const { rows } = await plain.database.query(`select count(*) as live from ${table('messages')}`);
    expect(Number(rows[0]?.['live'])).toBe(MANY / 2);
  });
  it('the erasure of purged and reset streams reads no more than its batch', async () => {
    await all(eraseForOperators);
    const { rows } = await plain.database.query(
      `select c.tombstone, c.generation, count(*) as rows from ${table('records')} c
        where c.delivery_serial >= 10 group by 1, 2 order by 1`,
    );
    expect(rows.map((row) => ({ ...row, rows: Number(row['rows']) }))).toEqual([
      { tombstone: false, generation: 1, rows: MANY / 4 + 1 },
      { tombstone: true, generation: 1, rows: MANY / 4 - 10 },
    ]);
  });
});
