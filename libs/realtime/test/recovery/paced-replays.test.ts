import { Channels } from '@carillon/channels';
import type { ResumePosition } from '@carillon/protocol';
import { LoopShare } from '@carillon/runtime';
import { describe, expect, it, vi } from 'vitest';
import { PendingFrames } from '../../src/channels/pending-frames.js';
import { LocalChannel } from '../../src/channels/local-channel.js';
import { Outlet } from '../../src/delivery/outlet.js';
import { remembered } from '../../src/recovery/past.js';
import type { Replay, Replays } from '../../src/recovery/replays.js';
import { ReplaySlots } from '../../src/recovery/replay-slots.js';
import { Resumes } from '../../src/recovery/resumes.js';
import { Rewinds } from '../../src/recovery/rewinds.js';
import type { PastReader } from '../../src/recovery/rewind-selection.js';
import { Subscriber, type SubscriberSocket } from '../../src/subscriber/subscriber.js';
import { app, config, EDGE, hub, message, TEXT } from '../samples.js';

const BOUNDS = { maxFrames: 1000, maxBytes: 1e6, slowBytes: 1, disconnects: true, compress: false };
const NAMES = Array.from({ length: 12 }, (_, index) => `c${index}`);

/** One connection with channels, whose socket accepts one frame and then nothing until it is drained. */
function scene() {
  const outlet = new Outlet(BOUNDS, { dropped: () => undefined });
  const home = hub();
  const sent: string[] = [];
  const socket = {
    isOpen: true,
    bufferedBytes: 0,
    subscribe: () => true,
    unsubscribe: () => true,
    isSubscribed: () => true,
    send: (frame: string) => {
      sent.push(frame);
      socket.bufferedBytes += frame.length;
      return 'buffered';
    },
  };
  const subscriber = new Subscriber('1.1', home, EDGE, TEXT);
  subscriber.socket = socket as unknown as SubscriberSocket;
  const channels = NAMES.map((name) => {
    const about = new Channels(config()).subscription(app(), name, 2);
    if (!about.accepted || about.form !== 'ordinary') throw new Error('no channel');
    const channel = new LocalChannel(home, about, { outlet, publish: () => undefined, appends: null });
    channel.add(subscriber, null);
    channel.open(subscriber);
    return channel;
  });
  const drain = (): void => {
    socket.bufferedBytes = 0;
    outlet.drained(subscriber);
  };
  const parts = { outlet, share: new LoopShare(), slots: new ReplaySlots(), onTrouble: () => undefined };
  return { parts, subscriber, channels, sent, drain };
}

const messageOf = (channel: string) =>
  message({ channel, event: channel, messageId: channel, streamId: 's', serial: 1 });

describe('Resumes', () => {
  it('reads few replays ahead when the client does not read', async () => {
    const { parts, subscriber, sent, drain } = scene();
    let read = 0;
    const since = async ({ name }: LocalChannel): Promise<Replay> => {
      read += 1;
      const missed = [remembered(messageOf(name), 1)];
      return { kind: 'replay', source: 'hot', missed, streamId: 's', serial: 1 };
    };
    const resumes = new Resumes({
      ...parts,
      replays: { since } as unknown as Replays,
      textOf: async () => null,
      canBePlaced: () => true,
      recovered: () => undefined,
      failed: () => undefined,
    });
    const position: ResumePosition = { streamId: 's', serial: 0, lastMessageId: null };
    const over = resumes.resume(subscriber, new Map(NAMES.map((name) => [name, position])));
    for (const [told, name] of NAMES.entries()) {
      await vi.waitFor(() => expect(sent[told]).toBe(name));
      expect(sent).toHaveLength(told + 1);
      expect(read - told).toBeLessThanOrEqual(4);
      drain();
    }
    await over;
    expect([sent.at(-1), read]).toEqual(['resumed', NAMES.length]);
  });
});

describe('Rewinds', () => {
  it('has two in memory per connection when many channels are rewound at once', async () => {
    const { parts, subscriber, channels, sent, drain } = scene();
    const reads: string[] = [];
    const reader: PastReader = {
      past: async (_app, channel) => {
        reads.push(channel);
        const told = { message: messageOf(channel), createId: channel, historySerial: 1, publishedAtMs: 1 };
        return { messages: [told], hasMore: false, nextCursor: null, floor: 1, isTruncated: false };
      },
    };
    const rewinds = new Rewinds({ ...parts, reader, maxPageSize: 100 });
    let over = 0;
    const all = channels.map(async (local) => {
      const gate = new PendingFrames(subscriber, parts.outlet, TEXT);
      await rewinds.rewind({ subscriber, local, codec: TEXT, gate, wish: { count: 1 }, attachSerial: 1 });
      over += 1;
    });
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    while (over < channels.length) {
      expect(parts.slots.running(subscriber)).toBeLessThanOrEqual(2);
      expect(reads.length - over).toBeLessThanOrEqual(2);
      drain();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(all);
    expect(reads.toSorted()).toEqual(NAMES.toSorted());
  });
});
