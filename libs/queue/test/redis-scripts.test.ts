import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RedisStore } from '../src/drivers/redis/redis-store.js';
import { MAX_BYTES } from '../src/job-store.js';
import { retryDelayMs } from '../src/retry-delay.js';
import { redisScene } from './redis-scene.js';
import { collect, quick, recordingLog, until } from './scene.js';

const RETRY_DELAY = readFileSync(
  new URL('../src/drivers/redis/scripts/retry-delay.lua', import.meta.url),
  'utf8',
);

/** Opens the store without a queue. */
async function openStore(reliability: Partial<ReturnType<typeof quick>> = {}) {
  const scene = await redisScene('redis');
  const store = new RedisStore({
    prefix: scene.prefix,
    reliability: quick(reliability),
    open: scene.link,
    log: recordingLog().log,
  });
  await store.connect();
  return store;
}

const plain = (data: string) => ({
  id: randomUUID(),
  stableId: false,
  data,
  delayMs: 0,
  deduplicationKey: null,
  maxAttempts: null,
});

describe('scripts in Redis', () => {
  it('wait before another attempt exactly as the other drivers do', async () => {
    const link = await (await redisScene('redis')).link();
    const script = `
local retry_base_delay_ms, retry_max_delay_ms, retry_jitter = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
${RETRY_DELAY}
return retry_delay_ms(ARGV[4], tonumber(ARGV[5]))`;
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 40 }),
        fc.integer({ min: 1, max: 2000 }),
        fc.integer({ min: 0, max: 5000 }),
        fc.integer({ min: 5000, max: 10_000_000 }),
        fc.integer({ min: 0, max: 100 }),
        async (id, attempt, base, max, jitter) => {
          const settings = {
            retry_base_delay_ms: base,
            retry_max_delay_ms: max,
            retry_jitter: jitter / 100,
          };
          const wait = await link.call('eval', script, 0, base, max, jitter / 100, id, attempt);
          expect(wait).toBe(retryDelayMs(id, attempt, settings));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('are sent again when the server has forgotten them', async () => {
    const scene = await redisScene('redis');
    const queue = await scene.open();
    const jobs = collect(queue, 'q');
    const link = await scene.link();
    for (let round = 1; round <= 3; round++) {
      await link.call('script', 'flush');
      await queue.enqueue('q', 'x');
      await until(() => jobs.length === round);
    }
    await until(async () => (await queue.stats('q')).completed === 3);
  });

  it('hand out no more bytes at once than bounded, but always something', async () => {
    const store = await openStore();
    const data = 'x'.repeat(MAX_BYTES / 4);
    for (let n = 0; n < 8; n++) await store.add('q', [plain(data)]);
    const first = await store.claim('q', 'token', 100);
    expect(first.jobs).toHaveLength(4);
    expect(first.nextMs).toBe(1);
    for (const job of first.jobs) await store.settle('q', job, { kind: 'dead', reason: 'no' });
    const second = await store.claim('q', 'token', 2);
    expect(second.jobs).toHaveLength(2);
    for (const job of second.jobs) await store.settle('q', job, { kind: 'dead', reason: 'no' });
    expect(await store.listDeadLetters('q', 100)).toHaveLength(4);
    await store.close();
  });

  it('say when something becomes ready', async () => {
    const store = await openStore({ lease_duration_ms: 50_000 });
    expect((await store.claim('q', 'token', 10)).nextMs).toBeNull();
    await store.add('q', [{ ...plain('x'), delayMs: 90_000 }]);
    expect((await store.claim('q', 'token', 10)).nextMs).toBeGreaterThan(50_000);
    await store.add('q', [plain('y')]);
    expect((await store.claim('q', 'token', 10)).jobs).toHaveLength(1);
    expect((await store.claim('q', 'token', 10)).nextMs).toBeLessThanOrEqual(50_000);
    await store.close();
  });

  it('take back at most so many abandoned jobs at once', async () => {
    const store = await openStore({ lease_duration_ms: 1, stalled_batch_size: 3 });
    await store.add(
      'q',
      Array.from({ length: 5 }, () => plain('x')),
    );
    await store.claim('q', 'gone', 5);
    await until(async () => {
      const { retried } = await store.claim('q', 'other', 0);
      expect(retried).toBeLessThanOrEqual(3);
      return (await store.stats('q')).active === 0;
    });
    await store.close();
  });

  it('leave a job alone whose delivery is over', async () => {
    const store = await openStore({ retry_base_delay_ms: 0 });
    await store.add('q', [plain('x')]);
    const [stale] = (await store.claim('q', 'first', 1)).jobs;
    if (stale === undefined) throw new Error('nothing was handed out');
    expect(await store.settle('q', stale, { kind: 'defer', delayMs: 0 })).toBe('deferred');
    const [current] = (await store.claim('q', 'second', 1)).jobs;
    const counted = async () => ({ ...(await store.stats('q')), oldestActiveAgeMs: null });
    const before = await counted();
    for (const outcome of [
      { kind: 'ok' },
      { kind: 'defer', delayMs: 5 },
      { kind: 'dead', reason: 'no' },
      { kind: 'retry', reason: 'processor-error', detail: 'no' },
    ] as const) {
      expect(await store.settle('q', stale, outcome)).toBe('lost');
    }
    expect(await store.renew('q', [stale])).toEqual([stale]);
    await store.release('q', [{ job: stale, begun: true }]);
    expect(await counted()).toEqual(before);
    if (current === undefined) throw new Error('nothing was handed out');
    expect(await store.renew('q', [current])).toEqual([]);
    expect(await store.settle('q', current, { kind: 'ok' })).toBe('ok');
    await store.close();
  });

  it('forget deduplication keys whose time is over', async () => {
    const scene = await redisScene('redis');
    const queue = await scene.open({ deduplication_ttl_ms: 1 });
    for (let n = 0; n < 300; n++) await queue.enqueue('q', 'x', { deduplicationKey: `${n}` });
    const link = await scene.link();
    expect(await link.call('hlen', `${scene.prefix}:v2:{q}:dedup`)).toBeLessThan(100);
  });
});
