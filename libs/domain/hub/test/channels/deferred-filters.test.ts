import { Channels } from '@carillon/channels';
import { LoopShare } from '@carillon/runtime';
import { describe, expect, it, vi } from 'vitest';
import { MOST_DEFERRED } from '../../src/channels/deferred-messages.js';
import { LocalChannel } from '../../src/channels/local-channel.js';
import { type Codec, Frames } from '../../src/codec.js';
import { Outlet } from '../../src/delivery/outlet.js';
import { AppPatterns } from '../../src/patterns/app-patterns.js';
import { LocalPattern } from '../../src/patterns/local-pattern.js';
import { Subscriber, type SubscriberSocket } from '../../src/subscriber/subscriber.js';
import { app, config, EDGE, hub, message, TEXT } from '../samples.js';

const BOUNDS = { maxFrames: 1000, maxBytes: 1e6, slowBytes: 1e6, disconnects: true, compress: false };
/** Time of one filter evaluation, and the longest burst of evaluations. */
const FILTER_MS = 2;
const BURST_MS = 4;
const PART = 0.5;
/** The longest time in one turn: the budget grows while it is spent, and the last filter may begin on a little of it. */
const LONGEST_MS = BURST_MS / (1 - PART) + FILTER_MS;

/** A share whose later turns come when they are told to. */
function pacedShare() {
  const clock = { ms: 0, due: [] as (() => void)[] };
  const share = new LoopShare(
    { part: PART, burstMs: BURST_MS },
    { now: () => clock.ms, after: (_, run) => void clock.due.push(run) },
  );
  const turn = async (): Promise<void> => {
    clock.ms += 100;
    for (const run of clock.due.splice(0)) run();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, share, turn };
}

/** A channel and its app, on which subscribers with filters that take time receive what native topics are told. */
function scene() {
  const { clock, share, turn } = pacedShare();
  const home = hub();
  const outlet = new Outlet(BOUNDS, { dropped: () => undefined });
  const about = new Channels(config()).subscription(app(), 'news', 2);
  if (!about.accepted || about.form !== 'ordinary') throw new Error('no channel');
  const topics = new Map<string, Set<string[]>>();
  const publish = (topic: string, frame: unknown): void => {
    for (const sent of topics.get(topic) ?? []) sent.push(String(frame));
  };
  const ways = { outlet, publish, appends: null, filters: share };
  const channel = new LocalChannel(home, about, ways);
  let evaluated = 0;
  const filter = (accepts: (event: string) => boolean = () => true): Codec => ({
    encode: (fact) =>
      share.measure(() => {
        clock.ms += FILTER_MS;
        evaluated += 1;
        const isAccepted = fact.kind === 'message' && accepts(fact.event);
        return isAccepted ? fact.event : null;
      }),
    isDeferred(frames: Frames): boolean {
      return share.isSpent && !frames.has(this);
    },
  });
  const connect = (id: string) => {
    const sent: string[] = [];
    const socket = {
      isOpen: true,
      bufferedBytes: 0,
      isSubscribed: (topic: string) => topics.get(topic)?.has(sent) === true,
      publish,
      subscribe: (topic: string) => {
        const all = topics.get(topic) ?? new Set();
        topics.set(topic, all.add(sent));
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
  const join = (id: string, codec: Codec = TEXT) => {
    const connected = connect(id);
    channel.add(connected.subscriber, null, codec);
    channel.open(connected.subscriber);
    return connected;
  };
  const deliver = (...events: string[]): void => {
    for (const event of events) channel.deliver(message({ event, messageId: event }));
  };
  return { channel, home, about, ways, filter, connect, join, deliver, turn, evaluated: () => evaluated };
}

describe('LocalChannel', () => {
  it('evaluates in one turn only as many filters as their share allows, and the others in later turns', async () => {
    const { filter, join, deliver, turn, evaluated } = scene();
    const plain = join('0.1');
    const filtered = Array.from({ length: 10 }, (_, at) => join(`1.${at}`, filter()));
    deliver('a');
    expect([plain.sent, evaluated() * FILTER_MS <= LONGEST_MS]).toEqual([['a'], true]);
    let before = evaluated();
    while (evaluated() < filtered.length) {
      await turn();
      expect((evaluated() - before) * FILTER_MS).toBeLessThanOrEqual(LONGEST_MS);
      before = evaluated();
    }
    expect(filtered.map(({ sent }) => sent)).toEqual(filtered.map(() => ['a']));
  });

  it('keeps the order of each subscriber when messages wait for filters', async () => {
    const { filter, join, deliver, turn } = scene();
    const plain = join('0.1');
    const filtered = Array.from({ length: 6 }, (_, at) =>
      join(
        `1.${at}`,
        filter((event) => event !== 'b'),
      ),
    );
    deliver('a', 'b', 'c');
    expect(plain.sent).toEqual(['a', 'b', 'c']);
    for (let turns = 0; turns < 40; turns += 1) await turn();
    deliver('d');
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(filtered.map(({ sent }) => sent)).toEqual(filtered.map(() => ['a', 'c', 'd']));
  });

  it('tells a subscriber that joins while messages wait only what came after', async () => {
    const { filter, join, deliver, turn } = scene();
    const shared = filter();
    for (let other = 0; other < 5; other += 1) join(`0.${other}`, filter());
    const first = join('1.1', shared);
    deliver('a', 'b');
    const second = join('1.2', shared);
    deliver('c');
    expect([first.sent, second.sent]).toEqual([[], []]);
    for (let turns = 0; turns < 40; turns += 1) await turn();
    expect([first.sent, second.sent]).toEqual([['a', 'b', 'c'], ['c']]);
  });

  it('closes subscribers when too much waits for their filter, and no others', async () => {
    const { filter, join, deliver } = scene();
    const plain = join('0.1');
    const filtered = join('1.1', filter());
    for (let other = 0; other < 3; other += 1) join(`2.${other}`, filter());
    for (let at = 0; at < MOST_DEFERRED + 3; at += 1) deliver(`m${at}`);
    await vi.waitFor(() => expect(filtered.subscriber.endedFor).toBe('over_capacity'));
    expect([plain.sent.length, plain.subscriber.isOpen]).toEqual([MOST_DEFERRED + 3, true]);
  });
});

describe('AppPatterns', () => {
  it('evaluates filters of patterns over several turns, in order, and delays nobody without one', async () => {
    const { home, about, ways, filter, connect, turn, evaluated } = scene();
    const patterns = new AppPatterns();
    const channels = new Channels(config());
    const put = (id: string, codec: Codec, name: string) => {
      const named = channels.subscription(app(), name, 2);
      if (!named.accepted || named.form !== 'pattern') throw new Error('no pattern');
      const connected = connect(id);
      const pattern = patterns.open(named, () => new LocalPattern(home, named, ways));
      pattern.put(connected.subscriber, codec, id.startsWith('2'));
      return connected;
    };
    const plain = put('0.1', TEXT, 'n*');
    const filtered = Array.from({ length: 5 }, (_, at) => put(`1.${at}`, filter(), 'ne*'));
    const apart = put(
      '2.1',
      filter((event) => event !== 'b'),
      'new*',
    );
    for (const event of ['a', 'b', 'c']) {
      const frames = new Frames(message({ event, messageId: event }));
      patterns.tell(home, about, { frames, exceptSocketId: null });
    }
    expect(plain.sent).toEqual(['a', 'b', 'c']);
    expect(evaluated() * FILTER_MS).toBeLessThanOrEqual(LONGEST_MS);
    for (let turns = 0; turns < 60; turns += 1) {
      const before = evaluated();
      await turn();
      expect((evaluated() - before) * FILTER_MS).toBeLessThanOrEqual(LONGEST_MS);
    }
    expect(filtered.map(({ sent }) => sent)).toEqual(filtered.map(() => ['a', 'b', 'c']));
    expect(apart.sent).toEqual(['a', 'c']);
  });
});
