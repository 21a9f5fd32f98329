import { array, assert, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DispatchPool, SENT_AT_ONCE } from '../src/pipeline/dispatch-pool.js';
import { FairQueue } from '../src/pipeline/fair-queue.js';

const opened = () => {
  const clock = { ms: 0 };
  const begun: string[] = [];
  const pool = new DispatchPool(
    1,
    () => clock.ms,
    (app) => begun.push(app),
  );
  const turn = (app: string, signal = new AbortController().signal) => pool.turn(app, 10, signal);
  return { clock, begun, pool, turn };
};
const times = <Value>(count: number, make: () => Value): Value[] => Array.from({ length: count }, make);

describe('turns between apps', () => {
  it('lose nothing, keep the order of an app, and never let one wait for more than a turn of each other', () => {
    const items = array(constantFrom('a', 'b', 'c'), { maxLength: 60 });
    assert(
      property(items, (apps) => {
        const queue = new FairQueue<{ app: string; number: number }>();
        for (const [number, app] of apps.entries()) queue.add(app, { app, number }, 10);
        const left = new Map<string, number>();
        for (const app of apps) left.set(app, (left.get(app) ?? 0) + 1);
        const since = new Map<string, number>();
        const last = new Map<string, number>();
        for (let at = 0; at < apps.length; at += 1) {
          const taken = queue.take();
          if (taken === null) throw new Error('something is lost');
          const { app, number } = taken;
          expect(number).toBeGreaterThan(last.get(app) ?? -1);
          last.set(app, number);
          expect(at - (since.get(app) ?? 0)).toBeLessThanOrEqual(left.size);
          since.set(app, at);
          left.set(app, (left.get(app) ?? 1) - 1);
        }
        expect(queue.take()).toBeNull();
        expect(queue.apps).toBe(0);
      }),
    );
  });

  it('come as often as their weights say', () => {
    assert(
      property(integer({ min: 1, max: 10 }), (weight) => {
        const queue = new FairQueue<string>();
        for (let item = 0; item < 200; item += 1) {
          queue.add('usual', 'usual', 10);
          queue.add('over quota', 'over quota', weight);
        }
        const taken = Array.from({ length: 110 }, () => queue.take());
        const usual = taken.filter((app) => app === 'usual').length;
        expect(usual / (110 - usual)).toBeGreaterThan((10 / weight) * 0.8);
        expect(usual / (110 - usual)).toBeLessThan((10 / weight) * 1.25);
      }),
    );
  });

  it('are gone for whoever no longer waits', () => {
    const queue = new FairQueue<string>();
    queue.add('a', 'one', 10);
    queue.add('a', 'two', 10);
    queue.remove('a', 'one');
    expect([queue.take(), queue.take()]).toEqual(['two', null]);
  });
});

describe('the workers of a provider', () => {
  it('are taken by one app alone, and then by turns', async () => {
    const { begun, pool, turn } = opened();
    const first = times(20, () => turn('large'));
    await Promise.all(first.slice(0, SENT_AT_ONCE));
    expect([pool.busy, pool.size]).toEqual([SENT_AT_ONCE, SENT_AT_ONCE]);
    const small = turn('small');
    pool.leave('large');
    expect(begun.at(-1)).toBe('large');
    pool.leave('large');
    expect(begun.at(-1)).toBe('small');
    expect(await small).toBe('go');
  });

  it('put back what an app has beyond its share, so that others can be seen, and only so much of it', async () => {
    const { clock, turn } = opened();
    const held = times(24, () => turn('large'));
    expect(await turn('large')).toBe('back');
    expect(held).toHaveLength(24);
    void turn('small');
    const backs = await Promise.all(times(63, () => turn('large')));
    expect(new Set(backs)).toEqual(new Set(['back']));
    void turn('large').then(() => expect.unreachable());
    clock.ms = 1000;
    expect(await turn('large')).toBe('back');
  });

  it('tell how long the first of each app has waited', () => {
    const { clock, pool, turn } = opened();
    void times(SENT_AT_ONCE + 1, () => turn('large'));
    clock.ms = 300;
    expect([...pool.starvation()]).toEqual([['large', 300]]);
    pool.leave('large');
    expect([...pool.starvation()]).toEqual([]);
  });

  it('are not waited for when the lease is lost', async () => {
    const { pool, turn } = opened();
    void times(SENT_AT_ONCE, () => turn('large'));
    const lost = new AbortController();
    const waiting = turn('small', lost.signal);
    lost.abort();
    expect(await waiting).toBe('lost');
    expect([...pool.starvation()]).toEqual([]);
    expect(await turn('large', AbortSignal.abort())).toBe('lost');
  });
});
