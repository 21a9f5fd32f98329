import { MemoryCache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Buckets } from '../src/statistics/buckets.js';
import type { Entries } from '../src/statistics/entries.js';
import { startOf } from '../src/statistics/intervals.js';
import { Recorder } from '../src/statistics/recorder.js';
import { Statistics } from '../src/statistics/statistics.js';

const at = (id: string): number => startOf(id) ?? Number.NaN;
const DAY_MS = 86_400_000;
/** A flush interval that never elapses during a test, so that only explicit flushes write. */
const NEVER_MS = 3_600_000;
const ALL = { unit: 'month', fromMs: 0, untilMs: at('9999-12-31'), newestFirst: true, limit: 1 } as const;

const SETTINGS = {
  stats_flush_interval_ms: NEVER_MS,
  stats_queue_capacity: 100,
  stats_retention_seconds: DAY_MS / 1000,
  stats_max_scan_entries: 100,
  stats_cas_retries: 8,
} as Config['compat'];

const change = (statistics: Statistics, appId: string, by: number): void => {
  for (let count = 0; count < Math.abs(by); count += 1)
    statistics.level(appId, 'connections', by > 0 ? 1 : -1);
};

/** In processes of their own, over a store that is elsewhere: acceptance/test/compat/stopping.test.ts. */
describe('statistics of several processes', () => {
  const cache = new MemoryCache({ capacity: 10_000, defaultTtlMs: DAY_MS, cleanupIntervalMs: DAY_MS });
  // Within one minute.
  beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: at('2025-06-15:14:05') }));
  afterAll(() => {
    vi.useRealTimers();
    return cache.close();
  });

  const process = (): Statistics => new Statistics(cache, SETTINGS, false);
  const entriesOf = async (appId: string): Promise<Entries> => {
    const { intervals } = await process().read({ ...ALL, appId }, Date.now());
    return (intervals[0]?.['entries'] ?? {}) as Entries;
  };
  it('come together, whoever writes at the same time', async () => {
    const recorders = ['a', 'b'].map(
      (one) =>
        new Recorder(new Buckets(cache, { process: one, retentionMs: DAY_MS, retries: 1000 }), {
          capacity: 100,
          flushMs: 0,
        }),
    );
    await Promise.all(
      recorders.flatMap((one) => Array.from({ length: 20 }, () => one.written('together', { n: 1 }))),
    );
    expect(await entriesOf('together')).toEqual({ n: 40 });
    for (const { aggregation } of recorders)
      expect(aggregation).toMatchObject({ backlog: 0, flushedObservations: 20, flushFailures: 0 });
  });

  it('have the peak that all had at once, not that of any one, nor of what one after the other had', async () => {
    const [one, other, late] = [process(), process(), process()];
    change(one, 'peaks', 3);
    await one.stop();
    change(other, 'peaks', 4);
    await other.stop();
    const both = { 'connections.all.peak': 7, 'connections.plain.peak': 7, 'connections.all.opened': 7 };
    expect(await entriesOf('peaks')).toMatchObject(both);
    // All of one are gone before the third has any.
    change(one, 'peaks', -3);
    await one.stop();
    change(late, 'peaks', 3);
    await late.stop();
    expect(await entriesOf('peaks')).toMatchObject({ ...both, 'connections.all.opened': 10 });
    change(late, 'peaks', 1);
    await late.stop();
    expect((await entriesOf('peaks'))['connections.all.peak']).toBe(8);
  });

  it('are all written when a process stops, whatever waited for its time', async () => {
    const stopping = process();
    change(stopping, 'stopped', 2);
    stopping.outbound('stopped', 'rest', { count: 2, bytes: 10 });
    stopping.push('stopped', true, { count: 3, bytes: 5 });
    stopping.push('stopped', false, { count: 1, bytes: 7 });
    const published = stopping.inbound('stopped', 'rest', { count: 1, bytes: 4 });
    await stopping.stop();
    await published;
    // Counts of requests that end during the shutdown.
    stopping.observe('stopped', { 'apiRequests.succeeded': 1 });
    await stopping.stop();
    expect(await entriesOf('stopped')).toMatchObject({
      'connections.all.opened': 2,
      'connections.all.peak': 2,
      'messages.outbound.all.messages.count': 2,
      'messages.inbound.rest.messages.data': 4,
      'push.succeeded': 1,
      'push.failed': 1,
      'push.recipients': 4,
      'push.data': 12,
      'apiRequests.succeeded': 1,
    });
    expect(stopping.aggregation).toMatchObject({ backlog: 0, dropped: 0, flushFailures: 0 });
  });
});
