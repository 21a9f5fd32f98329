import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Recovery } from '../src/channel/events.js';
import { Continuity } from '../src/channel/continuity.js';
import { numbered, settled, subscribed, World } from './harness/world.js';

const at = (serial: number, stream_id = 'a') => ({ stream_id, serial });

async function reconnected(world: World): Promise<void> {
  world.socket.ends(1006);
  await world.clock.pass(1000);
  await world.establish();
}

const open = async () => {
  const world = new World();
  const heard: unknown[] = [];
  const recoveries: Recovery[] = [];
  await world.connect();
  const channel = world.client.subscribe<{ tick: { n: number } }>('orders');
  channel.bind('tick', ({ n }) => heard.push(n));
  channel.on('recovery', (recovery) => recoveries.push(recovery));
  await settled();
  world.socket.says(subscribed('orders', { attach_serial: 4 }, at(4)));
  world.socket.says(numbered('orders', 5));
  world.socket.taken();
  return { world, heard, recoveries, channel };
};

describe('a channel with positions', () => {
  it('asks for what it missed before it subscribes, and hears it once', async () => {
    const { world, heard, recoveries } = await open();
    await reconnected(world);
    expect(world.socket.taken()).toEqual([
      {
        event: 'service:resume',
        data: { channel_positions: { orders: { stream_id: 'a', serial: 5, last_message_id: 'm-5' } } },
      },
      { event: 'service:subscribe', data: { channel: 'orders' } },
    ]);
    world.socket.says(subscribed('orders', {}, at(8)));
    for (const serial of [5, 6, 7]) world.socket.says(numbered('orders', serial));
    const position = { ...at(8), last_message_id: null };
    const recovered = [{ channel: 'orders', source: 'hot', replayed: 2, position }];
    world.socket.says({ event: 'service:resume_success', data: JSON.stringify({ recovered, failed: [] }) });
    world.socket.says(numbered('orders', 8));
    world.socket.says(numbered('orders', 9));
    expect(heard).toEqual([5, 6, 7, 9]);
    expect(recoveries).toEqual([{ recovered: true, replayed: 2, source: 'hot' }]);
  });

  it('that is wanted with another filter is rewound to what the filter before kept from it', async () => {
    const { world, heard, channel } = await open();
    channel.subscribe({ filter: { events: ['tick'] }, rewind: 3 });
    await settled();
    world.socket.says(subscribed('orders', {}, at(5)));
    // Of the last three, one had been delivered.
    for (const serial of [2, 4, 5]) world.socket.says(numbered('orders', serial));
    world.socket.says(numbered('orders', 6));
    channel.subscribe({ filter: { events: ['tick'] }, rewind: 3 });
    await settled();
    world.socket.says(subscribed('orders', {}, at(6)));
    for (const serial of [4, 5, 6]) world.socket.says(numbered('orders', serial));
    expect(heard).toEqual([5, 2, 4, 6]);
  });

  it('asks for many channels in requests that the service can take', async () => {
    const world = new World();
    await world.connect();
    const names = Array.from({ length: 900 }, (_, n) => `${'x'.repeat(100)}-${n}`);
    for (const name of names) world.client.subscribe(name);
    await settled();
    for (const name of names)
      world.socket.says(subscribed(name, {}, { stream_id: 'a'.repeat(36), serial: 9 }));
    world.socket.ends(1006);
    await world.clock.pass(500);
    const socket = await world.establish();
    const asked = socket.taken().filter(({ event }) => event === 'service:resume');
    const sizes = asked.map((frame) => JSON.stringify(frame).length);
    expect(Math.max(...sizes)).toBeLessThan(20_000);
    const positions = asked.map(({ data }) => (data as { channel_positions: object }).channel_positions);
    expect(positions.flatMap(Object.keys)).toEqual(names);
  });

  it('is told when the service cannot say what was missed', async () => {
    const { world, heard, recoveries } = await open();
    await reconnected(world);
    world.socket.says(subscribed('orders', {}, at(300)));
    const failed = { channel: 'orders', code: 'position_expired', reason: 'recovery_window_exceeded' };
    const data = JSON.stringify(failed);
    world.socket.says({ event: 'service:resume_failed', channel: 'orders', data });
    world.socket.says({
      event: 'service:resume_success',
      data: JSON.stringify({ recovered: [], failed: [failed] }),
    });
    world.socket.says(numbered('orders', 301));
    expect(recoveries).toEqual([
      { recovered: false, code: 'position_expired', reason: 'recovery_window_exceeded' },
    ]);
    expect(heard).toEqual([5, 301]);
    await reconnected(world);
    expect(world.socket.taken()[0]).toMatchObject({
      data: { channel_positions: { orders: { serial: 301 } } },
    });
  });

  it('is told when live events are lost, and so is a pattern that it fits', async () => {
    const { world, heard, recoveries } = await open();
    const byPattern: unknown[] = [];
    world.client.subscribe('ord*').on('recovery', (told) => byPattern.push(told));
    await settled();
    world.socket.says(subscribed('ord*'));
    const gap = { code: 'continuity_unverifiable', reason: 'live_gap_unrecoverable' };
    for (const channel of ['orders', 'order-2']) {
      const data = JSON.stringify({ channel, ...gap });
      world.socket.says({ event: 'service:resume_failed', channel, data });
    }
    world.socket.says(numbered('orders', 9));
    expect(heard).toEqual([5, 9]);
    expect(recoveries).toEqual([{ recovered: false, ...gap }]);
    expect(byPattern).toEqual([
      { recovered: false, ...gap, channel: 'orders' },
      { recovered: false, ...gap, channel: 'order-2' },
    ]);
  });

  it('is told when recovery is refused altogether', async () => {
    const { world, recoveries } = await open();
    await reconnected(world);
    world.socket.says(subscribed('orders', {}, at(9)));
    world.socket.says({
      event: 'service:error',
      data: { code: 4301, message: 'Recovery is not served here' },
    });
    expect(recoveries).toMatchObject([{ recovered: false, code: 'refused' }]);
  });

  it('is told when its stream starts anew', async () => {
    const { world, heard, recoveries } = await open();
    world.socket.says(numbered('orders', 1, 'tick', 'b'));
    expect(heard).toEqual([5, 1]);
    expect(recoveries).toMatchObject([{ recovered: false, code: 'stream_reset' }]);
  });

  it('hears what is rewound once, and does not ask for it again when it was recovered', async () => {
    const world = new World();
    await world.connect();
    const heard: unknown[] = [];
    const channel = world.client.subscribe<{ tick: { n: number } }>('orders', { rewind: 2 });
    channel.bind('tick', ({ n }) => heard.push(n));
    await settled();
    expect(world.socket.taken()).toEqual([
      { event: 'service:subscribe', data: { channel: 'orders', rewind: 2 } },
    ]);
    world.socket.says(subscribed('orders', {}, at(4)));
    for (const serial of [3, 4, 3, 5]) world.socket.says(numbered('orders', serial));
    world.socket.says({ event: 'service:rewind_complete', channel: 'orders', data: { complete: true } });
    expect(heard).toEqual([3, 4, 5]);
    await reconnected(world);
    expect(world.socket.taken()[1]).toEqual({ event: 'service:subscribe', data: { channel: 'orders' } });
  });

  it('says that messages may be missing where the service keeps no positions', async () => {
    const world = new World();
    await world.connect();
    const recoveries: Recovery[] = [];
    const channel = world.client.subscribe('plain');
    channel.on('recovery', (recovery) => recoveries.push(recovery));
    await settled();
    world.socket.says(subscribed('plain'));
    await reconnected(world);
    world.socket.says(subscribed('plain'));
    expect(recoveries).toMatchObject([{ recovered: false, code: 'not_available' }]);
  });
});

describe('continuity', () => {
  it('delivers a message that was sent again under its id once', () => {
    const continuity = new Continuity();
    const take = (messageId: string, serial?: number): string =>
      continuity.take({
        event: 'e',
        messageId,
        ...(serial === undefined ? {} : { streamId: 'a', serial }),
      });
    expect([take('m-1'), take('m-1'), take('m-2', 1), take('m-2', 2), take('m-3', 3)]).toEqual([
      'deliver',
      'duplicate',
      'deliver',
      'duplicate',
      'deliver',
    ]);
    expect(continuity.position).toMatchObject({ serial: 3 });
  });

  it('delivers every serial once, in whatever pieces and repetitions it comes', () => {
    const pieces = fc.array(fc.tuple(fc.nat(40), fc.nat(10)), { maxLength: 20 });
    fc.assert(
      fc.property(fc.nat(20), pieces, (start, pieces) => {
        const continuity = new Continuity();
        continuity.attach({ streamId: 'a', serial: start });
        const delivered: number[] = [];
        let next = start + 1;
        for (const [back, count] of pieces) {
          // A replay reaches back as far as it likes, and is complete up to where it ends.
          next = Math.max(start + 1, next - back);
          for (let serial = next; serial <= next + back + count; serial += 1) {
            if (continuity.take({ event: 'e', streamId: 'a', serial }) === 'deliver') delivered.push(serial);
          }
          next += back + count + 1;
        }
        const last = continuity.position?.serial ?? 0;
        expect(delivered).toEqual(Array.from({ length: last - start }, (_, at) => start + 1 + at));
      }),
    );
  });
});
