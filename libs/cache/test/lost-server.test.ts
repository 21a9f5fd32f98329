import { engine, type EngineHandle } from '@carillon/test-backends';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CacheUnavailable, openCache } from '../src/index.js';
import { HOUR_MS } from './conformance/store.js';
import { connect, processWith } from './process.js';
import { redisConfig } from './redis-store.js';

describe('a cache whose server goes away', () => {
  let redis: EngineHandle;
  beforeAll(async () => {
    redis = await engine('redis', { own: true });
  });
  afterAll(() => redis.release());

  it('rejects every operation with 503 while it is dead, and serves again once it is back', async () => {
    const heard: string[] = [];
    const cache = await openCache(redisConfig(redis), {
      lost: () => heard.push('lost'),
      restored: () => heard.push('restored'),
    });
    await cache.set('a', '1', HOUR_MS);
    await redis.kill();
    const operations = [
      () => cache.has('a'),
      () => cache.get('a'),
      () => cache.entry('a'),
      () => cache.set('a', '1', 0),
      () => cache.remove('a'),
      () => cache.setIfAbsent('a', '1', 0),
      () => cache.compareAndSwap('a', '1', '2', 0),
      () => cache.compareAndRemove('a', '1'),
      () => cache.incrementBy('a', 1, 0),
      () => cache.scanPrefix('', null, 1),
    ];
    for (const operation of operations) {
      const failure: unknown = await operation().catch((thrown: unknown) => thrown);
      expect(failure).toBeInstanceOf(CacheUnavailable);
      expect(failure).toMatchObject({ status: 503, message: 'The cache is unavailable, retry' });
    }
    expect(await cache.health()).toMatch(/ECONNREFUSED/);
    await redis.restart();
    await vi.waitFor(async () => expect(await cache.health()).toBeNull(), { timeout: 15_000 });
    expect(await cache.setIfAbsent('b', '1', HOUR_MS)).toBe(true);
    expect(heard).toEqual(['lost', 'restored']);
    await cache.close();
  });

  it('does not go on with a scan after the server was replaced', async () => {
    const cache = await openCache(redisConfig(redis));
    for (let index = 0; index < 50; index += 1) await cache.set(`a:${index}`, '1', HOUR_MS);
    const { cursor } = await cache.scanPrefix('a:', null, 5);
    expect(cursor).toBeTypeOf('string');
    await redis.restart();
    await vi.waitFor(async () => expect(await cache.health()).toBeNull(), { timeout: 15_000 });
    await expect(cache.scanPrefix('a:', cursor, 5)).rejects.toThrow('begin again');
    expect(await cache.scanPrefix('a:', null, 1000)).toEqual({ names: [], cursor: null });
    await cache.close();
  });

  it('makes the process unhealthy, and keeps one from starting', async () => {
    const env = { CACHE_DRIVER: 'redis', REDIS_URL: redis.url, HEALTH_CHECK_CACHE_MS: '0' };
    const { parts, cache, close } = await processWith(env);
    await connect(parts, 20_000);
    expect(await parts.health.check()).toEqual({ status: 'OK', failures: [] });
    await redis.kill();
    await vi.waitFor(async () => expect(await parts.health.check()).toMatchObject({ status: 'ERROR' }));
    const late = await processWith(env);
    await expect(connect(late.parts, 600)).rejects.toThrow(/cache \(not connected: .*ECONNREFUSED/);
    await late.cache.close();
    await late.close();
    await cache.close();
    await close();
    await redis.restart();
  });
});
