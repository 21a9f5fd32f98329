import { Channels } from '@carillon/channels';
import type { Broker } from '@carillon/broker';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Hubs } from '../../src/apps/hubs.js';
import { ChannelBook } from '../../src/channels/channel-book.js';
import type { LocalChannel } from '../../src/channels/local-channel.js';
import { Outlet } from '../../src/delivery/outlet.js';
import { app, config, metrics } from '../samples.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const BOUNDS = { maxFrames: 1000, maxBytes: 1e6, slowBytes: 1e6, disconnects: true, compress: false };
const APP = app();

/** Channels that subscribers enter and leave, with the resulting calls to the broker and to stream followers. */
function scene(env: Readonly<Record<string, string>>, confirmed?: Promise<void>) {
  const hubs = new Hubs(metrics());
  const wanted = new Set<string>();
  const followed = new Set<string>();
  const broker = {
    subscribe: (_app: string, name: string) => {
      if (wanted.has(name)) throw new Error('it is wanted already');
      wanted.add(name);
      return confirmed;
    },
    unsubscribe: (_app: string, name: string) => void wanted.delete(name),
  } as unknown as Broker;
  const book = new ChannelBook(
    hubs,
    broker,
    {
      outlet: new Outlet(BOUNDS, { dropped: () => undefined }),
      publish: () => undefined,
      appends: null,
    },
    { follow: ({ name }) => void followed.add(name), leave: ({ name }) => void followed.delete(name) },
    { begin: () => undefined, end: () => {} },
    true,
  );
  const channels = new Channels(config(env));
  const open = (name: string): LocalChannel => {
    const about = channels.subscription(APP, name, 2);
    if (!about.accepted || about.form !== 'ordinary') throw new Error(name);
    return book.open(hubs.of(APP), about);
  };
  return { hubs, book, open, wanted, followed };
}

const RECOVERY = { CONNECTION_RECOVERY_ENABLED: 'true', CONNECTION_RECOVERY_BUFFER_TTL: '120' };

describe('a channel that the last here has left', () => {
  it('is remembered for as long as messages are kept for who comes back, and then forgotten', async () => {
    const { hubs, book, open, wanted, followed } = scene(RECOVERY);
    book.settle(open('orders'));
    await vi.advanceTimersByTimeAsync(119_000);
    expect([...wanted, ...followed]).toEqual(['orders', 'orders']);
    expect(hubs.find('shop')?.channels.size).toBe(0);
    expect(hubs.find('shop')?.remembers('orders')).toBe(true);
    await vi.advanceTimersByTimeAsync(2000);
    expect([...wanted, ...followed]).toEqual([]);
    expect(hubs.find('shop')).toBeNull();
  });

  it('goes on as it is when somebody comes back', async () => {
    const { book, open, wanted, followed } = scene(RECOVERY);
    book.settle(open('orders'));
    await vi.advanceTimersByTimeAsync(60_000);
    open('orders');
    await vi.advanceTimersByTimeAsync(240_000);
    expect([...wanted, ...followed]).toEqual(['orders', 'orders']);
  });

  it('is let go of at once where nothing is recovered, or others do not know that it is wanted here', () => {
    for (const { book, open, wanted } of [scene({}), scene(RECOVERY, new Promise(() => undefined))]) {
      book.settle(open('orders'));
      expect([...wanted]).toEqual([]);
    }
  });

  it('makes room for those left later where there are very many', () => {
    const { book, open, wanted } = scene(RECOVERY);
    for (let n = 0; n < 5002; n += 1) book.settle(open(`c${n}`));
    expect(wanted.size).toBe(5000);
    expect([wanted.has('c0'), wanted.has('c1'), wanted.has('c2')]).toEqual([false, false, true]);
    book.stop();
  });
});
