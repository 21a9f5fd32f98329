import { Channels } from '@carillon/channels';
import { LoopShare } from '@carillon/runtime';
import { describe, expect, it, vi } from 'vitest';
import { PendingFrames, MAX_HELD } from '../../src/channels/pending-frames.js';
import { liveGap } from '../../src/channels/live-gap.js';
import { LocalChannel } from '../../src/channels/local-channel.js';
import { Frames } from '../../src/codec.js';
import type { Edge } from '../../src/edge.js';
import { Outlet } from '../../src/delivery/outlet.js';
import { Showing, type ShowingParts } from '../../src/joining/showing.js';
import { Subscriber, type SubscriberSocket } from '../../src/subscriber/subscriber.js';
import { app, config, EDGE, hub, message, TEXT } from '../samples.js';

const BOUNDS = { maxFrames: 2, maxBytes: 1e6, slowBytes: 1e6, disconnects: true, compress: false };

/** One channel with a subscriber whose protocol reports losses itself, and one whose protocol does not. */
function scene(env: Readonly<Record<string, string>> = {}, more: Partial<Edge> = {}) {
  const about = new Channels(config(env)).subscription(app(), 'news', 2);
  if (!about.accepted || about.form !== 'ordinary') throw new Error('no channel');
  const outlet = new Outlet(BOUNDS, { dropped: () => undefined });
  const published: string[] = [];
  const publish = (_topic: string, frame: unknown): void => void published.push(String(frame));
  const channel = new LocalChannel(hub(), about, { outlet, publish, appends: null });
  const lost: string[] = [];
  const join = (id: string, edge = EDGE) => {
    const sent: string[] = [];
    const subscriber = new Subscriber(id, channel.hub, edge, TEXT);
    const socket = {
      isOpen: true,
      bufferedBytes: 0,
      subscribe: () => true,
      unsubscribe: () => true,
      isSubscribed: () => true,
      publish: (_topic: string, frame: string) => void published.push(frame),
      cork: (work: () => void) => work(),
      send: (frame: string) => {
        sent.push(frame);
        return socket.bufferedBytes === 0 ? 'sent' : 'buffered';
      },
      end: () => (socket.isOpen = false),
    };
    subscriber.socket = socket as unknown as SubscriberSocket;
    channel.add(subscriber, null);
    channel.open(subscriber);
    return { subscriber, socket, sent };
  };
  const losing = join('1.1', {
    ...EDGE,
    ...more,
    lost: ({ id }, name) => void lost.push(`${id} ${name} ${published.length}`),
  });
  return { channel, outlet, lost, losing, plain: join('2.1'), published };
}

describe('a subscriber for whom more comes than may wait', () => {
  it('has lost all of it if its edge can say so, and is closed if not', () => {
    const { channel, outlet, lost, losing, plain, published } = scene();
    const gates = [losing, plain].map(({ subscriber }) => new PendingFrames(subscriber, outlet));
    for (const gate of gates) channel.hold(gate);
    for (const event of ['a', 'b', 'c', 'd']) channel.deliver(message({ event }));
    expect(gates.map(({ isLost, messages }) => [isLost, messages])).toEqual([
      [true, 0],
      [false, 0],
    ]);
    expect(plain.subscriber.endedFor).toBe('over_capacity');
    expect([losing.subscriber.isOpen, lost]).toEqual([true, []]);
    const before = published.length;
    for (const gate of gates) void channel.release(gate);
    expect(lost).toEqual([`1.1 news ${before}`]);
    expect(losing.sent).toEqual([]);
    channel.deliver(message({ event: 'e' }));
    expect(published.slice(before)).toEqual(['e']);
  });

  it('holds back only so many where their number is not bounded', () => {
    const { plain } = scene();
    const outlet = new Outlet({ ...BOUNDS, maxFrames: Infinity }, { dropped: () => undefined });
    const gate = new PendingFrames(plain.subscriber, outlet);
    const frames = new Frames(message());
    for (let held = 0; held < MAX_HELD; held += 1) gate.hold(frames);
    expect([gate.messages, plain.subscriber.isOpen]).toEqual([MAX_HELD, true]);
    gate.hold(frames);
    expect(plain.subscriber.endedFor).toBe('over_capacity');
  });

  it('is held back by the bounds of its edge, where that has its own', () => {
    const most = 2 * BOUNDS.maxFrames;
    const { outlet, losing } = scene({}, { holds: { maxFrames: most, maxBytes: Infinity } });
    const gate = new PendingFrames(losing.subscriber, outlet);
    for (let held = 0; held < most; held += 1) gate.hold(new Frames(message()));
    expect([gate.messages, gate.isLost]).toEqual([most, false]);
    gate.hold(new Frames(message()));
    expect([gate.messages, gate.isLost, losing.subscriber.isOpen]).toEqual([0, true, true]);
  });

  it('is told what waits no faster than it reads, more than its queue has room for', async () => {
    const { channel, outlet, losing } = scene({}, { holds: { maxFrames: 5, maxBytes: Infinity } });
    const { subscriber, socket, sent } = losing;
    const gate = new PendingFrames(subscriber, outlet);
    channel.hold(gate);
    const events = ['a', 'b', 'c', 'd', 'e'];
    for (const event of events) channel.deliver(message({ event }));
    socket.bufferedBytes = BOUNDS.slowBytes;
    const told = new Showing({ outlet, share: new LoopShare() } as ShowingParts, channel, gate, null).tell(
      [],
    );
    await vi.waitFor(() => expect([sent, subscriber.lane === null]).toEqual([['a'], false]));
    socket.bufferedBytes = 0;
    outlet.drained(subscriber);
    await told;
    void channel.release(gate);
    expect([sent, subscriber.isOpen]).toEqual([events, true]);
  });

  it('has lost nothing when it all fits', () => {
    const { channel, outlet, lost, losing } = scene();
    const gate = new PendingFrames(losing.subscriber, outlet);
    channel.hold(gate);
    for (const event of ['a', 'b']) channel.deliver(message({ event }));
    void channel.release(gate);
    expect([losing.sent, lost]).toEqual([['a', 'b'], []]);
  });
});

it('when a topic last told everybody is known, and nothing of what only some were told', () => {
  const { channel, outlet, losing, plain } = scene();
  const toldMs = (): number => plain.subscriber.subscriptionOf(channel)?.audience.toldMs ?? -1;
  const gate = new PendingFrames(losing.subscriber, outlet);
  channel.hold(gate);
  channel.deliver(message({ event: 'a' }));
  void channel.release(gate);
  channel.hub.add(losing.subscriber);
  channel.deliver(message({ event: 'b' }), losing.subscriber.id);
  expect(toldMs()).toBe(0);
  channel.deliver(message({ event: 'c' }));
  expect(toldMs()).toBeGreaterThan(0);
});

it.each([
  ['where clients recover', { CONNECTION_RECOVERY_ENABLED: 'true' }, ['resume_failed']],
  ['where they do not', {}, []],
])('events that will not come are lost: %s', async (_title, env, told) => {
  const { channel, lost, published } = scene(env);
  const gap = liveGap(channel.about, { streamId: 's', serial: 3 });
  channel.lost(gap === null ? null : new Frames(gap));
  channel.deliver(message({ event: 'behind' }));
  expect(published).toEqual([...told, 'behind']);
  await Promise.resolve();
  expect(lost).toEqual([`1.1 news ${told.length + 1}`]);
});
