import { configuration } from '@carillon/testing';
import { describe, expect, it } from 'vitest';
import { CACHE_DRIVERS, openCache } from '../src/index.js';
import { connect, processWith } from './process.js';

describe('the module', () => {
  it('offers the configured cache, checks its health', async () => {
    const { parts, cache, close } = await processWith({ CACHE_TTL_SECONDS: '7' });
    await connect(parts);
    await cache.set('a', '1');
    const left = (await cache.entry('a'))?.ttlMs ?? 0;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(7000);
    expect(await parts.health.check()).toEqual({ status: 'OK', failures: [] });
    expect(await parts.metrics.text()).toContain('service_dependency_up{dependency="cache"');
    await cache.close();
    await close();
  });

  it('is critical to the health', async () => {
    const { parts, cache, close } = await processWith({ HEALTH_CHECK_CACHE_MS: '0' });
    await cache.close();
    expect(await parts.health.check()).toEqual({
      status: 'ERROR',
      failures: [{ part: 'cache', severity: 'critical', message: 'the cache is closed' }],
    });
    await close();
  });

  it('has no health check when there is no cache', async () => {
    const { parts, close } = await processWith({ CACHE_DRIVER: 'none' }, '[idempotency]\nenabled = false');
    await connect(parts);
    await parts.health.check();
    expect(await parts.metrics.text()).not.toContain('dependency="cache"');
    await close();
  });

  it('keeps an entry for good when the default ttl is 0', async () => {
    const cache = await openCache(configuration({}, '[cache.memory]\nttl = 0'));
    await cache.set('a', '1');
    expect(await cache.entry('a')).toEqual({ value: '1', ttlMs: null });
    await cache.close();
  });

  it('knows the drivers of this build, and no others', async () => {
    expect(CACHE_DRIVERS).toEqual(['memory', 'none', 'redis', 'redis-cluster']);
    const config = configuration({});
    const unknown = { ...config, cache: { ...config.cache, driver: 'toString' as 'memory' } };
    await expect(openCache(unknown)).rejects.toThrow('driver toString is not available in this build');
  });
});
