import { Channels } from '@carillon/channels';
import { describe, expect, it, vi } from 'vitest';
import { MAX_DEFERRED } from '../../src/channels/deferred-messages.js';
import { type Codec, Frames } from '../../src/codec.js';
import { AppPatterns } from '../../src/patterns/app-patterns.js';
import { LocalPattern } from '../../src/patterns/local-pattern.js';
import { app, config, message, TEXT } from '../samples.js';
import { FILTER_MS, LONGEST_MS, scene } from './deferred-scene.js';

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
    for (let at = 0; at < MAX_DEFERRED + 3; at += 1) deliver(`m${at}`);
    await vi.waitFor(() => expect(filtered.subscriber.endedFor).toBe('over_capacity'));
    expect([plain.sent.length, plain.subscriber.isOpen]).toEqual([MAX_DEFERRED + 3, true]);
  });
});

describe('AppPatterns', () => {
  it('evaluates filters of channels within the share, if subscribers have a pattern without one beside them', async () => {
    const { channel, home, about, ways, filter, connect, turn, evaluated } = scene();
    const patterns = new AppPatterns();
    const named = new Channels(config()).subscription(app(), 'n*', 2);
    if (!named.accepted || named.form !== 'pattern') throw new Error('no pattern');
    const pattern = patterns.open(named, () => new LocalPattern(home, named, ways));
    const both = Array.from({ length: 10 }, (_, at) => {
      const connected = connect(`1.${at}`);
      channel.add(
        connected.subscriber,
        null,
        filter((event) => event === 'a'),
      );
      channel.open(connected.subscriber);
      pattern.put(connected.subscriber, TEXT, true);
      return connected;
    });
    for (const event of ['a', 'b']) {
      const frames = new Frames(message({ event, messageId: event }));
      channel.deliver(frames.fact as ReturnType<typeof message>, null, frames);
      patterns.tell(home, about, { frames, exceptSocketId: null });
    }
    expect(evaluated() * FILTER_MS).toBeLessThanOrEqual(LONGEST_MS);
    for (let turns = 0; turns < 60; turns += 1) {
      const before = evaluated();
      await turn();
      expect((evaluated() - before) * FILTER_MS).toBeLessThanOrEqual(LONGEST_MS);
    }
    expect(both.map(({ sent }) => sent.toSorted())).toEqual(both.map(() => ['a', 'b']));
  });

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
