import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { MemoryPresence } from '../src/index.js';
import { ManualClock } from './manual-clock.js';
import { as, LOBBY } from './samples.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const open = (clock = new ManualClock()) =>
  new MemoryPresence({
    clock,
    onObserverFault: (error) => {
      throw error;
    },
  });

describe('what presence in memory holds', () => {
  it('is nothing of places, apps, users, connections and leases that were', async () => {
    const clock = new ManualClock();
    const presence = open(clock);
    const comeAndGo = async (from: number, to: number) => {
      for (let n = from; n < to; n += 1) {
        const place = { appId: `app-${n}`, channel: `presence-${n}` };
        await presence.join(as(`u${n}`, '1.1', { place }), Infinity);
        await presence.join(as(`u${n}`, '1.2', { place }), Infinity);
        await presence.leave(as(`u${n}`, '1.1', { place }), 0, 'left');
        await presence.leave(as(`u${n}`, '1.2', { place }), n % 3, 'left');
        await presence.join(as('refused', '1.3', { place }), 0);
        await presence.leave(as('unknown', '1.3', { place }), 5, 'left');
        clock.advance(1);
      }
      clock.advance(5);
    };
    await comeAndGo(0, 5000);
    const before = heldBytes();
    await comeAndGo(5000, 25_000);
    // 20 000 maps that were forgotten would be more than twice that.
    expect(heldBytes() - before).toBeLessThan(1_500_000);
    expect(await presence.memberCounts('app-1', ['presence-1'])).toEqual([0]);
  });

  it('is little where one user is alone in each of many channels', async () => {
    const presence = open();
    const presentations = Array.from({ length: 20_000 }, (_, n) =>
      as(`u${n}`, `1.${n}`, { place: { ...LOBBY, channel: `presence-${n}` } }),
    );
    const before = heldBytes();
    for (const presentation of presentations) await presence.join(presentation, Infinity);
    const bytesEach = (heldBytes() - before) / presentations.length;
    expect(bytesEach).toBeLessThan(800);
    expect(presentations).toHaveLength(20_000);
    await presence.close();
  });

  it('is little for each of many members of one channel', async () => {
    const presence = open();
    const presentations = Array.from({ length: 20_000 }, (_, n) =>
      as(`u${n}`, `1.${n}`, { place: { ...LOBBY, channel: '!online-users' } }),
    );
    const before = heldBytes();
    for (const presentation of presentations) await presence.join(presentation, Infinity);
    const bytesEach = (heldBytes() - before) / presentations.length;
    expect(bytesEach).toBeLessThan(300);
    expect(presentations).toHaveLength(20_000);
    await presence.close();
  });

  it('is one list of members for all who ask while nothing changes', async () => {
    const presence = open();
    await presence.join(as('ada', '1.1', { info: 'same' }), Infinity);
    const list = await presence.members(LOBBY);
    const again = await presence.join(as('ada', '1.2', { info: 'same' }), Infinity);
    await presence.leave(as('ada', '1.1'), 0, 'left');
    await presence.leave(as('ada', '1.2'), 5, 'connection_lost');
    expect(again.kind === 'joined' && again.members).toBe(list);
    expect(await presence.members(LOBBY)).toBe(list);
    await presence.join(as('ada', '1.3', { info: 'new' }), Infinity);
    expect(await presence.members(LOBBY)).not.toBe(list);
  });
});
