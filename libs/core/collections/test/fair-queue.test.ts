import { array, assert, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../src/fair-queue.js';

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

  it('pass over the apps that are not ready and keep their items', () => {
    const queue = new FairQueue<string>();
    for (const app of ['a', 'b', 'a']) queue.add(app, app);
    const taken = [queue.take((app) => app === 'b'), queue.take((app) => app === 'b')];
    expect(taken).toEqual(['b', null]);
    expect([queue.take(), queue.take(), queue.take()]).toEqual(['a', 'a', null]);
  });
});
