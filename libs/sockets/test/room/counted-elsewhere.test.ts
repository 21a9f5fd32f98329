import { describe, expect, it } from 'vitest';
import { openRoom, turn } from './room.js';

const told = (count: number): string => `subscription_count orders {"subscription_count":${count}}`;
const policy = { features: { enable_subscription_count_events: true } };

describe('a count over all processes', () => {
  it('has those of other processes in it, and is told when one of them has died', async () => {
    const room = await openRoom({ policy });
    room.channelCounts.others.set('orders', 3);
    const client = await room.connect();
    client.subscribe('orders');
    await client.heard();
    await turn();
    expect((await client.news()).at(-1)).toBe(told(4));
    room.channelCounts.others.set('orders', 0);
    room.channelCounts.tell('shop', 'orders', 4);
    await client.until('pusher_internal:subscription_count');
    expect((await client.news()).at(-1)).toBe(told(1));
    client.close();
    await room.expectNothingLeft();
  });

  it('is told to other processes also by one that has nothing of the app', async () => {
    const room = await openRoom({ policy });
    room.channelCounts.others.set('orders', 1);
    const events: string[] = [];
    room.broker.reach = ({ channel, fact }) => {
      events.push(`${channel} ${fact.kind}`);
      return null;
    };
    room.channelCounts.tell('shop', 'orders', 2);
    room.channelCounts.tell('gone', 'orders', 2);
    await turn();
    await turn();
    expect(events).toEqual([expect.stringContaining('channel_counted')]);
  });

  it('is not kept where nobody wants to know', async () => {
    const room = await openRoom();
    const client = await room.connect();
    client.subscribe('orders');
    await client.heard();
    expect([...(await room.channelCounts.occupied())]).toEqual([]);
    client.close();
    await room.expectNothingLeft();
  });
});
