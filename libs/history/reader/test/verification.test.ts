import { randomUUID } from 'node:crypto';
import { type Clock, CommitClient, LocalLanes, systemClock } from '@carillon/history-writer';
import { streamName } from '@carillon/history-store';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FaultDesk, HistoryReader, readHistoryQuery } from '../src/index.js';
import { type Opened, openEmbedded, openMysql, openPostgres } from './stores.js';
import { publishOf } from './writing.js';

const STORES = [
  { name: 'postgres', open: openPostgres },
  { name: 'mariadb', open: openMysql },
  { name: 'embedded postgres', open: openEmbedded },
] as const;

const MINUTE_MS = 60_000;
const CHANNEL = 'orders';
const nothing = (): void => undefined;
const ADDRESS = { appId: 'shop', channel: CHANNEL, kind: 'messages' } as const;

describe.each(STORES)('a payload that is broken in $name', ({ open }) => {
  let opened: Opened;
  let lanes: LocalLanes;
  /** Callbacks waiting for a minute to pass. */
  let afterAMinute: (() => void)[];
  const failures: unknown[] = [];
  beforeAll(async () => {
    opened = await open();
    afterAMinute = [];
    const clock: Clock = {
      ...systemClock,
      after: (delayMs, run) => {
        if (delayMs !== MINUTE_MS) return systemClock.after(delayMs, run);
        afterAMinute.push(run);
        return () => undefined;
      },
    };
    lanes = new LocalLanes(
      {
        store: opened.store,
        clock,
        newStreamId: randomUUID,
        fanOut: async () => undefined,
        events: {
          retried: nothing,
          recordFailed: (error) => failures.push(error),
          committed: nothing,
          arrived: nothing,
          waited: nothing,
          answered: nothing,
          handedOver: nothing,
          resent: nothing,
          handOverFailed: (error) => failures.push(error),
        },
      },
      { lanes: 4, writerId: 'w', nodeId: 'node-1', queueCapacity: 100 },
    );
    lanes.beginVerifying((error) => failures.push(error));
  });
  afterAll(async () => {
    await lanes.close();
    await opened.close();
  });

  const aMinute = async () => {
    const [round, ...others] = afterAMinute.splice(0);
    expect(others).toEqual([]);
    round?.();
    // The round is over when it waits for the next.
    await vi.waitFor(() => expect(afterAMinute).toHaveLength(1), 10_000);
  };

  it('takes the history away until it is mended, and a minute more', async () => {
    const commits = new CommitClient(
      { clock: systemClock, transport: lanes, random: Math.random, resent: () => undefined },
      { lanes: 4, nodeId: 'node-2', budgetMs: 5000, maxRecordBytes: null },
    );
    const faults = new FaultDesk({
      commits,
      nodeId: 'node-2',
      elapsed: Date.now,
      onClaim: () => undefined,
      onTrouble: (error) => failures.push(error),
    });
    const reader = new HistoryReader(
      { store: opened.store, now: Date.now, faults },
      { timeoutMs: 5000, source: 'durable_store' },
    );
    const page = async () =>
      (await reader.page('shop', CHANNEL, readHistoryQuery({}, 100))).items.map(({ serial }) => serial);
    const head = async () => {
      const stream = (await opened.store.heads([ADDRESS])).get(streamName(ADDRESS));
      if (stream === undefined) throw new Error('there is no stream');
      return stream;
    };
    await commits.commit([publishOf(CHANNEL), publishOf(CHANNEL), publishOf(CHANNEL)]);
    expect(await page()).toEqual([3, 2, 1]);

    const { streamKey } = await head();
    const second = `where stream_key = ${streamKey} and delivery_serial = 2`;
    await opened.tamper?.(`create table kept_aside as select payload from service_history_records ${second}`);
    await opened.tamper?.(`update service_history_records set payload = '{"event":' ${second}`);
    await expect(page()).rejects.toMatchObject({ code: 'service_unavailable' });
    const degraded = { state: 'degraded', reason: 'history_row_unreadable', nodeId: 'node-2' };
    // The caller was not delayed by it.
    await vi.waitFor(async () => expect((await head()).durable).toMatchObject(degraded), 10_000);

    await aMinute();
    expect((await head()).durable).toMatchObject(degraded);
    expect(await commits.commit([publishOf(CHANNEL)])).toMatchObject([{ status: 'applied' }]);

    await opened.tamper?.(
      `update service_history_records set payload = (select payload from kept_aside) ${second}`,
    );
    await expect(page()).rejects.toMatchObject({ code: 'service_unavailable' });
    await aMinute();
    expect((await head()).durable).toMatchObject({ state: 'healthy', reason: null, nodeId: 'node-1' });
    expect(await page()).toEqual([4, 3, 2, 1]);
    expect(failures).toEqual([]);
  }, 60_000);
});
