import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { purgeAll } from './conformance-purge.js';
import {
  addressOf,
  append,
  corner,
  DAY_MS,
  headOf,
  NOTHING,
  NOW_MS,
  openPostgres,
  type OpenedPostgres,
  streamIn,
  wantedOf,
} from './scene.js';
import { fillAndTrim } from './trimmed.js';

describe('a purge of postgres', () => {
  let end: () => Promise<void>;
  let one: OpenedPostgres;
  let other: OpenedPostgres;
  beforeAll(async () => {
    let url: string;
    ({ url, end } = await corner());
    [one, other] = await Promise.all([openPostgres(url), openPostgres(url)]);
  });
  afterAll(async () => {
    await Promise.all([one.close(), other.close()]);
    await end();
  });

  const partsOf = async (table: string) => {
    const { rows } = await one.database.query(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = to_regclass($1) order by c.relname`,
      [`service_history_${table}`],
    );
    return rows.map((row) => String(row['name']).replace(/^service_history_/, ''));
  };
  const log = async (
    channel: string,
    operation: 'purge' | 'reset',
    change: (generation: number) => object,
  ) => {
    const address = addressOf(channel);
    await one.store.commit(wantedOf([address]), (found) => {
      const stream = streamIn(found, address);
      return {
        changes: {
          ...NOTHING,
          streams: [{ ...stream, ...change(stream.generation) }],
          operatorLog: [
            {
              atMs: NOW_MS,
              appId: 'shop',
              channel,
              operation,
              reason: 'r',
              requestedBy: null,
              result: '{}',
            },
          ],
        },
      };
    });
  };

  it('drops the parts of days and hours that are over, and makes those to come', async () => {
    await append(one.store, addressOf('parts'), [{}, { keepUntilMs: Number.MAX_SAFE_INTEGER }]);
    expect(await partsOf('records')).toEqual(['records_20260306', 'records_99991231']);
    expect(await partsOf('receipts')).toHaveLength(1);
    await purgeAll(one.store, NOW_MS + 3 * DAY_MS, 1);
    expect(await partsOf('records')).toEqual([
      'records_20260308',
      'records_20260309',
      'records_20260310',
      'records_20260311',
      'records_99991231',
    ]);
    expect(await partsOf('receipts')).toHaveLength(4);
    expect(await headOf(one.store, addressOf('parts'))).toMatchObject({
      floorHistorySerial: 2,
      retainedMessages: 1,
    });
    const left = await one.database.query(`select key from service_history_meta where key like 'purged%'`);
    expect(left.rows).toEqual([]);
  });

  it('erases what an operator took away, and keeps its numbers', async () => {
    const keep = { keepUntilMs: NOW_MS + 9 * DAY_MS };
    await append(one.store, addressOf('erased'), [keep, keep, keep]);
    await log('erased', 'purge', () => ({ floorHistorySerial: 3, retainedMessages: 1, retainedBytes: 22 }));
    await purgeAll(one.store, NOW_MS, 1);
    const { streamKey } = await headOf(one.store, addressOf('erased'));
    const payloads = async () =>
      (
        await one.database.query(
          `select payload is null as erased from service_history_records where stream_key = $1
            order by delivery_serial`,
          [streamKey],
        )
      ).rows.map((row) => row['erased']);
    // A writer that is late may still add to the log.
    expect(await payloads()).toEqual([false, false, false]);
    await purgeAll(one.store, NOW_MS + 61_000, 1);
    expect(await payloads()).toEqual([true, true, false]);
  });

  it('removes everything that a reset ended', async () => {
    const keep = { keepUntilMs: NOW_MS + 9 * DAY_MS };
    await append(one.store, addressOf('reset'), [keep, keep, keep]);
    await log('reset', 'reset', (generation) => ({
      generation: generation + 1,
      streamId: randomUUID(),
      nextDeliverySerial: 1,
      nextHistorySerial: 1,
      retainedMessages: 0,
      retainedBytes: 0,
    }));
    await append(one.store, addressOf('reset'), [keep]);
    await purgeAll(one.store, NOW_MS + 61_000, 2);
    const { streamKey } = await headOf(one.store, addressOf('reset'));
    const { rows } = await one.database.query(
      'select generation from service_history_records where stream_key = $1',
      [streamKey],
    );
    expect(rows).toEqual([{ generation: 2 }]);
  });

  it('leaves space that is used again, in parts that the server cleans soon by itself', async () => {
    const vacuum = async (): Promise<void> =>
      void (await one.database.query('vacuum service_history_records'));
    const sizes: number[] = [];
    for (let round = 1; round <= 3; round += 1) sizes.push(await fillAndTrim(one, round, vacuum));
    expect(sizes.at(-1)).toBeLessThan(1.5 * (sizes[0] ?? 0));
    const { rows } = await one.database.query(
      `select distinct c.reloptions from pg_partition_tree('service_history_records') t
        join pg_class c on c.oid = t.relid where t.isleaf`,
    );
    expect(rows).toEqual([
      {
        reloptions: [
          'autovacuum_vacuum_threshold=1000',
          'autovacuum_vacuum_scale_factor=0.02',
          'autovacuum_vacuum_cost_delay=1',
        ],
      },
    ]);
  });

  it('is done by one process at a time', async () => {
    const lock = one.database.transaction(async (session) => {
      const { rows } = await session.query(
        `select pg_advisory_xact_lock(('x' || left(encode(sha256($1), 'hex'), 16))::bit(64)::bigint)`,
        [Buffer.from('purge "service_history_streams"')],
      );
      const request = { nowMs: NOW_MS, batch: 9, receiptsKeptMs: 600_000, windowMs: DAY_MS };
      expect(rows).toHaveLength(1);
      expect(await other.store.purge(request)).toBeNull();
    });
    await lock;
    await purgeAll(other.store, NOW_MS);
  });

  it('never lets a reader see a gap while it goes on', async () => {
    const address = addressOf('read-meanwhile');
    const rows = Array.from({ length: 60 }, () => ({ keepUntilMs: NOW_MS + 9 * DAY_MS }));
    await append(one.store, address, rows, { maxMessages: 20 });
    const purging = purgeAll(one.store, NOW_MS + 601_000, 3);
    for (let round = 0; round < 20; round += 1) {
      const stream = await headOf(other.store, address);
      const page = await other.store.page({
        stream,
        nowMs: NOW_MS,
        newestFirst: true,
        fromSerial: null,
        toSerial: null,
        fromMs: null,
        toMs: null,
        limit: 99,
      });
      expect(page.map(({ historySerial }) => historySerial)).toEqual(
        Array.from({ length: 20 }, (_, index) => 60 - index),
      );
    }
    await purging;
    expect(await headOf(one.store, address)).toMatchObject({ floorHistorySerial: 41, retainedMessages: 20 });
  });
});
