import { Channels } from '@carillon/channels';
import type { Message } from '@carillon/protocol';
import { LoopShare } from '@carillon/runtime';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { LocalChannel } from '../../src/channels/local-channel.js';
import { type Codec, Frames } from '../../src/codec.js';
import { Outlet } from '../../src/delivery/outlet.js';
import { AppPatterns } from '../../src/patterns/app-patterns.js';
import { LocalPattern } from '../../src/patterns/local-pattern.js';
import { Subscriber, type SubscriberSocket } from '../../src/subscriber/subscriber.js';
import { app, config, EDGE, hub, message, TEXT } from '../samples.js';

const BOUNDS = { maxFrames: 10_000, maxBytes: 1e7, slowBytes: 1e7, disconnects: true, compress: false };

/** The words of an event are its literals. */
const literalsOf = ({ event }: Message): ReadonlySet<string> => new Set(event.split(' '));

/** Subscribers of one channel and of patterns; a topic is the list of frames published on it. */
function scene(share?: LoopShare) {
  const home = hub();
  const topics = new Map<string, Set<string[]>>();
  const outlet = new Outlet(BOUNDS, { dropped: () => undefined });
  const publish = (topic: string, frame: unknown): void => {
    for (const sent of topics.get(topic) ?? []) sent.push(String(frame));
  };
  const ways = { outlet, publish, appends: null, ...(share === undefined ? {} : { filters: share }) };
  const channels = new Channels(config());
  const about = channels.subscription(app(), 'news', 2);
  if (!about.accepted || about.form !== 'ordinary') throw new Error('no channel');
  let evaluated = 0;
  const wanting = (...literals: string[]): Codec => ({
    selector: { literals, literalsOf },
    encode: (fact) => {
      evaluated += 1;
      const isWanted = fact.kind === 'message' && literals.some((one) => literalsOf(fact).has(one));
      return isWanted ? fact.event : null;
    },
    ...(share === undefined
      ? {}
      : {
          isDeferred(frames: Frames): boolean {
            return share.isSpent && !frames.has(this);
          },
        }),
  });
  const connect = (id: string) => {
    const sent: string[] = [];
    const socket = {
      isOpen: true,
      bufferedBytes: 0,
      isSubscribed: () => false,
      subscribe: (topic: string) => {
        topics.set(topic, (topics.get(topic) ?? new Set()).add(sent));
        return true;
      },
      unsubscribe: (topic: string) => topics.get(topic)?.delete(sent) === true,
      send: (frame: string) => (sent.push(frame), 'sent'),
      cork: (work: () => void) => work(),
      end: () => (socket.isOpen = false),
    };
    const subscriber = new Subscriber(id, home, EDGE, TEXT);
    subscriber.socket = socket as unknown as SubscriberSocket;
    return { subscriber, sent };
  };
  return { home, ways, channels, about, wanting, connect, evaluated: () => evaluated };
}

function joined(share?: LoopShare) {
  const scenery = scene(share);
  const channel = new LocalChannel(scenery.home, scenery.about, scenery.ways);
  const join = (id: string, codec: Codec) => {
    const connected = scenery.connect(id);
    channel.add(connected.subscriber, null, codec);
    channel.open(connected.subscriber);
    return connected;
  };
  return { ...scenery, channel, join };
}

describe('LocalChannel', () => {
  it('evaluates one filter of many when a message carries the literal of that one', () => {
    const { channel, join, wanting, evaluated } = joined();
    const all = Array.from({ length: 500 }, (_, at) => join(`1.${at}`, wanting(`w${at}`)));
    const plain = join('0.1', TEXT);
    expect(channel.deliver(message({ event: 'w7' }))).toBe(2);
    expect([all[7]?.sent, all[8]?.sent, plain.sent, evaluated()]).toEqual([['w7'], [], ['w7'], 1]);
  });

  it('evaluates nothing when the last subscriber of a literal has left', () => {
    const { channel, join, wanting, evaluated } = joined();
    const codec = wanting('a');
    const [first, second] = [join('1.1', codec), join('1.2', codec)];
    channel.remove(first.subscriber);
    channel.deliver(message({ event: 'a' }));
    channel.remove(second.subscriber);
    channel.deliver(message({ event: 'a' }));
    expect([first.sent, second.sent, evaluated()]).toEqual([[], ['a'], 1]);
  });

  it('delivers exactly the messages of a naive evaluation, in order, when filters and messages are random', async () => {
    const words = fc.subarray(['a', 'b', 'c', 'd', 'e'], { minLength: 1 });
    const filters = fc.array(fc.option(words), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        filters,
        fc.array(words, { maxLength: 20 }),
        fc.boolean(),
        async (all, sent, waits) => {
          const share = new LoopShare({ part: 1, burstMs: 1 });
          const { channel, join, wanting } = joined(share);
          const receivers = all.map((one, at) => join(`1.${at}`, one === null ? TEXT : wanting(...one)));
          // The share is used up, so that all evaluations wait for later turns.
          if (waits) share.spend(2);
          const events = sent.map((some, at) => [...some, `n${at}`].join(' '));
          for (const event of events) channel.deliver(message({ event }));
          const naive = all.map((one) =>
            events.filter((event) => one === null || one.some((word) => event.split(' ').includes(word))),
          );
          await vi.waitFor(() => expect(receivers.map((one) => one.sent)).toEqual(naive), {
            interval: 1,
            timeout: 20_000,
          });
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('AppPatterns', () => {
  it('evaluates one filter of many when a message carries the literal of that one', () => {
    const { home, about, ways, channels, wanting, connect, evaluated } = scene();
    const patterns = new AppPatterns();
    const put = (id: string, name: string, codec: Codec, isApart: boolean) => {
      const named = channels.subscription(app(), name, 2);
      if (!named.accepted || named.form !== 'pattern') throw new Error('no pattern');
      const connected = connect(id);
      patterns
        .open(named, () => new LocalPattern(home, named, ways))
        .put(connected.subscriber, codec, isApart);
      return connected;
    };
    const all = Array.from({ length: 100 }, (_, at) =>
      put(`1.${at}`, 'n*', wanting(`w${at >> 1}`), at % 2 === 0),
    );
    const frames = new Frames(message({ event: 'w7' }));
    expect(patterns.tell(home, about, { frames, exceptSocketId: null })).toBe(2);
    expect(all.filter(({ sent }) => sent.length > 0)).toEqual([all[14], all[15]]);
    expect(evaluated()).toBe(2);
  });
});
