import { setImmediate as nextTurn } from 'node:timers/promises';
import { LoopShare } from '@carillon/runtime';
import { describe, expect, it } from 'vitest';
import { ReadTurns } from '../src/read-turns.js';

const OPTIONS = { atOnce: 3, atOncePerApp: 2 };

describe('ReadTurns', () => {
  it('begins only so many reads in a turn of the loop when the store answers within it', async () => {
    const turns = new ReadTurns(OPTIONS);
    let begun = 0;
    const all = Array.from({ length: 30 }, () =>
      turns.run('attacked', async () => {
        begun += 1;
      }),
    );
    let before = 0;
    while (begun < all.length) {
      await Promise.resolve();
      // Between two looks, slots are freed at most three times: behind the first one, by a timer, before the second one.
      expect(begun - before).toBeLessThanOrEqual(3 * OPTIONS.atOncePerApp);
      before = begun;
      await nextTurn();
    }
    await Promise.all(all);
  });

  it('leaves slots for other apps when one of them has much waiting', async () => {
    const turns = new ReadTurns(OPTIONS);
    const ends: (() => void)[] = [];
    const held = Array.from({ length: 5 }, () =>
      turns.run('attacked', () => new Promise<void>((resolve) => void ends.push(resolve))),
    );
    expect(await turns.run('other', async () => 'answer')).toBe('answer');
    expect(turns.slots.runningOf('attacked')).toBe(2);
    while (ends.length > 0) {
      ends.shift()?.();
      await nextTurn();
    }
    await Promise.all(held);
  });

  it('charges the time of an answer when it was made within one turn of the loop', async () => {
    const share = new LoopShare();
    let spentMs = 0;
    share.spend = (ms) => void (spentMs += ms);
    const turns = new ReadTurns({ ...OPTIONS, share });
    await turns.run('app', async () => {
      const untilMs = performance.now() + 5;
      while (performance.now() < untilMs);
    });
    while (turns.slots.running > 0) await nextTurn();
    expect(spentMs).toBeGreaterThanOrEqual(5);
  });

  it('rejects as the read does, and frees its slot', async () => {
    const turns = new ReadTurns(OPTIONS);
    await expect(turns.run('app', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    await nextTurn();
    expect(await turns.read('app', 1000, async () => 'answer')).toBe('answer');
  });
});
