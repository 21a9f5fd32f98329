import { expect, it, vi } from 'vitest';
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
