import { cacheKeys } from '@carillon/contracts';
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
    expect(await cache.get('plain:97')).toBe('1');
    expect(cache.size).toBe(4);
  });

  it('fails new entries that may not be evicted when an app has its share, and nobody else’s', async () => {
    const refused: string[] = [];
    const { cache } = memoryStore({ mostBytes: 40_000, onFull: (appId) => refused.push(appId) });
    const value = 'x'.repeat(1000);
    const fill = async (app: string): Promise<number> => {
      for (let index = 0; ; index += 1) {
        const failure: unknown = await cache
          .setIfAbsent(cacheKeys.publish(app, 'a', String(index)), value, HOUR_MS)
          .then(() => null)
          .catch((thrown: unknown) => thrown);
        if (failure === null) continue;
        expect(failure).toBeInstanceOf(CacheFull);
        expect(failure).toBeInstanceOf(CacheUnavailable);
        expect(failure).toMatchObject({ status: 503, code: 'service_unavailable' });
        return index;
      }
    };
    expect(await fill('shop')).toBe(4);
    expect(await cache.health()).toBeNull();
    await expect(cache.set(claim(1), value, HOUR_MS)).rejects.toThrow(CacheFull);
    await cache.set(cacheKeys.revokedToken('bank', 'jti'), '1', HOUR_MS);
    await cache.set('plain', value, HOUR_MS);
    expect(refused).toEqual(['shop', 'shop']);
    expect(cache.heldBytes.kept).toBeLessThan(11_000);
  });

  it('says that it is full, and is not as soon as entries expired', async () => {
    const { cache, pass } = memoryStore({ mostBytes: 4000 });
    for (const app of ['a', 'b', 'c', 'd']) {
      await cache.set(cacheKeys.revokedToken(app, 'jti'), 'x'.repeat(330), 50);
    }
    expect(await cache.health()).toContain('full');
    await expect(cache.set(cacheKeys.revokedToken('e', 'jti'), 'x'.repeat(330), 50)).rejects.toThrow(
      CacheFull,
    );
    await pass(50);
    expect(await cache.health()).toBeNull();
    expect(cache.heldBytes.kept).toBe(0);
    await cache.set(cacheKeys.revokedToken('e', 'jti'), 'x'.repeat(330), 50);
  });

  it('bounds the bytes of what may be evicted by evicting', async () => {
    const { cache } = memoryStore({ mostBytes: 40_000 });
    for (let index = 0; index < 100; index += 1) await cache.set(`plain:${index}`, 'x'.repeat(1000), HOUR_MS);
    expect(cache.heldBytes.passing).toBeLessThanOrEqual(40_000);
    expect(await cache.get('plain:99')).not.toBeNull();
    for (let index = 0; index < 100; index += 1) await cache.remove(`plain:${index}`);
    expect(cache.heldBytes).toEqual({ kept: 0, passing: 0 });
  });

  it('still changes and removes entries that exist', async () => {
    const { cache } = memoryStore({ mostBytes: 1600 });
    await cache.set(claim(1), '__processing__', HOUR_MS);
    await expect(cache.set(claim(2), '1', HOUR_MS)).rejects.toThrow(CacheFull);
    expect(await cache.compareAndSwap(claim(1), '__processing__', 'answer', HOUR_MS)).toBe(true);
    await cache.remove(claim(1));
    await cache.set(claim(2), '1', HOUR_MS);
    expect(cache.size).toBe(1);
  });
});
