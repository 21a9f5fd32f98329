import { type HistoryStore, streamName } from '@carillon/history-store';
import { describe, expect, it } from 'vitest';
import { installation, type Outcome, publishAll, publishOf, ready, run } from './scene.js';

const CHANNELS = Array.from({ length: 20 }, (_, index) => `orders-${index}`);
const EACH = 50;

/** Stored records of a channel as serials and data. */
async function storedOf(store: HistoryStore, channel: string): Promise<{ serial: number; data: string }[]> {
  const address = { appId: 'shop', channel, kind: 'messages' } as const;
  const stream = (await store.heads([address])).get(streamName(address));
  if (stream === undefined) return [];
  const { streamKey, generation } = stream;
  const rows = await store.range({ streamKey, generation, fromSerial: 1, toSerial: 10_000, limit: 10_000 });
  return rows.map(({ deliverySerial, payload }) => ({
    serial: deliverySerial,
    data: (JSON.parse(payload ?? '{}') as { data: string }).data,
  }));
}

/** Every accepted one is stored once, under its serial, and nothing else but what was never answered. */
async function check(store: HistoryStore, outcomes: readonly Outcome[]): Promise<void> {
  await store.connect();
  for (const channel of CHANNELS) {
    const stored = await storedOf(store, channel);
    expect(stored.map(({ serial }) => serial)).toEqual(stored.map((_, index) => index + 1));
    expect(new Set(stored.map(({ data }) => data)).size).toBe(stored.length);
    for (const { data, result } of outcomes.filter((one) => one.channel === channel)) {
      if (result.status === 'applied')
        expect(stored).toContainEqual({ serial: result.delivery_serial, data });
      else expect(result).toMatchObject({ status: 'rejected', code: 'service_unavailable' });
    }
  }
}

describe('history writers', { timeout: 120_000 }, () => {
  it('make the tables and end when that is all they are asked for', async () => {
    const { env, store } = await installation();
    const migrating = run(env, '--migrate');
    const ended = new Promise((resolve) => migrating.child.once('close', resolve));
    await migrating.says(/the tables are up to date/);
    expect(await ended).toBe(0);
    await store.connect();
    const address = { appId: 'shop', channel: 'orders', kind: 'messages' } as const;
    expect(await store.heads([address])).toEqual(new Map());
  });

  it('lose nothing, double nothing and refuse nothing when one of them is killed', async () => {
    const { env, client, store } = await installation();
    const victim = await ready(env);
    await ready(env);
    await victim.says(/lane given up/);
    const publishing = publishAll(client, CHANNELS, EACH);
    await new Promise((later) => setTimeout(later, 300));
    await victim.kill();
    const outcomes = await publishing;
    expect(outcomes).toHaveLength(CHANNELS.length * EACH);
    expect(outcomes.filter(({ result }) => result.status !== 'applied')).toEqual([]);
    await check(store, outcomes);
  });

  it('hand their lanes over when one of them is told to stop, without a refusal', async () => {
    const { env, client, store } = await installation();
    const leaving = await ready(env);
    await ready(env);
    await leaving.says(/lane given up/);
    const publishing = publishAll(client, CHANNELS, EACH);
    const ended = new Promise((resolve) => leaving.child.once('close', resolve));
    leaving.child.kill('SIGTERM');
    const outcomes = await publishing;
    expect(await ended).toBe(0);
    expect(outcomes.filter(({ result }) => result.status !== 'applied')).toEqual([]);
    await check(store, outcomes);
  });
});

describe('a history writer', { timeout: 60_000 }, () => {
  it('does not start with the local adapter, or without a durable backend', async () => {
    const refused: Record<string, string>[] = [
      { ADAPTER_DRIVER: 'local' },
      { ADAPTER_DRIVER: 'nats', HISTORY_BACKEND: 'memory' },
    ];
    for (const env of refused) {
      const process = run(env);
      expect(await new Promise((resolve) => process.child.once('close', resolve))).toBe(78);
      expect(process.output).toMatch(/history-writer requires/);
    }
  });

  it('keeps what is published now as the app says now: its rules come with each record', async () => {
    const { env, client, store } = await installation();
    await ready(env);
    const publish = (data: string, maxMessages: number | null) => {
      const record = publishOf('orders', data);
      return client.commit([{ ...record, policy: { ...record.policy, max_messages: maxMessages } }]);
    };
    for (const data of ['a', 'b', 'c']) await publish(data, null);
    await store.connect();
    const [result] = await publish('d', 2);
    expect(result).toMatchObject({ status: 'applied' });
    const [stream] = (await store.heads([{ appId: 'shop', channel: 'orders', kind: 'messages' }])).values();
    // By which the channel is trimmed from now on.
    expect(stream).toMatchObject({ maxMessages: 2, nextHistorySerial: 5 });
  });

  it('starts with streams of answers to end where no other process sees its queue', async () => {
    const { env } = await installation();
    const writer = await ready({
      ...env,
      QUEUE_DRIVER: 'memory',
      CONNECTION_RECOVERY_ENABLED: 'true',
      VERSIONED_MESSAGES_ENABLED: 'true',
      VERSIONED_MESSAGES_DRIVER: 'postgres',
      AI_TRANSPORT_ENABLED: 'true',
    });
    const ended = new Promise((resolve) => writer.child.once('close', resolve));
    writer.child.kill('SIGTERM');
    expect(await ended).toBe(0);
    // No app of it asks for webhooks.
    expect(writer.output).not.toContain('webhooks are off');
  });

  it('does not start beside writers that count other lanes', async () => {
    const { env } = await installation();
    await ready(env);
    const other = run({ ...env, HISTORY_WRITER_SHARDS: '8' });
    expect(await new Promise((resolve) => other.child.once('close', resolve))).toBe(1);
    expect(other.output).toContain('history.writer_shards: is 8, others use 16');
  });
});
