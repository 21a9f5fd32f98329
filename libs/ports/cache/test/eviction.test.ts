import { cacheKeys } from '@carillon/contract';
import { describe, expect, it } from 'vitest';
import { CacheFull, CacheUnavailable } from '../src/index.js';
import { HOUR_MS } from './conformance/store.js';
import { memoryStore } from './memory-store.js';

const claim = (index: number) => cacheKeys.request('shop', String(index));

describe('eviction from a full memory cache', () => {
  it('takes the least recently used entry; reading counts as using', async () => {
    const { cache } = memoryStore({ capacity: 3 });
    for (const name of ['a', 'b', 'c']) await cache.set(name, name, HOUR_MS);
    await cache.get('a');
    await cache.set('d', 'd', HOUR_MS);
    expect(await cache.get('b')).toBeNull();
    await cache.set('c', 'c2', HOUR_MS);
    await cache.set('e', 'e', HOUR_MS);
    expect(await cache.get('a')).toBeNull();
    expect(await cache.get('c')).toBe('c2');
    expect(cache.size).toBe(3);
  });

  it('takes expired entries first', async () => {
    const { cache, pass } = memoryStore({ capacity: 2 });
    await cache.set('old', '1', HOUR_MS);
    await cache.set('short', '1', 10);
    await pass(10);
    await cache.set('new', '1', HOUR_MS);
    expect(await cache.get('old')).toBe('1');
  });

  it('spares essential entries, however long unused', async () => {
    const { cache } = memoryStore({ capacity: 3 });
    await cache.set(cacheKeys.revokedToken('shop', 'jti'), '1', 24 * HOUR_MS);
    for (let index = 0; index < 100; index += 1) await cache.set(`plain:${index}`, '1', HOUR_MS);
    expect(await cache.get(cacheKeys.revokedToken('shop', 'jti'))).toBe('1');
    expect(await cache.get('plain:99')).toBe('1');
    expect(await cache.get('plain:98')).toBe('1');
    expect(cache.size).toBe(3);
  });

  it('fails new entries when only essential ones are left, and writes nothing', async () => {
    const { cache } = memoryStore({ capacity: 2 });
    expect(await cache.setIfAbsent(claim(1), 'x', HOUR_MS)).toBe(true);
    expect(await cache.setIfAbsent(claim(2), 'x', HOUR_MS)).toBe(true);
    const writes = [
      cache.set('plain', '1', HOUR_MS),
      cache.set(claim(3), '1', HOUR_MS),
      cache.setIfAbsent(claim(3), '1', HOUR_MS),
      cache.incrementBy('plain', 1, HOUR_MS),
    ];
    for (const write of writes) {
      const failure: unknown = await write.catch((thrown: unknown) => thrown);
      expect(failure).toBeInstanceOf(CacheFull);
      expect(failure).toBeInstanceOf(CacheUnavailable);
      expect(failure).toMatchObject({ status: 503, code: 'service_unavailable' });
    }
    expect(cache.size).toBe(2);
    expect(await cache.health()).toBeNull();
  });

  it('still changes and removes entries that exist, which makes room', async () => {
    const { cache } = memoryStore({ capacity: 1 });
    await cache.set(claim(1), '__processing__', HOUR_MS);
    expect(await cache.compareAndSwap(claim(1), '__processing__', 'answer', HOUR_MS)).toBe(true);
    await cache.set(claim(1), 'other', HOUR_MS);
    await cache.remove(claim(1));
    await cache.set(claim(2), '1', HOUR_MS);
    expect(cache.size).toBe(1);
  });

  it('has room again as soon as an essential entry expired', async () => {
    const { cache, pass } = memoryStore({ capacity: 2 });
    await cache.set(claim(1), '1', HOUR_MS);
    await cache.set(claim(2), '1', 50);
    await pass(49);
    await expect(cache.set(claim(3), '1', HOUR_MS)).rejects.toThrow(CacheFull);
    await pass(1);
    await cache.set(claim(3), '1', HOUR_MS);
    expect(await cache.get(claim(1))).toBe('1');
  });
});
