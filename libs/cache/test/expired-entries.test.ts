import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MemoryCache } from '../src/index.js';
import { HOUR_MS } from './conformance/store.js';
import { memoryStore } from './memory-store.js';

describe('expired entries of a memory cache', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are removed every cleanup interval although nobody asks for them', async () => {
    vi.useFakeTimers();
    const cache = new MemoryCache({ capacity: 10, defaultTtlMs: 0, cleanupIntervalMs: 60_000 });
    await cache.set('short', '1', 1000);
    await cache.set('default', '1');
    await cache.set('long', '1', 90_000);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(cache.size).toBe(3);
    await vi.advanceTimersByTimeAsync(1);
    expect(cache.size).toBe(2);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(cache.size).toBe(1);
    await cache.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('outlive the default when they brought a longer time', async () => {
    const { cache, pass } = memoryStore({ defaultTtlMs: 300_000 });
    await cache.set('revocation', '1', 24 * HOUR_MS);
    await cache.set('plain', '1');
    await pass(600_000);
    expect(await cache.get('revocation')).toBe('1');
    expect(await cache.get('plain')).toBeNull();
  });

  it('go exactly when their time is over, in whatever order they were written and rewritten', async () => {
    const write = fc.record({
      name: fc.integer({ min: 0, max: 20 }),
      ttlMs: fc.integer({ min: 0, max: 50 }),
    });
    const step = fc.oneof(
      write,
      fc.record({ remove: fc.integer({ min: 0, max: 20 }) }),
      fc.constant('pass' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 200 }), async (steps) => {
        // As large as there are names: every entry that should be there must be.
        const { cache, pass } = memoryStore({ capacity: 21 });
        const ends = new Map<string, number>();
        let nowMs = 0;
        for (const one of steps) {
          if (one === 'pass') {
            await pass(10);
            nowMs += 10;
          } else if ('remove' in one) {
            await cache.remove(String(one.remove));
            ends.delete(String(one.remove));
          } else {
            await cache.set(String(one.name), 'x', one.ttlMs);
            ends.set(String(one.name), one.ttlMs === 0 ? Infinity : nowMs + one.ttlMs);
          }
          const { names } = await cache.scanPrefix('', null, 100);
          const alive = [...ends].filter(([, end]) => end > nowMs).map(([name]) => name);
          expect([...names].sort()).toEqual(alive.sort());
        }
        // One that needs room shows that nothing expired is still held.
        await cache.set('new', 'x', 0);
        const alive = [...ends.values()].filter((end) => end > nowMs).length;
        expect(cache.size).toBeLessThanOrEqual(21);
        expect(cache.size).toBeGreaterThanOrEqual(Math.min(alive + 1, 21));
      }),
      { numRuns: 200 },
    );
  });
});
