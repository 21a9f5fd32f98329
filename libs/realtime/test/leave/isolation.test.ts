import { expect, it } from 'vitest';
import { Isolation } from '../../src/leave/isolation.js';

const alone = async (): Promise<boolean> => false;

/** A manual clock, and the callbacks that run when it advances. */
function scene() {
  let nowMs = 0;
  const timers = new Set<{ readonly atMs: number; readonly call: () => void }>();
  const closings: AbortSignal[] = [];
  const isolation = new Isolation({
    after: (ms, call) => {
      const timer = { atMs: nowMs + ms, call };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    closeAll: async (signal) => void closings.push(signal),
  });
  const advance = async (ms: number): Promise<void> => {
    nowMs += ms;
    for (const timer of timers) if (timer.atMs <= nowMs && timers.delete(timer)) timer.call();
    await new Promise((settled) => setImmediate(settled));
  };
  return { isolation, closings, advance };
}

it('clients are sent away when the others were out of reach for 10 s, and no earlier', async () => {
  const { isolation, closings, advance } = scene();
  isolation.begin(0, alone);
  await advance(9999);
  expect([isolation.isLong, closings.length]).toEqual([false, 0]);
  await advance(1);
  expect([isolation.isLong, closings.length]).toEqual([true, 1]);
});

it('the time before anybody noticed counts', async () => {
  const { isolation, closings, advance } = scene();
  isolation.begin(5000, alone);
  await advance(4999);
  expect(closings).toHaveLength(0);
  await advance(1);
  expect(closings).toHaveLength(1);
});

it('nobody is sent away when the others are in reach again in time', async () => {
  const { isolation, closings, advance } = scene();
  isolation.begin(0, alone);
  await advance(9999);
  isolation.end();
  await advance(10_000);
  expect([isolation.isLong, closings.length]).toEqual([false, 0]);
});

it('each absence has its own 10 s, told of once or often', async () => {
  const { isolation, closings, advance } = scene();
  isolation.begin(0, alone);
  await advance(6000);
  isolation.end();
  isolation.begin(0, alone);
  await advance(6000);
  isolation.begin(0, alone);
  expect(closings).toHaveLength(0);
  await advance(4000);
  expect(closings).toHaveLength(1);
});

it('closing ends with the absence', async () => {
  const { isolation, closings, advance } = scene();
  isolation.begin(0, alone);
  await advance(10_000);
  expect(closings[0]?.aborted).toBe(false);
  isolation.end();
  expect([isolation.isLong, closings[0]?.aborted]).toEqual([false, true]);
});

it('while nobody is in reach of anybody clients stay, and go once it is this process alone', async () => {
  const { isolation, closings, advance } = scene();
  let isForAll = true;
  isolation.begin(0, async () => isForAll);
  await advance(10_000);
  await advance(5000);
  expect([isolation.isLong, closings.length]).toEqual([false, 0]);
  isForAll = false;
  await advance(5000);
  expect([isolation.isLong, closings.length]).toEqual([true, 1]);
});

it('that the others are in reach again while it is asked ends it', async () => {
  const { isolation, closings, advance } = scene();
  isolation.begin(0, async () => {
    isolation.end();
    return false;
  });
  await advance(10_000);
  expect([isolation.isLong, closings.length]).toEqual([false, 0]);
});
