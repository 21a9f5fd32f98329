import { describe, expect, it } from 'vitest';
import { CacheUnavailable } from '../src/index.js';
import { NoCache } from '../src/drivers/none.js';
import { boundsConformance } from './conformance/bounds.js';

describe('cache none', () => {
  boundsConformance(async () => {
    const cache = new NoCache();
    return { cache, other: cache, pass: async () => undefined, end: () => cache.close() };
  });

  it('forgets what is written', async () => {
    const cache = new NoCache();
    await cache.set('a', '1', 0);
    await cache.set('a', '1');
    expect(await cache.get('a')).toBeNull();
    expect(await cache.entry('a')).toBeNull();
    expect(await cache.has('a')).toBe(false);
    expect(await cache.remove('a')).toBe(false);
    expect(await cache.scanPrefix('', null, 1)).toEqual({ names: [], cursor: null });
  });

  it('refuses what needs a store', async () => {
    const cache = new NoCache();
    await expect(cache.setIfAbsent('a', '1', 0)).rejects.toThrow(CacheUnavailable);
    await expect(cache.compareAndSwap('a', '1', '2', 0)).rejects.toThrow(CacheUnavailable);
    await expect(cache.compareAndRemove('a', '1')).rejects.toThrow(CacheUnavailable);
    await expect(cache.incrementBy('a', 1, 0)).rejects.toThrow('There is no cache');
  });
});
