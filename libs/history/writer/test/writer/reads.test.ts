import { encode, READ_REFUSED } from '@carillon/contracts';
import {
  CHECKPOINT_EVERY,
  laneOf,
  NOTHING_STORED,
  type Stream,
  type StreamAddress,
  streamName,
} from '@carillon/history-store';
import { describe, expect, it } from 'vitest';
import { type ChannelReads, LocalReads, ReadClient, RemoteLanes } from '../../src/index.js';
import { publishOf, transitionOf } from '../samples.js';
import { WriterScene } from './scene.js';

const addressOf = (channel: string): StreamAddress => ({ appId: 'shop', channel, kind: 'messages' });

async function served(lanes = 4) {
  const scene = new WriterScene(lanes);
  const process = scene.start();
  await scene.clock.pass(1500);
  const client = new ReadClient(scene.hub.open(), scene.clock, { lanes, nodeId: 'gw-1', timeoutMs: 5000 });
  const local = new LocalReads(scene.store, () => scene.clock.now());
  const passing = async <Value>(asked: Promise<Value>, ms = 100): Promise<Value> => {
    asked.catch(() => undefined);
    await scene.clock.pass(ms);
    return asked;
  };
  const headOf = async (channel: string, reads: ChannelReads = local): Promise<Stream> => {
    const stream = (await passing(reads.heads([addressOf(channel)]))).get(streamName(addressOf(channel)));
    if (stream === undefined) throw new Error('no stream');
    return stream;
  };
  return { scene, process, client, local, passing, headOf };
}

const page = (stream: Stream, nowMs: number, newestFirst: boolean, limit = 1000) => ({
  stream,
  nowMs,
  newestFirst,
  fromSerial: null,
  toSerial: null,
  fromMs: null,
  toMs: null,
  limit,
});

describe('reading through writers', () => {
  it('shows what reading the store shows', async () => {
    const { scene, client, local, passing, headOf } = await served();
    const channels = Array.from({ length: 10 }, (_, index) => `c-${index}`);
    const records = channels.flatMap((channel) => ['1', '2', '3'].map((data) => publishOf(channel, data)));
    await passing(scene.publisher.commit(records), 3000);
    const addresses = [...channels, 'nothing'].map(addressOf);
    const heads = await passing(client.heads(addresses));
    expect(heads).toEqual(await local.heads(addresses));
    expect(heads.size).toBe(10);
    const stream = await headOf('c-3', client);
    const nowMs = scene.clock.now();
    for (const newestFirst of [true, false]) {
      const query = page(stream, nowMs, newestFirst, 2);
      expect(await passing(client.page(query))).toEqual(await local.page(query));
    }
    const { streamKey, generation } = stream;
    const range = { streamKey, generation, fromSerial: 2, toSerial: 3, limit: 10 };
    expect(await passing(client.range(range))).toEqual(await local.range(range));
    expect(await passing(client.retained(stream, nowMs))).toEqual(await local.retained(stream, nowMs));
  });

  it('brings in parts what is too large for one answer', async () => {
    const { scene, client, local, passing, headOf } = await served();
    const records = Array.from({ length: 12 }, () => publishOf('large', 'x'.repeat(150_000)));
    await passing(scene.publisher.commit(records), 3000);
    const stream = await headOf('large');
    const { streamKey, generation } = stream;
    const range = { streamKey, generation, fromSerial: 2, toSerial: 11, limit: 9 };
    const ranged = await passing(client.range(range));
    expect(ranged.map(({ deliverySerial }) => deliverySerial)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (const newestFirst of [true, false]) {
      const query = page(stream, scene.clock.now(), newestFirst);
      expect(await passing(client.page(query))).toEqual(await local.page(query));
    }
  });

  it('brings a checkpoint of presence in parts, and none where there is none', async () => {
    const { scene, client, local, passing } = await served();
    const channel = 'presence-large';
    const joins = Array.from({ length: CHECKPOINT_EVERY }, (_, index) =>
      transitionOf(channel, `${'x'.repeat(1000)}${index}`, 'member_added'),
    );
    await passing(scene.publisher.commit(joins), 10_000);
    const address = { appId: 'shop', channel, kind: 'presence' } as const;
    const [stream] = (await local.heads([address])).values();
    const { streamKey = '', generation = 0 } = stream ?? {};
    const asked = { streamKey, generation, fromSerial: 1, toSerial: CHECKPOINT_EVERY };
    const checkpoint = await passing(client.presenceCheckpoint(asked), 1000);
    expect(checkpoint?.members).toHaveLength(CHECKPOINT_EVERY);
    expect(checkpoint).toEqual(await local.presenceCheckpoint(asked));
    const before = { ...asked, toSerial: CHECKPOINT_EVERY - 1 };
    expect(await passing(client.presenceCheckpoint(before))).toBeNull();
  });

  it('makes a stream when that is asked for, and only then', async () => {
    const { client, local, passing } = await served();
    const addresses = [addressOf('new')];
    expect((await passing(client.heads(addresses))).size).toBe(0);
    const made = await passing(client.heads(addresses, true));
    expect([...made.values()]).toMatchObject([NOTHING_STORED]);
    expect(await local.heads(addresses)).toEqual(made);
  });

  it('is unavailable when nobody answers in time, or the store does not', async () => {
    const { scene, process, client, passing } = await served();
    scene.store.heads = () => Promise.reject(new Error('the store is away'));
    await expect(passing(client.heads([addressOf('a')]))).rejects.toThrow('the writer refuses: unavailable');
    process.kill();
    await expect(passing(client.heads([addressOf('a')]), 6000)).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect(process.lines).toContain('failed to read');
  });

  it.each([1, 3])('asks at another lane when the writer of %d of 4 says nothing', async (silent) => {
    const { scene, process, client: whole, local, passing } = await served();
    await passing(scene.publisher.commit([publishOf('orders', '1')]), 3000);
    const address = addressOf('orders');
    const end = scene.hub.open();
    const first = laneOf('shop', 'orders', 4);
    const call: typeof end.call = async (to, text, budgetMs) => {
      if ((to.lane - first + 4) % 4 >= silent) return end.call(to, text, budgetMs);
      await new Promise<void>((later) => void scene.clock.after(budgetMs, later));
      return { kind: 'silent' };
    };
    const deaf = Object.assign(Object.create(end) as typeof end, { call });
    // A gap has this much.
    const client = new ReadClient(deaf, scene.clock, { lanes: 4, nodeId: 'gw-1', timeoutMs: 2000 });
    const heads = await passing(client.heads([address]), 2000);
    expect(heads).toEqual(await local.heads([address]));
    expect(heads).toEqual(await passing(whole.heads([address])));
    process.kill();
  });

  it('waits for whoever was asked first where all are slow', async () => {
    const { scene, process, local, passing } = await served();
    await passing(scene.publisher.commit([publishOf('orders', '1')]), 3000);
    const address = addressOf('orders');
    const end = scene.hub.open();
    const asked: number[] = [];
    const call: typeof end.call = async (to, text, budgetMs) => {
      asked.push(to.lane);
      const late = budgetMs < 1600;
      await new Promise<void>((later) => void scene.clock.after(late ? budgetMs : 1600, later));
      return late ? { kind: 'silent' } : end.call(to, text, budgetMs);
    };
    const slow = Object.assign(Object.create(end) as typeof end, { call });
    const client = new ReadClient(slow, scene.clock, { lanes: 4, nodeId: 'gw-1', timeoutMs: 2000 });
    expect(await passing(client.heads([address]), 1700)).toEqual(await local.heads([address]));
    // One, after 500 ms two more, after 1500 ms two more.
    expect(asked).toHaveLength(5);
    process.kill();
  });

  it('asks at another lane when the writer of the channel cannot read', async () => {
    const { scene, process, local, passing } = await served();
    await passing(scene.publisher.commit([publishOf('orders', '1')]), 3000);
    const address = addressOf('orders');
    const end = scene.hub.open();
    const refusal = encode(READ_REFUSED, { code: 'unavailable' }, 1000);
    if (!refusal.ok) throw new Error(refusal.detail);
    const call: typeof end.call = async (to, text, budgetMs) =>
      to.lane === laneOf('shop', 'orders', 4)
        ? { kind: 'reply', text: refusal.text }
        : end.call(to, text, budgetMs);
    const beside = Object.assign(Object.create(end) as typeof end, { call });
    const client = new ReadClient(beside, scene.clock, { lanes: 4, nodeId: 'gw-1', timeoutMs: 2000 });
    expect(await passing(client.heads([address]))).toEqual(await local.heads([address]));
    process.kill();
  });

  it('is refused to whoever counts other lanes', async () => {
    const { scene, passing } = await served(4);
    const client = new ReadClient(scene.hub.open(), scene.clock, {
      lanes: 2,
      nodeId: 'gw-1',
      timeoutMs: 5000,
    });
    await expect(passing(client.heads([addressOf('a')]))).rejects.toThrow('lane_mismatch');
    expect(await passing(new RemoteLanes(scene.hub.open()).lanes('gw-1', 2))).toBe(4);
  });
});
