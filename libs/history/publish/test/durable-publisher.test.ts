import { type CommitRecord, type CommitResult, readCommitRecord } from '@carillon/contracts';
import { describe, expect, it } from 'vitest';
import {
  ChannelPublisher,
  DurablePublisher,
  LivePublisher,
  StoredLastEvents,
  type Publication,
} from '../src/index.js';
import { publication, TestCache } from './scene.js';

const KEPT = { retentionWindowSeconds: 60, maxMessages: Infinity, maxBytes: 1000 };
const KEY = { key: 'order 7', fingerprint: 'ab'.repeat(16), ttlMs: 120_000 };
const STREAM = '5b0e8a52-0000-4000-8000-000000000000';

const durable = (more: Partial<Publication> = {}): Publication => publication({ history: KEPT, ...more });

const lastNamed = (event: string) => durable({ channel: 'cache-a', event, isLastEvent: true });

type Outcome = (record: CommitRecord, serial: number) => Partial<CommitResult>;
const applied: Outcome = (_, serial) => ({
  status: 'applied',
  stream_id: STREAM,
  delivery_serial: serial,
  history_serial: serial,
});

function scene(outcome: Outcome = applied) {
  const records: CommitRecord[] = [];
  const sent: string[] = [];
  const lines: string[] = [];
  const cache = new TestCache();
  const log = { warn: (message: string) => void lines.push(message) };
  const lastEvents = new StoredLastEvents({ cache, ttlMs: 1000, maxRecordBytes: 10_000 });
  /** Sizes of the chains. */
  const chains: number[] = [];
  const resultOf = (record: CommitRecord): CommitResult => {
    records.push(record);
    return { pub_id: record.pub_id, status: 'expired', ...outcome(record, records.length) };
  };
  const commits = {
    commit: async (batch: readonly CommitRecord[]) => batch.map(resultOf),
    commitChain: async (batch: readonly CommitRecord[]) => {
      chains.push(batch.length);
      return batch.map(resultOf);
    },
  };
  const broker = { publish: ({ channel }: { channel: string }) => void sent.push(channel) };
  const live = new LivePublisher({ broker, lastEvents, log });
  const publisher = new ChannelPublisher(live, new DurablePublisher({ commits, lastEvents, log }));
  return { publisher, live, records, chains, sent, lines, cache, lastEvents };
}

describe('an event of a channel with a history', () => {
  it('is committed with the channel’s policy, and sent by nobody here', async () => {
    const { publisher, records, sent } = scene();
    const published = durable({ messageId: 'm-1', exceptSocketId: '1.2', tagsText: '{"a":"b"}' });
    expect(await publisher.publish(published)).toEqual({
      messageId: 'm-1',
      historySerial: 1,
      position: { streamId: STREAM, serial: 1 },
    });
    expect(records).toEqual([
      {
        pub_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        op: 'publish',
        app_id: 'shop',
        channel: 'orders',
        message_id: 'm-1',
        message: '{"event":"created","channel":"orders","data":"{}","tags":{"a":"b"},"message_id":"m-1"}',
        except_socket: '1.2',
        policy: {
          history_ms: 60_000,
          versions_ms: null,
          max_messages: null,
          max_bytes: 1000,
          versioned: false,
          cache: false,
          ai: null,
        },
      },
    ]);
    expect(readCommitRecord(records[0])).toMatchObject({ ok: true });
    expect(sent).toEqual([]);
  });

  it('is the same one under the same key and channel, and is told by the same id', async () => {
    const { publisher, records } = scene();
    const first = await publisher.publish(durable({ key: KEY }));
    const again = await publisher.publish(durable({ key: KEY }));
    const elsewhere = await publisher.publish(durable({ key: KEY, channel: 'other' }));
    expect([again.messageId, elsewhere.messageId === first.messageId]).toEqual([first.messageId, false]);
    const idems = records.map((record) => (record.op === 'publish' ? record.idem : undefined));
    expect(idems[0]).toMatchObject({ fingerprint: KEY.fingerprint, ttl_ms: KEY.ttlMs });
    expect([idems[1]?.scope, idems[2]?.scope === idems[0]?.scope]).toEqual([idems[0]?.scope, false]);
    expect(JSON.stringify(records)).not.toContain(KEY.key);
    expect(records.map((record) => readCommitRecord(record).ok)).toEqual([true, true, true]);
  });

  it('says when its key stood for it already', async () => {
    const { publisher } = scene(() => ({ status: 'duplicate', history_serial: 4 }));
    expect(await publisher.publish(durable({ key: KEY }))).toMatchObject({
      historySerial: 4,
      isDuplicate: true,
    });
  });

  it.each<[string, Partial<CommitResult>, object]>([
    [
      'refused',
      { status: 'rejected', code: 'conflict', error: 'other' },
      { code: 'conflict', message: 'other' },
    ],
    ['too much', { status: 'rejected', code: 'backpressure' }, { code: 'backpressure', status: 503 }],
    ['of unknown fate', { status: 'expired' }, { code: 'service_unavailable' }],
    [
      'refused for a reason unknown here',
      { status: 'rejected', code: 'tomorrow' },
      { code: 'service_unavailable' },
    ],
  ])('that is %s fails', async (_, result, error) => {
    const { publisher, cache } = scene(() => result);
    await expect(publisher.publish(durable({ isLastEvent: true }))).rejects.toMatchObject(error);
    expect(cache.stored).toEqual([]);
  });

  it('is the last event of a cache channel unless a later one of the stream is', async () => {
    const serials = [5, 4];
    const { publisher, lastEvents, lines } = scene(() => ({
      ...applied({} as CommitRecord, 1),
      delivery_serial: serials.shift() ?? 6,
    }));
    const shown = async () => (await lastEvents.read('shop', 'cache-a'))?.event;
    await publisher.publish(lastNamed('five'));
    await publisher.publish(lastNamed('four'));
    expect(await shown()).toBe('five');
    await publisher.publish(lastNamed('six'));
    expect([await shown(), lines]).toEqual(['six', []]);
  });

  it('is committed in its place of a series, with one question to the writers', async () => {
    const { publisher, records, chains } = scene();
    const series = ['a', 'b', 'a'].map((channel, index) => durable({ channel, messageId: `m-${index}` }));
    expect(await publisher.publishSeries(series)).toEqual(
      series.map(({ messageId }, index) => ({
        messageId,
        historySerial: index + 1,
        position: { streamId: STREAM, serial: index + 1 },
      })),
    );
    expect(chains).toEqual([3]);
    expect(records.map((record) => record.channel)).toEqual(['a', 'b', 'a']);
  });

  it('ends its series when it is refused: what came before stays, what comes after is not there', async () => {
    const { publisher, lastEvents } = scene((record, serial) => {
      if (serial === 2) return { status: 'rejected', code: 'conflict', error: 'another message' };
      return serial > 2 ? { status: 'skipped' } : applied(record, serial);
    });
    const refused = publisher.publishSeries([lastNamed('one'), lastNamed('two'), lastNamed('three')]);
    await expect(refused).rejects.toMatchObject({
      index: 1,
      cause: { code: 'conflict', message: 'another message' },
    });
    expect((await lastEvents.read('shop', 'cache-a'))?.event).toBe('one');
  });

  it('is committed though the cache is away', async () => {
    const { publisher, cache, lines } = scene();
    cache.before = () => Promise.reject(new Error('away'));
    expect(await publisher.publish(durable({ isLastEvent: true }))).toMatchObject({ historySerial: 1 });
    expect(lines).toEqual(['last event not stored']);
  });

  it('is refused in a process without a way to the history, and others are not', async () => {
    const { live, sent } = scene();
    const publisher = new ChannelPublisher(live, null);
    await expect(publisher.publish(durable())).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(publisher.publishSeries([durable()])).rejects.toMatchObject({ code: 'service_unavailable' });
    await publisher.publish(publication());
    expect(sent).toEqual(['orders']);
  });
});
