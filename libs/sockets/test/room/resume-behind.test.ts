import type { WireFormat } from '@carillon/protocol';
import { describe, expect, it, vi } from 'vitest';
import { Hold } from './ports.js';
import { joined, outcomeOf, publish, RECOVERY, SUCCEEDED, told } from './resuming.js';
import { openRoom } from './room.js';

const FORMATS: readonly WireFormat[] = ['json', 'messagepack', 'protobuf'];

describe.each(FORMATS)('a resume in %s', (format) => {
  it('right behind a subscribe is answered behind it, in one with the rest', async () => {
    const room = await openRoom({ env: RECOVERY });
    const { streamId } = await joined(room, 'orders', format);
    const { client, streamId: other } = await joined(room, 'other', format);
    publish(room, 'orders', 'a', 'b', 'c');
    publish(room, 'other', 'x', 'y');
    await client.heard();
    client.together(() => {
      client.subscribe('orders');
      client.send('service:resume', {
        channel_positions: {
          orders: { stream_id: streamId, serial: 1 },
          other: { stream_id: other, serial: 1 },
        },
      });
    });
    const success = await client.until('service:resume_success');
    publish(room, 'orders', 'd');
    const { recovered } = outcomeOf(client, success);
    expect(recovered.toSorted((one, another) => another.channel.localeCompare(one.channel))).toMatchObject([
      { channel: 'other', replayed: 1, position: { serial: 2 } },
      { channel: 'orders', replayed: 2, position: { serial: 3 } },
    ]);
    const frames = await client.heard();
    expect(frames[0]?.event).toBe(SUCCEEDED);
    const lines = told(frames);
    expect(lines.slice(0, 3).toSorted()).toEqual(['b 2', 'c 3', 'y 2']);
    expect(lines.slice(3)).toEqual(['resume_success', 'd 4']);
  });
});

describe('a resume', () => {
  it('waits for the subscribes that are under way, for a while, and leaves nothing behind', async () => {
    const room = await openRoom({ env: RECOVERY });
    const { client: first, streamId } = await joined(room, 'orders');
    publish(room, 'orders', 'a', 'b');
    const [client, gone] = [(await joined(room, 'orders')).client, (await joined(room, 'orders')).client];
    const [two, lost] = [new Hold(), new Hold()];
    room.broker.confirm = (channel) => (channel === 'two' ? two : lost);
    for (const one of [client, gone]) {
      await one.heard();
      one.together(() => {
        for (const channel of ['two', 'lost']) one.subscribe(channel);
        one.send('service:resume', {
          channel_positions: {
            two: { serial: 0 },
            lost: { serial: 7 },
            orders: { stream_id: streamId, serial: 1 },
          },
        });
      });
      expect((await one.until('news')).messageId).toBe('b');
    }
    publish(room, 'orders', 'c');
    expect(told(await client.heard())).toEqual(['b 2']);
    gone.close();
    two.release();
    lost.fail();
    const outcome = outcomeOf(client, await client.until('service:resume_success'));
    expect(outcome.recovered.map(({ channel }) => channel)).toEqual(['orders', 'two']);
    expect(outcome.failed).toEqual([]);
    expect(told(await client.heard())).toEqual(['resume_success', 'c 3']);
    for (const one of [first, client]) one.close();
    await room.expectNothingLeft();
  });

  it('does not wait long for a subscribe, which then tells of its channel by itself', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const room = await openRoom({ env: RECOVERY });
      const { client } = await joined(room, 'orders');
      const hold = new Hold();
      room.broker.confirm = () => hold;
      client.subscribe('slow');
      client.send('service:resume', { channel_positions: { orders: { serial: 0 }, slow: { serial: 0 } } });
      await client.heard();
      vi.advanceTimersByTime(1001);
      const first = outcomeOf(client, await client.until('service:resume_success'));
      expect(first.recovered.map(({ channel }) => channel)).toEqual(['orders']);
      hold.release();
      const second = outcomeOf(client, await client.until('service:resume_success'));
      expect(second.recovered.map(({ channel }) => channel)).toEqual(['slow']);
    } finally {
      vi.useRealTimers();
    }
  });
});
