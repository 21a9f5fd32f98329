import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../harness/client.js';
import { Cluster } from '../harness/cluster.js';
import { eventually } from '../harness/eventually.js';
import type { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';
import { type Stream, type StreamKind, STREAMS } from './streams.js';

const KINDS = Object.keys(STREAMS) as StreamKind[];
const MAP = {
  channel: 'order-{payload.after.id}',
  event: 'order.{payload.op}',
  data: '{payload.after}',
  message_id: 'cdc-{payload.lsn}',
  tags: { region: '{headers.x-region}' },
};

const received = async (client: Client, count: number): Promise<unknown[]> => {
  const all: unknown[] = [];
  while (all.length < count) {
    const { data } = await client.next(30_000);
    all.push(data);
  }
  return all;
};

describe('ingest from streams', { timeout: 120_000 }, () => {
  const streams = new Map<StreamKind, Stream>();
  let templated: Stream;
  let cluster: Cluster;
  let ingest: Node;
  beforeAll(async () => {
    for (const kind of KINDS) streams.set(kind, await STREAMS[kind]());
    templated = await STREAMS.redis();
    const sources = KINDS.map((kind) => ({ name: kind, app: 'shop', ...streams.get(kind)?.source }));
    const template = { name: 'cdc', app: 'shop', ...templated.source, format: 'template', map: MAP };
    cluster = new Cluster('nats', {
      tenants: () => [openTenant('shop')],
      config: { ingest: { sources: [...sources, template] } },
    });
    await cluster.start();
    ingest = await cluster.add('ingest');
  }, 240_000);
  afterEach(() => cluster.dropClients());
  afterAll(async () => {
    await cluster.stop();
    for (const stream of [...streams.values(), templated]) await stream.end();
  });

  const streamOf = (kind: StreamKind): Stream => {
    const stream = streams.get(kind);
    if (stream === undefined) throw new Error(`${kind} is not running`);
    return stream;
  };
  const subscribed = async (...channels: string[]): Promise<Client> => {
    const client = await cluster.connect(0);
    for (const channel of channels) await client.subscribe(channel);
    return client;
  };
  describe.each(KINDS)('%s', (kind) => {
    it('publishes commands in order and raw payloads unchanged', async () => {
      const { send } = streamOf(kind);
      const channel = `${kind}-order`;
      const client = await subscribed(channel);
      const datas = Array.from({ length: 200 }, (_, index) => `n${index}`);
      for (const data of datas) await send(JSON.stringify({ channel, name: 'e', data }));
      await send(' {"raw": 1} ', { 'X-Service-Channel': channel, 'X-Service-Event': 'raw' });
      await send(`{"channel":"${channel}","name":"e","data":{"n":12345678901234567890}}`);
      expect(await received(client, 202)).toEqual([...datas, ' {"raw": 1} ', '{"n":12345678901234567890}']);
    });

    it('stores dead letters of bad messages and publishes the next one', async () => {
      const { send, deadLetters } = streamOf(kind);
      const channel = `${kind}-bad`;
      const client = await subscribed(channel);
      const good = { channel, name: 'e', data: 'next' };
      await send('{');
      await send(JSON.stringify({ ...good, colour: 1 }));
      await send(JSON.stringify({ ...good, app: 'foreign' }), { 'x-trace': 't' });
      await send(JSON.stringify({ ...good, channel: 'a b' }));
      await send(JSON.stringify(good));
      expect(await received(client, 1)).toEqual(['next']);
      const letters = await eventually(async () => {
        const found = await deadLetters();
        expect(found).toHaveLength(4);
        return found;
      });
      const codes = letters.map(({ headers }) => headers['x-service-error-code']).toSorted();
      expect(codes).toEqual(['app_not_allowed', 'invalid_command', 'invalid_input', 'invalid_json']);
      const foreign = letters.find(({ headers }) => headers['x-service-error-code'] === 'app_not_allowed');
      expect(foreign?.payload).toBe(JSON.stringify({ ...good, app: 'foreign' }));
      expect(foreign?.headers).toMatchObject({ 'x-trace': 't', 'x-service-source': kind });
      for (const name of ['x-service-error', 'x-service-origin', 'x-service-attempts', 'x-service-failed-at'])
        expect(foreign?.headers[name]).toBeTypeOf('string');
    });
  });

  it('maps payloads by templates; a missing path is a dead letter', async () => {
    const client = await subscribed('order-7');
    const payload = { op: 'u', lsn: 42, after: { id: 7, total: '9.50' } };
    await templated.send(JSON.stringify({ ...payload, after: {} }), { 'x-region': 'eu' });
    await templated.send(JSON.stringify(payload), { 'x-region': 'eu' });
    const { event, data } = await client.next(30_000);
    expect([event, data]).toEqual(['order.u', '{"id":7,"total":"9.50"}']);
    await eventually(async () => {
      const [letter] = await templated.deadLetters();
      expect(letter?.headers['x-service-error-code']).toBe('mapping_missing');
    });
  });

  it.each(KINDS)('%s: publishes each message once and in order when ingest is killed', async (kind) => {
    const { send } = streamOf(kind);
    const channel = `${kind}-kills`;
    const client = await subscribed(channel);
    const datas = Array.from({ length: 300 }, (_, index) => `n${index}`);
    const sending = (async () => {
      for (const data of datas) {
        await send(JSON.stringify({ channel, name: 'e', data }));
        await new Promise((later) => setTimeout(later, 10));
      }
    })();
    for (let kill = 0; kill < 2; kill += 1) {
      await new Promise((later) => setTimeout(later, 700));
      await ingest.process.kill('SIGKILL');
      ingest = await cluster.add('ingest');
    }
    await sending;
    const seen = new Set<unknown>();
    while (seen.size < datas.length) {
      const frame = await client.next(60_000);
      if (frame.event === 'e') seen.add(frame.data);
    }
    // A copy of an event in flight at a kill has the same message_id.
    expect([...seen]).toEqual(datas);
  });
});
