import { describe, expect, it } from 'vitest';
import { MemoryPresence } from '../src/index.js';
import { ManualClock } from './manual-clock.js';
import { as, brief, line, LOBBY } from './samples.js';

const LEASE_MS = 15_000;

const alone = (n: number) => as('ada', '1.1', { place: { appId: 'shop', channel: `presence-${n}` } });

function scene(maxLeases?: number) {
  const clock = new ManualClock();
  const faults: unknown[] = [];
  const presence = new MemoryPresence({
    clock,
    onObserverFault: (error) => faults.push(error),
    ...(maxLeases === undefined ? {} : { maxLeases }),
  });
  const told: string[] = [];
  presence.observe((change) => told.push(brief(change)));
  return {
    clock,
    presence,
    told,
    faults,
    come: (user: string) => presence.join(as(user, '1.1'), Infinity),
    lose: (user: string, leaseMs = LEASE_MS) => presence.leave(as(user, '1.1'), leaseMs, 'connection_lost'),
  };
}

describe('leases in memory', () => {
  it('end when their time is over, and not before', async () => {
    const { clock, told, come, lose } = scene();
    await come('ada');
    await lose('ada');
    clock.advance(LEASE_MS - 1);
    expect(told).toEqual(['+ada']);
    clock.advance(1);
    expect(told).toEqual(['+ada', '-ada']);
  });

  it('say nothing of a user who came back after 10 s, also when the first lease would have ended', async () => {
    const { clock, told, come, lose } = scene();
    await come('ada');
    await lose('ada');
    clock.advance(10_000);
    await come('ada');
    clock.advance(4999);
    await lose('ada');
    clock.advance(LEASE_MS - 1);
    expect(told).toEqual(['+ada']);
    clock.advance(1);
    expect(told).toEqual(['+ada', '-ada']);
  });

  it('end in the order of their ends, whatever their lengths', async () => {
    const { clock, presence, told, come, lose } = scene();
    const lengths = { a: 500, b: 100, c: 300, d: 0.5, e: 400, f: Infinity };
    for (const user of Object.keys(lengths)) await come(user);
    told.length = 0;
    for (const [user, leaseMs] of Object.entries(lengths)) await lose(user, leaseMs);
    clock.advance(2 ** 40);
    expect(told).toEqual(['-d', '-b', '-c', '-e', '-a']);
    expect(await presence.members(LOBBY)).toMatchObject([{ userId: 'f' }]);
  });

  it('never need more than one timer, and none when there is no lease', async () => {
    const { clock, presence, come, lose } = scene();
    const users = Array.from({ length: 300 }, (_, n) => `u${n}`);
    for (const user of users) await come(user);
    for (const [n, user] of users.entries()) {
      await lose(user, n % 2 ? LEASE_MS : 1000 - n);
      expect(clock.timers).toBe(1);
    }
    for (const user of users.slice(1)) {
      await come(user);
      expect(clock.timers).toBe(1);
    }
    await come('u0');
    expect(clock.timers).toBe(0);
    await lose('u0');
    expect(clock.timers).toBe(1);
    clock.advance(LEASE_MS);
    expect(clock.timers).toBe(0);
    expect(await presence.memberCounts(LOBBY.appId, [LOBBY.channel])).toEqual([299]);
  });

  it('set a timer only for a lease that ends before all others', async () => {
    const { clock, come, lose } = scene();
    clock.advance(0.25);
    for (let n = 0; n < 100; n += 1) {
      await come(`u${n}`);
      await lose(`u${n}`);
      clock.advance(0.1);
    }
    expect(clock.timersSet).toBe(1);
  });

  it('do not wait longer than timers of the platform can', async () => {
    const { clock, told, come, lose } = scene();
    const longMs = 2 ** 31 + 5;
    await come('ada');
    await lose('ada', longMs);
    clock.advance(2 ** 31 - 1);
    expect([told, clock.timersSet]).toEqual([['+ada'], 2]);
    clock.advance(6);
    expect(told).toEqual(['+ada', '-ada']);
  });

  it('let others have a turn when very many end at once', async () => {
    const { clock, presence, told, come, lose } = scene();
    const users = Array.from({ length: 2500 }, (_, n) => `u${n}`);
    for (const user of users) await come(user);
    for (const user of users) await lose(user);
    told.length = 0;
    clock.runNext(LEASE_MS);
    expect(told).toHaveLength(1000);
    const [returning] = await presence.members(LOBBY);
    await come(returning?.userId ?? '');
    while (clock.runNext());
    expect(told).toHaveLength(2499);
    expect(clock.timers).toBe(0);
  });

  it('are not given beyond the bound: then removal is at once', async () => {
    const { clock, told, come, lose } = scene(2);
    for (const user of ['a', 'b', 'c']) await come(user);
    for (const user of ['a', 'b', 'c']) await lose(user);
    expect(told.slice(3)).toEqual(['-c']);
    await come('a');
    await come('c');
    await lose('c');
    expect(told.slice(4)).toEqual(['+c']);
    clock.advance(LEASE_MS);
    expect(told.slice(5)).toEqual(['-b', '-c']);
  });

  it('are at most 100 000 in a process', async () => {
    const { presence, told } = scene();
    const lost = async (n: number) => {
      await presence.join(alone(n), Infinity);
      await presence.leave(alone(n), LEASE_MS, 'connection_lost');
    };
    for (let n = 0; n < 100_000; n += 1) await lost(n);
    expect(told.filter((text) => text === '-ada')).toEqual([]);
    await lost(100_000);
    expect(told.at(-1)).toBe('-ada');
  }, 120_000);

  it.each([0, -1, Number.NaN])('of %s ms are none', async (leaseMs) => {
    const { told, come, lose } = scene();
    await come('ada');
    await lose('ada', leaseMs);
    expect(told).toEqual(['+ada', '-ada']);
  });

  it('run on the time of the process unless another is given', async () => {
    const presence = new MemoryPresence({ onObserverFault: () => {} });
    const removed = new Promise<string>((resolve) => {
      presence.observe((change) => change.kind === 'removed' && resolve(line(change)));
    });
    await presence.join(as('ada', '1.1'), Infinity);
    await presence.leave(as('ada', '1.1'), 5, 'connection_lost');
    expect(await removed).toBe('shop presence-lobby: ada removed {"from":"1.1"}, connection_lost');
  });

  it('leave no timer behind when presence is closed', async () => {
    const { clock, presence, told, come, lose } = scene();
    await come('ada');
    await lose('ada');
    await presence.close();
    expect(clock.timers).toBe(0);
    clock.advance(LEASE_MS);
    expect(told).toEqual(['+ada']);
  });
});
