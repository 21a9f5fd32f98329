import type { LiveEvent } from '@carillon/broker';
import { encodeMessageV2, type Message } from '@carillon/protocol';
import { MemoryReplay, type Replay } from '@carillon/history-positions';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LocalChannel } from '../../src/channels/local-channel.js';
import { SequencedDelivery, type SequencedDeliveryParts } from '../../src/durable/sequenced-delivery.js';
import { metrics } from '../samples.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const PLACE = { appId: 'shop', channel: 'orders' };
const BOUNDS = { maxCount: 100, maxAgeMs: 60_000 };

type Event = LiveEvent & { readonly fact: Message };

function eventOf(id: string): Event {
  const fact: Message = {
    kind: 'message',
    channel: 'orders',
    event: 'news',
    name: null,
    dataText: '"x"',
    userId: null,
    messageId: id,
    tagsText: null,
    extrasText: null,
    streamId: null,
    serial: null,
    action: 'plain',
    isFromClient: false,
    mayBeDelta: true,
  };
  return { ...PLACE, fact, exceptSocketId: null, publishedAtMs: 0 } as Event;
}

/** The stored form of an event. */
const textOf = (id: string, { fact }: Event): string =>
  `{"v":1,"kind":"sequenced","event_id":"${id}","message":${encodeMessageV2(fact)}}`;

/** A gateway with a subscriber; other processes publish through a separate store. */
async function scene() {
  const store = new MemoryReplay();
  const heads: Replay['heads'] = async (places) => store.heads(places);
  const range = store.range.bind(store);
  const away = { is: false };
  const replay = {
    isAtOnce: false,
    heads,
    range: async (...asked: Parameters<Replay['range']>) => {
      if (away.is) throw new Error('away');
      return range(...asked);
    },
    renew: store.renew.bind(store),
  } as unknown as Replay;
  const delivered: string[] = [];
  const count = metrics();
  const delivery = new SequencedDelivery({
    hubs: { find: () => ({ remembers: () => true }) },
    delivery: { deliver: ({ fact }: Event) => delivered.push(`${fact.messageId} ${fact.serial}`) },
    replay,
    past: { keep: () => undefined },
    metrics: count,
    givenUp: (_: unknown, { next }: { next: number }) => delivered.push(`nothing ${next}`),
    onTrouble: () => undefined,
  } as unknown as SequencedDeliveryParts);
  const policy = { recovery: { enabled: true }, history: { enabled: false } };
  delivery.follow({ hub: PLACE, name: 'orders', about: { policy } } as unknown as LocalChannel);
  await vi.advanceTimersByTimeAsync(10);
  /** Assigns a serial to an event that is then in flight. */
  const append = (id: string): Event => {
    const event = eventOf(id);
    const position = store.append({ place: PLACE, text: textOf(id, event), bounds: BOUNDS, once: null });
    return { ...event, eventId: id, fact: { ...event.fact, ...position } };
  };
  return { store, delivery, delivered, append, away };
}

describe('events of a channel without a history', () => {
  it('are delivered in the order of their places, once each', async () => {
    const { delivery, delivered, append } = await scene();
    const [a, b, c] = [append('a'), append('b'), append('c')];
    for (const event of [c, a, a, b, c]) delivery.take(event);
    expect(delivered).toEqual(['a 1', 'b 2', 'c 3']);
    delivery.streams.stop();
  });

  it('that do not come are fetched from where they are kept', async () => {
    const { delivery, delivered, append } = await scene();
    append('a');
    delivery.take(append('b'));
    expect(delivered).toEqual([]);
    await vi.advanceTimersByTimeAsync(400);
    expect(delivered).toEqual(['a 1', 'b 2']);
    append('c');
    delivery.streams.compare();
    await vi.advanceTimersByTimeAsync(400);
    expect(delivered.at(-1)).toBe('c 3');
    delivery.streams.stop();
  });

  it('that cannot be had are given up, which is told before what is behind them', async () => {
    const { delivery, delivered, append, away } = await scene();
    append('a');
    away.is = true;
    delivery.take(append('b'));
    await vi.advanceTimersByTimeAsync(2500);
    expect(delivered).toEqual(['nothing 1', 'b 2']);
    delivery.streams.stop();
  });

  it('whose counter went back get a new stream, so that no number is given twice', async () => {
    const { store, delivery, delivered, append } = await scene();
    for (const id of ['a', 'b', 'c']) delivery.take(append(id));
    const [before] = store.heads([PLACE]);
    // Simulates a store that lost its last changes.
    vi.spyOn(store, 'heads').mockReturnValueOnce([{ streamId: before?.streamId ?? '', serial: 1 }]);
    delivery.streams.compare();
    await vi.advanceTimersByTimeAsync(100);
    const [after] = store.heads([PLACE]);
    expect(after?.streamId).not.toBe(before?.streamId);
    delivery.take(append('d'));
    await vi.advanceTimersByTimeAsync(400);
    expect(delivered).toEqual(['a 1', 'b 2', 'c 3', 'd 1']);
    delivery.streams.stop();
  });
});

it('asks once where a channel stands, however many want to know', async () => {
  const { store, delivery } = await scene();
  const asked = vi.spyOn(store, 'heads');
  const standing = (serial: number) =>
    delivery.streams.standing('shop', 'orders', { isKnown: (known) => known.serial >= serial, make: true });
  expect(await standing(0)).toMatchObject({ serial: 0 });
  expect(asked).not.toHaveBeenCalled();
  const many = Promise.all(Array.from({ length: 500 }, () => standing(1)));
  await vi.advanceTimersByTimeAsync(100);
  expect((await many).every((one) => one?.serial === 0)).toBe(true);
  expect(asked.mock.calls.length).toBeLessThanOrEqual(2);
  delivery.streams.stop();
});
