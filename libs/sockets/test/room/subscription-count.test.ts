import { afterEach, describe, expect, it, vi } from 'vitest';
import { openRoom, type Room, turn } from './room.js';

const told = (channel: string, count: number): string =>
  `subscription_count ${channel} {"subscription_count":${count}}`;

/** Returns a room with counts and a manual clock. */
async function countingRoom(): Promise<{ room: Room; wait: (ms: number) => Promise<void> }> {
  let nowMs = 0;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const room = await openRoom({ policy: { features: { enable_subscription_count_events: true } } });
  const wait = async (ms: number): Promise<void> => {
    nowMs += ms;
    vi.advanceTimersByTime(ms);
    await turn();
  };
  return { room, wait };
}

describe('the count of a channel', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it('is told after a change, at most once a second, the last value winning', async () => {
    const { room, wait } = await countingRoom();
    const clients = [await room.connect(), await room.connect(), await room.connect()] as const;
    const [one, two, three] = clients;
    one.subscribe('orders');
    await one.heard();
    await turn();
    expect(await one.news()).toEqual(['subscription_succeeded orders {}', told('orders', 1)]);
    two.subscribe('orders');
    await two.heard();
    three.subscribe('orders');
    await three.heard();
    await wait(900);
    expect(await one.news()).toEqual([]);
    await wait(200);
    expect(await one.news()).toEqual([told('orders', 3)]);
    await wait(5000);
    expect(await one.news()).toEqual([]);
    three.unsubscribe('orders');
    await three.heard();
    await turn();
    expect(await one.news()).toEqual([told('orders', 2)]);
    for (const client of clients) client.close();
    await room.expectNothingLeft();
  });

  it('is told no sooner because everybody had left in between', async () => {
    const { room, wait } = await countingRoom();
    const client = await room.connect();
    client.subscribe('orders');
    await client.heard();
    await turn();
    client.unsubscribe('orders');
    client.subscribe('orders');
    await client.heard();
    await turn();
    expect(await client.news()).toEqual([
      'subscription_succeeded orders {}',
      told('orders', 1),
      'subscription_succeeded orders {}',
    ]);
    await wait(1100);
    expect(await client.news()).toEqual([told('orders', 1)]);
    client.close();
    await room.expectNothingLeft();
  });

  it('is told on no presence channel', async () => {
    const { room, wait } = await countingRoom();
    const client = await room.connect();
    client.subscribe('presence-a', 'ada');
    await client.news();
    await wait(2000);
    expect(await client.news()).toEqual([]);
    client.close();
    await room.expectNothingLeft();
  });
});
