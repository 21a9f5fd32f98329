import { engine } from '@carillon/test-backends';
import { BROKER, type OpenedBroker } from '@carillon/broker';
import { streamName } from '@carillon/history-store';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  CHANNEL_READS,
  type ChannelReads,
  COMMIT_CLIENT,
  COMMIT_WRITER,
  CommitClient,
  CommitModule,
  LanesDiffer,
  LocalReads,
  ReadClient,
  type Writer,
  WriterModule,
} from '../../src/index.js';
import { NO_WEBHOOKS, WEBHOOK_EVENTS } from '@carillon/webhooks';
import { Global, Module } from '@nestjs/common';
import { POLICY, publishOf } from '../samples.js';
import { memory, processWith } from './scene.js';

const ADDRESS = { appId: 'shop', channel: 'orders', kind: 'messages' } as const;

async function corner(): Promise<Record<string, string>> {
  const { name, url } = await (await engine('nats')).isolate();
  return {
    ADAPTER_DRIVER: 'nats',
    NATS_SERVERS: url,
    NATS_PREFIX: name,
    HISTORY_WRITER_SHARDS: '4',
    HISTORY_ENABLED: 'true',
  };
}

/** A process that serves every lane. */
async function writing(env: Record<string, string>) {
  const process = await processWith(env, [WriterModule], memory());
  await process.start();
  const writer = process.get<Writer>(COMMIT_WRITER);
  onTestFinished(() => writer.leave());
  await vi.waitFor(() => expect(writer.serving).toEqual([0, 1, 2, 3]), { timeout: 10_000 });
  return { ...process, writer };
}

describe('the commit module of one process', () => {
  it('commits and reads here, and hands records to the broker', async () => {
    const { get, parts, start } = await processWith({ HISTORY_ENABLED: 'true' }, [CommitModule], memory());
    await start();
    const received: (number | null | undefined)[] = [];
    get<OpenedBroker>(BROKER).listen({
      deliver: () => {},
      deliverRecord: ({ serial }) => received.push(serial),
      answer: () => {
        throw new Error('nothing is asked');
      },
    });
    const client = get<CommitClient>(COMMIT_CLIENT);
    const results = await client.commit([publishOf('orders', '1'), publishOf('orders', '2')]);
    expect(results.map(({ status, delivery_serial }) => [status, delivery_serial])).toEqual([
      ['applied', 1],
      ['applied', 2],
    ]);
    expect(received).toEqual([1, 2]);
    const reads = get<ChannelReads>(CHANNEL_READS);
    expect(reads).toBeInstanceOf(LocalReads);
    expect((await reads.heads([ADDRESS])).get(streamName(ADDRESS))).toMatchObject({ nextDeliverySerial: 3 });
    const shown = await parts.metrics.text();
    expect(shown).toMatch(/service_history_writes_total\{[^}]*app_id="shop"[^}]*\} 2/);
    expect(shown).toMatch(/service_history_queue_depth\{[^}]*app_id="shop"[^}]*\} 0/);
    expect(shown).toMatch(/service_commit_lanes_served(?:\{[^}]*\})? 16/);
    expect(shown).toMatch(/service_commit_queue_depth\{[^}]*lane="\d+"[^}]*\} 0/);
    expect(shown).toMatch(/service_commit_results_total\{[^}]*status="applied"[^}]*\} 2/);
    expect(shown).toMatch(/service_commit_request_ms_count\{[^}]*result="committed"[^}]*\} 2/);
  });

  it('tells the servers of an app that the stream of an answer was ended', async () => {
    const emit = vi.fn();
    @Global()
    @Module({
      providers: [{ provide: WEBHOOK_EVENTS, useValue: { ...NO_WEBHOOKS, emit } }],
      exports: [WEBHOOK_EVENTS],
    })
    class Webhooks {}
    const env = {
      HISTORY_ENABLED: 'true',
      CONNECTION_RECOVERY_ENABLED: 'true',
      VERSIONED_MESSAGES_ENABLED: 'true',
      AI_TRANSPORT_ENABLED: 'true',
      AI_TRANSPORT_ROLLUP_ORPHAN_TTL_MS: '1',
    };
    const { get, start } = await processWith(env, [CommitModule, Webhooks], memory());
    await start();
    const channel = 'ai-left';
    const extras = { ai: { transport: { status: 'streaming' } } };
    const message = JSON.stringify({ event: 'ai-output', channel, data: 'a', extras });
    const ai = {
      max_accumulated_message_bytes: 1000,
      max_appends_per_message: 9,
      max_open_streaming_messages: 9,
    };
    const policy = { ...POLICY, versioned: true, ai };
    const [made] = await get<CommitClient>(COMMIT_CLIENT).commit([
      { ...publishOf(channel, ''), op: 'create', message, policy },
    ]);
    const message_serial = made?.message_serial;
    const event = { name: 'ai_stream_orphaned', channel, message_serial, reason: 'orphan_timeout' };
    await vi.waitFor(() => expect(emit.mock.calls).toEqual([['shop', event]]), { timeout: 10_000 });
  });

  it('needs a store', async () => {
    await expect(processWith({}, [CommitModule])).rejects.toThrow('needs a history store');
  });
});

describe('the commit module of several processes', { timeout: 60_000 }, () => {
  it('commits and reads through writers where there is no store', async () => {
    const env = await corner();
    const { parts, writer } = await writing(env);
    const gateway = await processWith(env, [CommitModule]);
    await gateway.start();
    const [result] = await gateway.get<CommitClient>(COMMIT_CLIENT).commit([publishOf('orders', '1')]);
    expect(result).toMatchObject({ status: 'applied', delivery_serial: 1 });
    const reads = gateway.get<ChannelReads>(CHANNEL_READS);
    expect(reads).toBeInstanceOf(ReadClient);
    expect((await reads.heads([ADDRESS])).get(streamName(ADDRESS))).toMatchObject({ nextDeliverySerial: 2 });
    const shown = await parts.metrics.text();
    expect(shown).toMatch(/service_commit_lanes_served(?:\{[^}]*\})? 4/);
    expect(shown).toMatch(/service_commit_lane_moves_total(?:\{[^}]*\})? 4/);
    expect(shown).toMatch(/service_commit_batches_total(?:\{[^}]*\})? 1/);
    expect((await parts.health.check()).failures).toEqual([]);
    await writer.leave();
    expect((await parts.health.check()).failures).toMatchObject([
      { part: 'commit lanes', message: 'the writer is gone' },
    ]);
  });

  it('asks a writer of the same process directly', async () => {
    const env = await corner();
    const server = await processWith(env, [WriterModule, CommitModule], memory());
    await server.start();
    const writer = server.get<Writer>(COMMIT_WRITER);
    onTestFinished(() => writer.leave());
    await vi.waitFor(() => expect(writer.serving).toHaveLength(4), { timeout: 10_000 });
    const [result] = await server.get<CommitClient>(COMMIT_CLIENT).commit([publishOf('orders', '1')]);
    expect(result).toMatchObject({ status: 'applied' });
  });

  it('does not start with another number of lanes than the writers have', async () => {
    const env = await corner();
    await writing(env);
    const gateway = await processWith({ ...env, HISTORY_WRITER_SHARDS: '8' }, [CommitModule]);
    await expect(gateway.start()).rejects.toThrow(LanesDiffer);
    const store = memory();
    await store.agreeOnLanes(16, true);
    const api = await processWith(env, [CommitModule], store);
    await expect(api.start()).rejects.toThrow('history.writer_shards: is 4, the writers use 16');
  });

  it('starts without writers, and says that nothing was committed', async () => {
    const gateway = await processWith(await corner(), [CommitModule]);
    await gateway.start();
    const [result] = await gateway.get<CommitClient>(COMMIT_CLIENT).commit([publishOf('orders', '1')]);
    expect(result).toMatchObject({ status: 'rejected', code: 'service_unavailable' });
  });
});
