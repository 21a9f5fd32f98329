import { describe, expect, it, vi } from 'vitest';
import { settled, subscribed, World } from './harness/world.js';

const namesOf = (frames: readonly unknown[]): unknown[] =>
  frames.map((frame) => (frame as { data: { channel: string } }).data.channel);

it('a client keeps 100 subscribe requests unanswered when it subscribes more channels at once', async () => {
  const world = new World();
  await world.connect();
  world.socket.taken();
  const names = Array.from({ length: 250 }, (_, n) => `c${n}`);
  for (const name of names) world.client.subscribe(name);
  await settled();
  expect(namesOf(world.socket.taken())).toEqual(names.slice(0, 100));
  for (const name of names.slice(0, 60)) world.socket.says(subscribed(name));
  // A channel that is left waits no more, and gives its turn up where it has one.
  world.client.leave('c99');
  world.client.leave('c200');
  await settled();
  const next = world.socket
    .taken()
    .filter((frame) => (frame as { event: string }).event === 'service:subscribe');
  expect(namesOf(next)).toEqual(names.slice(100, 161));
});

it.each([
  [4301, 403],
  [4100, 503],
  [4303, 400],
])(
  'a channel stays subscribing and asks again when it is refused with the retryable code %d',
  async (code, status) => {
    const world = new World();
    await world.connect();
    const channel = world.client.subscribe('orders');
    await settled();
    world.socket.taken();
    const data = { type: 'SubscriptionError', error: 'too many', status, code };
    world.socket.says({ event: 'service:subscription_error', channel: 'orders', data });
    expect(channel.state).toBe('subscribing');
    await world.clock.pass(1500);
    await settled();
    expect(namesOf(world.socket.taken())).toContain('orders');
  },
);

it('whenSubscribed rejects when the client disconnects for good, and when the timeout passes', async () => {
  const world = new World();
  await world.connect();
  const channel = world.client.subscribe('orders');
  const late = channel.whenSubscribed({ timeoutMs: 500 }).catch((error: unknown) => String(error));
  await world.clock.pass(500);
  expect(await late).toContain('within 500 ms');
  const waiting = channel.whenSubscribed().catch((error: unknown) => String(error));
  world.client.disconnect();
  expect(await waiting).toContain('disconnected');
});

it('a channel calls a once listener once and no listener after off', async () => {
  const world = new World();
  await world.connect();
  const channel = world.client.subscribe('orders');
  const [once, removed, kept] = [vi.fn(), vi.fn(), vi.fn()];
  channel.once('subscribed', once);
  channel.once('subscribed', removed);
  channel.off('subscribed', removed);
  channel.on('subscribed', kept);
  await settled();
  for (const _ of ['first', 'again']) world.socket.says(subscribed('orders'));
  channel.off('subscribed', kept);
  world.socket.says(subscribed('orders'));
  expect([once, removed, kept].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 2]);
});

it('whenSubscribed rejects with the reason of an aborted signal and leaves no listener on it', async () => {
  const world = new World();
  await world.connect();
  const channel = world.client.subscribe('orders');
  const abort = new AbortController();
  const waiting = channel.whenSubscribed({ signal: abort.signal }).catch((error: unknown) => error);
  const reason = new Error('the page was left');
  abort.abort(reason);
  expect(await waiting).toBe(reason);
  await expect(channel.whenSubscribed({ signal: abort.signal })).rejects.toBe(reason);
  const other = new AbortController();
  const removed = vi.spyOn(other.signal, 'removeEventListener');
  const subscribing = channel.whenSubscribed({ signal: other.signal });
  await settled();
  world.socket.says(subscribed('orders'));
  await subscribing;
  expect(removed).toHaveBeenCalledOnce();
});

async function subscribedScene() {
  const world = new World();
  await world.connect();
  const channel = world.client.subscribe('orders');
  await settled();
  world.socket.says(subscribed('orders'));
  const say = (event: string): void => world.socket.says({ event, channel: 'orders', data: event });
  return { world, channel, say };
}

describe('listeners of a channel', () => {
  it('bindOnce calls a listener for one event', async () => {
    const { channel, say } = await subscribedScene();
    const heard: unknown[] = [];
    channel.bindOnce('paid', (data) => heard.push(data));
    say('sent');
    say('paid');
    say('paid');
    expect(heard).toEqual(['paid']);
  });

  it('unbind removes one listener, the listeners of an event, or all', async () => {
    const { channel, say } = await subscribedScene();
    const heard: string[] = [];
    const a = (data: unknown): void => void heard.push(`a ${String(data)}`);
    const b = (data: unknown): void => void heard.push(`b ${String(data)}`);
    for (const event of ['paid', 'sent']) {
      channel.bind(event, a);
      channel.bind(event, b);
    }
    channel.unbind('paid', a);
    say('paid');
    channel.unbind('sent');
    say('sent');
    expect(heard).toEqual(['b paid']);
    channel.unbind(undefined, b);
    say('paid');
    channel.bindAll(() => heard.push('all'));
    say('paid');
    channel.unbind();
    say('paid');
    expect(heard).toEqual(['b paid', 'all']);
  });

  it('unbindAll and off remove listeners of the caller and leave those of the client', async () => {
    const { world, channel, say } = await subscribedScene();
    const live = channel.live();
    const heard = vi.fn();
    channel.bindAll(heard);
    channel.on('state', heard);
    const other = world.client.subscribe('other');
    const waiting = other.whenSubscribed();
    channel.unbindAll();
    channel.off();
    other.off();
    await settled();
    world.socket.says(subscribed('other'));
    await waiting;
    say('paid');
    channel.unsubscribe();
    expect(heard).not.toHaveBeenCalled();
    live.close();
  });
});
