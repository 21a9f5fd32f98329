import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Subscriptions } from '../src/cluster/subscriptions.js';
import type { Session } from '../src/cluster/wire.js';

const TIMEOUT_MS = 2000;
const BATCH = 2;
const CHANNELS = Array.from({ length: 40 }, (_, index) => `channel-${index}`);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Subscriptions over a broker that takes this long to confirm a batch of this number; Infinity: it never does. */
function slow(confirmMs: (batch: number) => number) {
  const batches: number[] = [];
  let timeouts = 0;
  const subscriptions = new Subscriptions({
    confirmTimeoutMs: TIMEOUT_MS,
    lingerMs: 0,
    coalesceMs: 5,
    coalesceMax: BATCH,
    onConfirmed: () => {},
    onTimeout: () => (timeouts += 1),
    onRefused: () => {},
    onComplete: () => {},
    onReturned: () => {},
    onFault: () => {},
  });
  const session = {
    subscribe: async (addresses: readonly string[]) => {
      const takesMs = confirmMs(batches.push(addresses.length));
      await new Promise<void>((resolve) => {
        if (takesMs !== Infinity) setTimeout(resolve, takesMs);
      });
      return [];
    },
  } as unknown as Session;
  subscriptions.attach(session);
  const held = Promise.allSettled(CHANNELS.map(async (address) => subscriptions.hold(address)));
  const outcome = async () => {
    await vi.advanceTimersByTimeAsync(60_000);
    const refused = (await held).filter(({ status }) => status === 'rejected').length;
    subscriptions.close();
    return { refused, timeouts, batches };
  };
  return { outcome };
}

it('subscriptions are all confirmed when a burst takes the broker longer than the timeout, batch by batch', async () => {
  const { refused, timeouts, batches } = await slow(() => 900).outcome();
  expect([refused, timeouts]).toEqual([0, 0]);
  expect(batches).toEqual(CHANNELS.slice(0, CHANNELS.length / BATCH).map(() => BATCH));
});

it('subscriptions are refused when the broker confirms nothing for the timeout', async () => {
  const { refused, timeouts } = await slow((batch) => (batch > 3 ? Infinity : 900)).outcome();
  expect([refused, timeouts]).toEqual([CHANNELS.length - 3 * BATCH, CHANNELS.length - 3 * BATCH]);
});

it('subscriptions are refused after ten timeouts when the broker progresses too slowly', async () => {
  const { refused } = await slow(() => TIMEOUT_MS - 1).outcome();
  expect(refused).toBe(CHANNELS.length - 10 * BATCH);
});

it('subscriptions keep a confirmed address when three sessions are lost while it is requested again', async () => {
  const refused: string[] = [];
  const subscriptions = new Subscriptions({
    confirmTimeoutMs: TIMEOUT_MS,
    lingerMs: 0,
    coalesceMs: 5,
    coalesceMax: BATCH,
    onConfirmed: () => {},
    onTimeout: () => {},
    onRefused: (address) => refused.push(address),
    onComplete: () => {},
    onReturned: () => {},
    onFault: () => {},
  });
  const requested: string[] = [];
  const sessionOf = (answer: Promise<string[]>): Session =>
    ({
      subscribe: (addresses: readonly string[]) => {
        requested.push(...addresses);
        return answer;
      },
    }) as unknown as Session;
  subscriptions.attach(sessionOf(Promise.resolve([])));
  const held = subscriptions.hold('orders');
  await vi.advanceTimersByTimeAsync(100);
  await held;
  for (let lost = 0; lost < 4; lost += 1) {
    subscriptions.detach();
    subscriptions.attach(sessionOf(new Promise(() => {})));
    await vi.advanceTimersByTimeAsync(20_000);
  }
  subscriptions.detach();
  subscriptions.attach(sessionOf(Promise.resolve([])));
  await vi.advanceTimersByTimeAsync(20_000);
  expect([refused, subscriptions.size, subscriptions.missingLongerThan(0)]).toEqual([[], 1, 0]);
  expect(requested.length).toBeGreaterThan(4);
  subscriptions.close();
});
