import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SLOT_BOUNDS, Slots, type Busy, type Slot } from '../../src/delivery/slots.js';

const signal = (): AbortSignal => new AbortController().signal;
const turn = () => new Promise<void>((next) => void setImmediate(next));

/** An endpoint, of an app of its own unless one is named. */
const to = (endpoint: string, appId = endpoint) => ({ appId, endpoint });

/** Requests `times` slots; returns those granted, and the number deferred. */
async function enter(slots: Slots, endpoint: string, times: number) {
  const had: Slot[] = [];
  let away = 0;
  const one = async (): Promise<void> => {
    const entered = await slots.enter(to(endpoint), signal());
    if (entered.kind === 'slot') had.push(entered);
    else away += 1;
  };
  for (let n = 0; n < times; n += 1) {
    void one();
  }
  await turn();
  return { had, away: () => away };
}

describe('deliveries', () => {
  it('run at most so many at once, and no endpoint has them all', async () => {
    const slots = new Slots();
    const first = await enter(slots, 'a', 60);
    expect([first.had.length, first.away()]).toEqual([5, 15]);
    for (const endpoint of ['b', 'c', 'd']) expect((await enter(slots, endpoint, 5)).had).toHaveLength(5);
    expect((await enter(slots, 'e', 5)).had).toHaveLength(0);
  });

  it('of one app leave room for another, whatever its endpoints', async () => {
    const slots = new Slots();
    const running: Slot[] = [];
    const enter = async (endpoint: string, appId: string): Promise<void> => {
      const slot = await slots.enter(to(endpoint, appId), signal());
      if (slot.kind === 'slot') running.push(slot);
    };
    for (let n = 0; n < 40; n += 1) void enter(`churn ${n % 10}`, 'churning');
    await turn();
    expect(running).toHaveLength(SLOT_BOUNDS.perApp);
    await enter('quiet', 'quiet');
    await enter('churn 0', 'quiet');
    expect(running).toHaveLength(SLOT_BOUNDS.perApp + 2);
  });

  it('give a free slot to the waiting app with the fewest running', async () => {
    const slots = new Slots({ ...SLOT_BOUNDS, total: 2 });
    const order: string[] = [];
    const held: Slot[] = [];
    const enter = async (endpoint: string, appId: string): Promise<void> => {
      const slot = await slots.enter(to(endpoint, appId), signal());
      if (slot.kind === 'busy') return;
      order.push(appId);
      held.push(slot);
    };
    for (let n = 0; n < 6; n += 1) void enter(`churn ${n}`, 'churning');
    void enter('quiet', 'quiet');
    await turn();
    expect(order).toEqual(['churning', 'churning']);
    held.shift()?.release(1);
    await turn();
    expect(order).toEqual(['churning', 'churning', 'quiet']);
  });

  it('wait in turn: whoever was served goes behind the others', async () => {
    const slots = new Slots({ ...SLOT_BOUNDS, total: 1 });
    const order: string[] = [];
    const run = async (endpoint: string): Promise<void> => {
      const slot = await slots.enter(to(endpoint), signal());
      if (slot.kind === 'busy') return;
      order.push(endpoint);
      await turn();
      slot.release(1);
    };
    await Promise.all(['a', 'a', 'a', 'b', 'b', 'c'].map(run));
    expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'b']);
  });

  it('to slow endpoints share a part, so that the others always find room', async () => {
    const slots = new Slots();
    for (let n = 0; n < 20; n += 1) {
      const slot = await slots.enter(to(`slow ${n}`), signal());
      if (slot.kind === 'slot') slot.release(5000);
    }
    let running = 0;
    for (let n = 0; n < 20; n += 1) running += (await enter(slots, `slow ${n}`, 1)).had.length;
    expect(running).toBe(SLOT_BOUNDS.slow);
    const healthy = await enter(slots, 'healthy', 5);
    expect(healthy.had).toHaveLength(5);
    expect((await enter(slots, 'other', 5)).had).toHaveLength(5);
  });

  it('to an endpoint that is quick again run as before', async () => {
    const slots = new Slots();
    const slow = await slots.enter(to('a'), signal());
    if (slow.kind === 'slot') slow.release(5000);
    const two = await enter(slots, 'a', 2);
    expect([two.had.length, (await enter(slots, 'a', 1)).had.length]).toEqual([2, 0]);
    two.had[0]?.release(5);
    two.had[1]?.release(5);
    await turn();
    expect((await enter(slots, 'a', 4)).had).toHaveLength(4);
  });

  it('that are sent away come back spread over the time their endpoint needs', async () => {
    let nowMs = 0;
    const bounds = { ...SLOT_BOUNDS, perSlowEndpoint: 1, waiting: 0 };
    const slots = new Slots(bounds, () => nowMs);
    const slow = await slots.enter(to('a'), signal());
    if (slow.kind === 'slot') slow.release(2000);
    const [, ...away] = await Promise.all(Array.from({ length: 12 }, () => slots.enter(to('a'), signal())));
    const waits = away.map((one) => (one as Busy).againMs);
    expect(waits.slice(0, 3)).toEqual([2000, 4000, 6000]);
    expect(Math.max(...waits)).toBe(15_000);
    nowMs = 60_000;
    expect(((await slots.enter(to('a'), signal())) as Busy).againMs).toBe(2000);
  });

  it('that are given up while they wait leave their place', async () => {
    const slots = new Slots({ ...SLOT_BOUNDS, total: 1 });
    const slot = await slots.enter(to('a'), signal());
    const controller = new AbortController();
    const waiting = slots.enter(to('b'), controller.signal);
    controller.abort();
    expect((await waiting).kind).toBe('busy');
    expect((await slots.enter(to('b'), AbortSignal.abort())).kind).toBe('busy');
    if (slot.kind === 'slot') slot.release(1);
    expect((await slots.enter(to('c'), signal())).kind).toBe('slot');
  });

  it('keep every bound, and none is forgotten, whatever comes and goes', async () => {
    const step = fc.record({
      endpoint: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      tookMs: fc.constantFrom(1, 5000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 80 }), async (steps) => {
        const slots = new Slots();
        const running = new Map<string, number>();
        let total = 0;
        let settled = 0;
        let [mostTotal, mostOfOne] = [0, 0];
        const held: { slot: Slot; endpoint: string; tookMs: number }[] = [];
        const free = (): void => {
          const one = held.shift();
          if (one === undefined) return;
          total -= 1;
          running.set(one.endpoint, (running.get(one.endpoint) ?? 0) - 1);
          one.slot.release(one.tookMs);
        };
        const run = async (endpoint: string, tookMs: number): Promise<void> => {
          const slot = await slots.enter(to(endpoint), signal());
          settled += 1;
          if (slot.kind === 'busy') return;
          total += 1;
          running.set(endpoint, (running.get(endpoint) ?? 0) + 1);
          mostTotal = Math.max(mostTotal, total);
          mostOfOne = Math.max(mostOfOne, ...running.values());
          held.push({ slot, endpoint, tookMs });
        };
        for (const { endpoint, tookMs } of steps) {
          void run(endpoint, tookMs);
          await turn();
          if (tookMs === 1) free();
        }
        while (held.length > 0) {
          free();
          await turn();
        }
        expect(settled).toBe(steps.length);
        expect(mostTotal).toBeLessThanOrEqual(SLOT_BOUNDS.total);
        expect(mostOfOne).toBeLessThanOrEqual(SLOT_BOUNDS.perEndpoint);
      }),
      { numRuns: 50 },
    );
  });
});
