import { describe, expect, it } from 'vitest';
import { FairSlots, SlotsFull } from '../src/fair/fair-slots.js';

const OPTIONS = { atOnce: 3, atOncePerOwner: 2, waitingPerOwner: 4 };

/** Runs that end on request, with the names of those that have begun. */
function scene() {
  const slots = new FairSlots(OPTIONS);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, signal?: AbortSignal): Promise<void> => {
    const work = (): Promise<void> => {
      begun.push(name);
      return new Promise((resolve) => void ends.set(name, resolve));
    };
    return slots.run(name.slice(0, 1), work, signal);
  };
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { slots, begun, run, end };
}

describe('FairSlots', () => {
  it('runs a limited number in total and per owner when many are requested at once', async () => {
    const { slots, begun, run, end } = scene();
    const runs = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => run(name));
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    expect([slots.running, slots.runningOf('a'), slots.waitingOf('a')]).toEqual([3, 2, 1]);
    // `a` is first in line, but at its limit.
    await end('b1');
    expect(begun.slice(3)).toEqual(['b2']);
    await end('a1');
    await end('b2');
    expect(begun.slice(4)).toEqual(['a3', 'c1']);
    for (const name of ['a2', 'c1', 'a3']) await end(name);
    await Promise.all(runs);
    expect([slots.running, slots.runningOf('a')]).toEqual([0, 0]);
  });

  it('gives owners turns when one of them has much waiting', async () => {
    const { begun, run, end } = scene();
    const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'b3'];
    const runs = names.map((name) => run(name));
    for (const name of names) await end(name);
    for (const name of names) await end(name);
    await Promise.all(runs);
    expect(begun.indexOf('b2')).toBeLessThan(begun.indexOf('a5'));
    expect(begun.toSorted()).toEqual(names);
  });

  it('rejects a run when too many of its owner wait, and none of another owner', async () => {
    const { run, end } = scene();
    const runs = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map((name) => run(name));
    await expect(run('a7')).rejects.toThrow(SlotsFull);
    const other = run('b1');
    for (const name of ['a1', 'a2', 'b1', 'a3', 'a4', 'a5', 'a6']) await end(name);
    await Promise.all([...runs, other]);
  });

  it('does not begin a run when its signal is aborted while it waits', async () => {
    const { begun, run, end } = scene();
    const aborted = new AbortController();
    const runs = [run('a1'), run('a2')];
    const refused = run('a3', aborted.signal).catch((error: unknown) => error);
    const next = run('a4');
    aborted.abort();
    await end('a1');
    expect(await refused).toMatchObject({ name: 'AbortError' });
    expect(begun).toEqual(['a1', 'a2', 'a4']);
    for (const name of ['a2', 'a4']) await end(name);
    await Promise.all([...runs, next]);
  });

  it('frees the slot when a run rejects', async () => {
    const { slots } = scene();
    await expect(slots.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(slots.running).toBe(0);
  });
});
