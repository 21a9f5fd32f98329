import { describe, expect, it } from 'vitest';
import { ScyllaUnavailable, within } from '../src/index.js';
import { forEach } from '../src/for-each.js';

describe('forEach', () => {
  it('works on every item once, with a bounded number in flight', async () => {
    const items = Array.from({ length: 200 }, (_, index) => index);
    const done: number[] = [];
    let running = 0;
    let most = 0;
    await forEach(items, async (item) => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running -= 1;
      done.push(item);
    });
    expect(done.toSorted((a, b) => a - b)).toEqual(items);
    expect(most).toBe(32);
  });

  it('rejects with the first failure and starts no further item', async () => {
    const started: number[] = [];
    const work = async (item: number): Promise<void> => {
      started.push(item);
      await Promise.resolve();
      if (item === 3) throw new Error('three');
      await new Promise((resolve) => setImmediate(resolve));
    };
    const items = Array.from({ length: 200 }, (_, index) => index);
    await expect(forEach(items, work)).rejects.toThrow('three');
    expect(started.length).toBeLessThanOrEqual(32);
  });
});

describe('within', () => {
  it('returns the answer of work that ends in time, and its error', async () => {
    expect(await within(60_000, Promise.resolve(1))).toBe(1);
    await expect(within(60_000, Promise.reject(new TypeError('no')))).rejects.toThrow(TypeError);
  });

  it('rejects when the work takes longer', async () => {
    await expect(within(1, new Promise(() => {}))).rejects.toThrow(
      new ScyllaUnavailable('no answer within 1 ms'),
    );
  });
});
