import { engine } from '@carillon/test-backends';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.js';
import { Node } from '../harness/node.js';
import { subset } from '../harness/subset.js';
import { openTenant } from '../harness/tenant.js';
import { Receiver } from './receiver.js';

interface Broker {
  readonly name: string;
  readonly engine: string;
  /** The variables that lead to it. */
  readonly env: (url: string, prefix: string) => Record<string, string>;
  /** Of the oldest job where none is; null: the broker does not tell. */
  readonly age: number | null;
  /** False: the broker does not report how much waits. Absent: it does. */
  readonly hasDepths?: boolean;
  /** What no variable says. */
  readonly queue?: (url: string, prefix: string) => object;
}

/** Brokers that carry webhooks and push alone. */
const BROKERS: readonly Broker[] = [
  {
    name: 'nats',
    engine: 'nats',
    age: 0,
    env: (url, prefix) => ({ NATS_SERVERS: url, NATS_PREFIX: prefix }),
  },
  {
    name: 'rabbitmq',
    engine: 'rabbitmq',
    age: null,
    env: (url, prefix) => ({ RABBITMQ_URL: url, RABBITMQ_PREFIX: prefix }),
  },
  {
    name: 'pulsar',
    engine: 'pulsar',
    age: null,
    hasDepths: false,
    env: (url, prefix) => ({ PULSAR_URL: url, PULSAR_PREFIX: prefix }),
  },
  {
    name: 'iggy',
    engine: 'iggy',
    age: null,
    hasDepths: false,
    env: (url, prefix) => ({ IGGY_CONNECTION_STRING: url, IGGY_QUEUE_TOPIC_PREFIX: prefix }),
  },
  {
    name: 'google-pubsub',
    engine: 'google-pubsub',
    age: null,
    hasDepths: false,
    env: (url, prefix) => ({
      GOOGLE_PUBSUB_PROJECT_ID: 'carillon',
      PUBSUB_EMULATOR_HOST: new URL(url).host,
      GOOGLE_PUBSUB_PREFIX: prefix,
    }),
  },
  {
    name: 'sqs',
    engine: 'elasticmq',
    age: null,
    env: (url) => ({
      QUEUE_SQS_ENDPOINT_URL: url,
      QUEUE_SQS_WAIT_TIME_SECONDS: '1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    }),
    queue: (url, prefix) => ({ sqs: { queue_url_prefix: `${url}/000000000000/${prefix.slice(0, 14)}-` } }),
  },
];

const DEVICE = {
  id: 'a',
  formFactor: 'phone',
  platform: 'android',
  timezone: 'UTC',
  locale: 'en',
  push: { recipient: { transportType: 'gcm', registrationToken: 'a-token' } },
};

describe.each(subset(BROKERS, 2))('over $name as the only queue', (broker) => {
  const { name, engine: engineName, env, queue, age, hasDepths = true } = broker;
  const receiver = new Receiver();
  let node: Node;
  beforeAll(async () => {
    const [{ url }] = await Promise.all([engine(engineName), receiver.open()]);
    const shop = openTenant('shop', {
      webhooks: [{ url: receiver.url, event_types: ['channel_occupied'] }],
    });
    receiver.belongsTo(shop);
    const prefix = `t-${randomUUID()}`;
    node = new Node('server', {
      tenants: [shop],
      env: {
        ...env(url, prefix),
        QUEUE_DRIVER: name,
        PUSH_QUEUE_DRIVER: name,
        PUSH_STORAGE_DRIVER: 'memory',
        PUSH_FCM_ENABLED: 'true',
      },
      config: {
        queue: queue?.(url, prefix) ?? {},
        push: { dry_run: true },
        webhooks: { retry: { initial_backoff_ms: 100 } },
      },
    });
    await node.start();
  });
  afterAll(async () => {
    node.dropClients();
    expect(await node.stop()).toBe(0);
    expect([receiver.forged, node.complaints()]).toEqual([[], []]);
    receiver.close();
  });

  it('webhooks are delivered, and again after a receiver failed', async () => {
    let failures = 2;
    receiver.answer = (response) => {
      response.statusCode = failures-- > 0 ? 500 : 200;
      response.end();
    };
    const client = await node.connect();
    await client.subscribe('room');
    await eventually(() => {
      expect(receiver.requests.map(({ status }) => status)).toEqual([500, 500, 200]);
      // Google Pub/Sub counts pauses in whole seconds.
    }, 20_000);
    expect(new Set(receiver.ids).size).toBe(1);
  });

  it('pushes are sent, now and when their time has come, and probes and metrics know the queue', async () => {
    const ask = async (method: 'GET' | 'POST', path: string, body?: object) => {
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      return node.api().request(method, `/push${path}`, text);
    };
    expect((await ask('POST', '/deviceRegistrations', DEVICE)).status).toBe(201);
    expect((await ask('POST', '/channelSubscriptions', { channel: 'news', deviceId: 'a' })).status).toBe(201);
    const push = { recipients: [{ type: 'channel', channel: 'news' }], payload: { title: 'Hi', body: 'x' } };
    for (const [publishId, more] of [
      ['now', {}],
      ['later', { notBeforeMs: Date.now() + 1500 }],
    ] as const) {
      expect((await ask('POST', '/publish', { publishId, ...push, ...more })).status).toBe(202);
    }
    for (const publishId of ['now', 'later']) {
      await eventually(async () => {
        const { body } = await ask('GET', `/publish/${publishId}/status`);
        expect(JSON.parse(body)).toMatchObject({
          state: 'succeeded',
          counters: { planned: 1, succeeded: 1 },
        });
      }, 15_000);
    }
    expect((await node.request({ path: '/up' })).status).toBe(200);
    const metrics = await node.metrics();
    const settled = { backend: name, queue: 'webhooks', outcome: 'ok' };
    expect(metrics.value('queue_settled_total', settled)).toBeGreaterThan(0);
    expect(metrics.value('queue_jobs', { queue: 'webhooks', state: 'ready' })).toBe(hasDepths ? 0 : null);
    // RabbitMQ and SQS do not tell ages, and a 0 would say that nothing waits.
    expect(metrics.value('queue_oldest_ready_age_seconds', { queue: 'webhooks' })).toBe(age);
  });
});
