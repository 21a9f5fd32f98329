import { LocalBroker, type LiveEvent } from '@carillon/broker';
import type { Message } from '@carillon/protocol';
import {
  MemoryReplay,
  ReplayUnavailable,
  type NewReplayEntry,
  type Replay,
} from '@carillon/history-positions';
import { Logger, Metrics } from '@carillon/runtime';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  ChannelPublisher,
  LivePublisher,
  readSequenced,
  SequencedPublisher,
  StoredLastEvents,
  type Publication,
} from '../src/index.js';
import { anyPublication, last, publication, publish, TestCache } from './scene.js';

const REPLAY = { maxCount: 10, maxAgeMs: 60_000 };
const PLACE = { appId: 'shop', channel: 'orders' };

const sequenced = (more: Partial<Publication> = {}): Publication => publication({ replay: REPLAY, ...more });

function scene(replay: Replay = new MemoryReplay()) {
  onTestFinished(() => replay.close());
  const log = new Logger('test', 'error', () => undefined);
  const broker = new LocalBroker('node', (_, error) => {
    throw error;
  });
  const delivered: LiveEvent[] = [];
  broker.listen({ deliver: (event) => void delivered.push(event), answer: () => expect.unreachable() });
  const cache = new TestCache();
  const lastEvents = new StoredLastEvents({ cache, ttlMs: 60_000, maxRecordBytes: 1_000_000 });
  const live = new LivePublisher({ broker, lastEvents, log });
  const metrics = new Metrics({ prefix: '', port: 1, log });
  const publisher = new ChannelPublisher(live, null, new SequencedPublisher({ replay, live, metrics }));
  const places = (): unknown[] => delivered.map(({ fact }) => (fact.kind === 'message' ? fact.serial : null));
  return { publisher, replay, delivered, places, lastEvents };
}

describe('a sequenced publish', () => {
  it('takes a place, is kept, and goes on with it, without waiting where nothing has to be waited for', async () => {
    const { publisher, replay, delivered, places } = scene();
    const receipt = publisher.publish(sequenced({ messageId: 'm' }));
    void publisher.publish(sequenced());
    expect(places()).toEqual([1, 2]);
    const range = await replay.range(PLACE, 1, 60_000);
    expect(receipt).toEqual({ messageId: 'm', position: { streamId: range?.streamId, serial: 1 } });
    expect(delivered[0]?.fact).toMatchObject({ messageId: 'm', streamId: range?.streamId });
    expect(range?.entries).toHaveLength(2);
  });

  it('is kept as it was sent, whatever is in it', async () => {
    await fc.assert(
      fc.asyncProperty(anyPublication, fc.boolean(), fc.boolean(), async (any, isFromClient, mayBeDelta) => {
        const { publisher, replay, delivered } = scene();
        await publish(publisher, { ...any, replay: REPLAY, isFromClient, mayBeDelta });
        const range = await replay.range(any, 1, 60_000);
        const kept = range?.entries[0];
        const sent = delivered[0]?.fact as Message;
        const read = readSequenced(
          kept?.text ?? '',
          { streamId: range?.streamId ?? '', serial: 1 },
          1_000_000,
        );
        expect(read).toEqual({
          eventId: delivered[0]?.eventId,
          message: { ...sent, dataText: sent.dataText?.trim() ?? null },
        });
      }),
      { numRuns: 50 },
    );
  });

  it('is not sent at all when it cannot take its place', async () => {
    const away: Replay = new MemoryReplay();
    away.append = () => Promise.reject(new ReplayUnavailable());
    const { publisher, delivered } = scene(away);
    await expect(publish(publisher, sequenced())).rejects.toMatchObject({ status: 503 });
    await expect(publish(publisher, last('tick', { replay: REPLAY }))).rejects.toMatchObject({ status: 503 });
    expect(delivered).toEqual([]);
  });

  it('that is tried again by its key keeps its place', async () => {
    const { publisher, replay, places } = scene();
    const key = { key: 'k', fingerprint: 'f', ttlMs: 120_000 };
    for (let tries = 0; tries < 2; tries += 1) await publish(publisher, sequenced({ key }));
    // A receiver of the first event does not get the duplicate.
    expect(places()).toEqual([1]);
    await publish(publisher, sequenced({ key: { ...key, fingerprint: 'g' } }));
    expect((await replay.range(PLACE, 1, 60_000))?.entries).toHaveLength(2);
  });

  it('to a cache channel leaves the newest as its last event, however late an older one is stored', async () => {
    const { publisher, lastEvents } = scene();
    await Promise.all(['a', 'b', 'c'].map((event) => publish(publisher, last(event, { replay: REPLAY }))));
    expect(await lastEvents.read('shop', 'cache-prices')).toMatchObject({ event: 'c', serial: 3 });
  });

  it('is kept in the order it was given, and read from nothing that is not', () => {
    const entries: NewReplayEntry[] = [];
    const replay: Replay = new MemoryReplay();
    const append = replay.append.bind(replay);
    replay.append = (entry) => {
      entries.push(entry);
      return append(entry);
    };
    const { publisher } = scene(replay);
    void publisher.publish(sequenced({ event: 'x' }));
    const text = entries[0]?.text ?? '';
    const at = { streamId: 's', serial: 1 };
    expect(readSequenced(text, at, 1000)).not.toBeNull();
    for (const wrong of [
      '',
      '{}',
      text.slice(1),
      text.replace('"v":1', '"v":2'),
      text.replace('"event":"x"', '"event":1'),
    ])
      expect(readSequenced(wrong, at, 1000)).toBeNull();
    expect(readSequenced(text, at, 10)).toBeNull();
  });
});
