import { engine, type EngineHandle } from '@carillon/test-backends';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.js';
import { Node, type ProcessName } from '../harness/node.js';
import { openTenant, type Tenant } from '../harness/tenant.js';
import { Receiver } from './receiver.js';

/** What a process that dies had is taken over after so long. */
const BRIEF_LEASES = { QUEUE_LEASE_DURATION_MS: '1500', QUEUE_LEASE_RENEW_INTERVAL_MS: '300' };

let redis: EngineHandle;
let receiver: Receiver;
let shop: Tenant;
let env: Readonly<Record<string, string>>;
const nodes: Node[] = [];

async function start(app: ProcessName, more: Readonly<Record<string, string>> = {}): Promise<Node> {
  const node = new Node(app, { tenants: [shop], env: { ...env, ...more } });
  nodes.push(node);
  await node.start();
  return node;
}

const both = () => Promise.all([start('gateway'), start('webhook-worker')]);

/** Occupies so many channels through one client each ten, and names them. */
async function occupy(node: Node, count: number): Promise<readonly string[]> {
  const channels = Array.from({ length: count }, () => `room-${randomUUID()}`);
  for (let first = 0; first < count; first += 10) {
    const client = await node.connect();
    for (const channel of channels.slice(first, first + 10)) await client.subscribe(channel);
  }
  return channels;
}

beforeAll(async () => {
  redis = await engine('redis', { own: true });
});
afterAll(() => redis.release());
beforeEach(async () => {
  receiver = await new Receiver().open();
  shop = openTenant('shop', {
    webhooks: [{ url: receiver.url, event_types: ['channel_occupied'], request_timeout_ms: 60_000 }],
  });
  receiver.belongsTo(shop);
  env = {
    QUEUE_DRIVER: 'redis',
    REDIS_URL: redis.url,
    QUEUE_REDIS_PREFIX: `t-${randomUUID()}`,
    ...BRIEF_LEASES,
  };
});
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.process.kill();
  receiver.close();
  expect(receiver.forged).toEqual([]);
});

describe('a worker', { timeout: 90_000 }, () => {
  it('delivers what gateways tell, answers its probes and nothing else, and ends well', async () => {
    const [gateway, worker] = await Promise.all([
      start('gateway'),
      // As a fleet shares it: what a worker does not use is none of its business.
      start('webhook-worker', { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'postgres' }),
    ]);
    const channels = await occupy(gateway, 20);
    await receiver.hears('channel_occupied', channels);
    for (const [path, status] of [
      ['/live', 200],
      ['/up', 200],
      ['/usage', 200],
      ['/accept-traffic', 404],
      ['/up/shop', 404],
      ['/stats', 404],
      ['/apps/shop/channels', 404],
    ] as const) {
      expect([path, (await worker.request({ path })).status]).toEqual([path, status]);
    }
    const metrics = await worker.metrics();
    expect(metrics.value('webhook_deliveries_total', { app_id: 'shop', outcome: 'ok' })).toBeGreaterThan(0);
    expect(await worker.stop()).toBe(0);
    expect([worker.complaints(), gateway.complaints()]).toEqual([[], []]);
  });

  it('refuses to work on a queue that nobody else can see', async () => {
    const node = new Node('webhook-worker', { tenants: [shop], env: { QUEUE_DRIVER: 'memory' } });
    await expect(node.start()).rejects.toThrow('webhook-worker needs a shared queue driver');
    expect(node.process.exitCode).toBe(78);
  });

  it('that is killed in the middle of deliveries leaves every one of them to others', async () => {
    const [gateway, victim] = await both();
    receiver.answer = () => {};
    const channels = await occupy(gateway, 30);
    await eventually(() => expect(receiver.ids.length).toBeGreaterThan(0), 30_000);
    await victim.process.kill();
    const begun = new Set(receiver.ids.splice(0));
    receiver.events.splice(0);
    receiver.answer = (response) => void response.end();
    await start('webhook-worker');
    await receiver.hears('channel_occupied', channels);
    for (const id of begun) expect(receiver.ids).toContain(id);
  });

  it('and another share the work, whichever is killed again and again', async () => {
    const gateway = await start('gateway');
    receiver.answer = (response) => void setTimeout(() => response.end(), 20);
    const channels: string[] = [];
    for (let times = 0; times < 2; times += 1) {
      const workers = await Promise.all([start('webhook-worker'), start('webhook-worker')]);
      channels.push(...(await occupy(gateway, 30)));
      await workers[times % 2]?.process.kill();
      channels.push(...(await occupy(gateway, 10)));
      await workers[(times + 1) % 2]?.process.kill();
    }
    await start('webhook-worker');
    await receiver.hears('channel_occupied', channels);
  });
});

describe('a broker that', { timeout: 90_000 }, () => {
  it('does not answer for a while loses nothing, also of what was told meanwhile', async () => {
    const [gateway] = await both();
    const before = await occupy(gateway, 20);
    await redis.pause();
    const meanwhile = await occupy(gateway, 20);
    await new Promise((later) => void setTimeout(later, 6000));
    expect(receiver.events.some(({ channel }) => meanwhile.includes(String(channel)))).toBe(false);
    await redis.resume();
    await receiver.hears('channel_occupied', [...before, ...meanwhile]);
    const { dead } = {
      dead: (await gateway.metrics()).value('webhook_events_dropped_total', { app_id: 'shop' }),
    };
    expect(dead).toBe(0);
  });

  it('is killed and comes back gets what was told meanwhile', async () => {
    const [gateway] = await both();
    await receiver.hears('channel_occupied', await occupy(gateway, 1));
    receiver.events.splice(0);
    await redis.kill();
    const meanwhile = await occupy(gateway, 20);
    await new Promise((later) => void setTimeout(later, 1000));
    await redis.restart();
    await receiver.hears('channel_occupied', meanwhile);
  });
});
