import { engine, type EngineHandle } from '@carillon/engines';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.js';
import { Node, type ProcessName } from '../harness/node.js';
import { openTenant, type Tenant } from '../harness/tenant.js';
import { type HookEvent, type HookRequest, Receiver } from './receiver.js';

const CHANNELS = Array.from({ length: 5 }, (_, n) => `private-${n}`);
/** Much longer than anything here takes; only a failure waits for it. */
const LIMIT_MS = 60_000;
const TEST_MS = 3 * LIMIT_MS;
const AWAY_MS = 10_000;

const sleep = (ms: number) => new Promise<void>((later) => void setTimeout(later, ms));
const upTo = (n: number) => Array.from({ length: n }, (_, at) => at);
const numberOf = ({ data }: HookEvent): number => (JSON.parse(String(data)) as { n: number }).n;

let redis: EngineHandle;
let receivers: readonly [Receiver, Receiver];
let shop: Tenant;
let env: Readonly<Record<string, string>>;
const nodes: Node[] = [];

async function start(app: ProcessName, more: Readonly<Record<string, string>> = {}): Promise<Node> {
  const node = new Node(app, { tenants: [shop], env: { ...env, ...more } });
  nodes.push(node);
  await node.start();
  return node;
}

/** A client that says 0, 1, 2 … in every channel until it is stopped; the answer says how often it did. */
async function speak(gateway: Node): Promise<{ stop(): Promise<number> }> {
  const client = await gateway.connect();
  for (const channel of CHANNELS) await client.subscribe(channel);
  const over = new AbortController();
  let said = 0;
  const speaking = (async () => {
    for (; !over.signal.aborted; said += 1) {
      for (const channel of CHANNELS) {
        client.send(JSON.stringify({ event: 'client-said', channel, data: { n: said } }));
      }
      await sleep(20);
    }
  })();
  const stop = async () => {
    over.abort();
    await speaking;
    await client.pending();
    return said;
  };
  return { stop };
}

/** The requests about a channel. */
const about = ({ requests }: Receiver, channel: string): HookRequest[] =>
  requests.filter(({ events }) => events.some((event) => event.channel === channel));

/** What a receiver heard of a channel, each only the first time. */
const firsts = ({ events }: Receiver, channel: string): number[] => [
  ...new Set(events.filter((event) => event.channel === channel).map(numberOf)),
];

const hearsAll = (receiver: Receiver, count: number): Promise<void> =>
  eventually(() => {
    for (const channel of CHANNELS) expect(firsts(receiver, channel)).toHaveLength(count);
  }, LIMIT_MS);

/** Everything in order; nothing repeated but what was being delivered, at most once for every time something broke. */
function expectOrder(receiver: Receiver, count: number, timesBroken: number): void {
  for (const channel of CHANNELS) {
    expect(firsts(receiver, channel)).toEqual(upTo(count));
    const requests = about(receiver, channel);
    const repeated = requests.filter(({ id }, at) => requests.findIndex((one) => one.id === id) < at);
    for (const one of repeated) {
      const [first, last] = [
        requests.findIndex(({ id }) => id === one.id),
        requests.findLastIndex(({ id }) => id === one.id),
      ];
      expect(new Set(requests.slice(first, last + 1).map(({ id }) => id)).size).toBe(1);
    }
    const afterSuccess = requests.filter(
      ({ id }, at) => at > 0 && requests[at - 1]?.id === id && requests[at - 1]?.status !== 500,
    );
    expect(afterSuccess.length).toBeLessThanOrEqual(timesBroken);
  }
}

beforeAll(async () => {
  redis = await engine('redis', { own: true });
});
afterAll(() => redis.release());
beforeEach(async () => {
  receivers = [await new Receiver().open(), await new Receiver().open()];
  const retry = { initial_backoff_ms: 50, max_backoff_ms: 200 };
  shop = openTenant('shop', {
    webhooks: receivers.map(({ url }) => ({ url, event_types: ['client_event'], retry })),
  });
  for (const receiver of receivers) {
    receiver.belongsTo(shop);
    receiver.answer = (response) => void setTimeout(() => response.end(), 15);
  }
  env = {
    QUEUE_DRIVER: 'redis',
    REDIS_URL: redis.url,
    QUEUE_REDIS_PREFIX: `t-${randomUUID()}`,
    QUEUE_LEASE_DURATION_MS: '3000',
    QUEUE_LEASE_RENEW_INTERVAL_MS: '500',
  };
});
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.process.kill();
  for (const receiver of receivers) {
    receiver.close();
    expect(receiver.forged).toEqual([]);
  }
});

describe('webhooks about one channel come to each receiver in order,', () => {
  it.each(['true', 'false'])(
    'whichever worker is killed in the middle of a delivery (batching: %s)',
    async (batching) => {
      const gateway = await start('gateway', { WEBHOOK_BATCHING_ENABLED: batching });
      const workers = [await start('webhook-worker'), await start('webhook-worker')];
      const speaker = await speak(gateway);
      const kills = 3;
      for (let times = 0; times < kills; times += 1) {
        const before = receivers[0].requests.length;
        await eventually(() => expect(receivers[0].requests.length).toBeGreaterThan(before + 20), LIMIT_MS);
        await eventually(() => expect(receivers[0].requests.at(-1)?.status).toBe(0), LIMIT_MS);
        await workers.shift()?.process.kill();
        workers.push(await start('webhook-worker'));
      }
      const count = await speaker.stop();
      for (const receiver of receivers) await hearsAll(receiver, count);
      for (const receiver of receivers) expectOrder(receiver, count, kills);
    },
    TEST_MS,
  );

  it(
    'while the broker does not answer for ten seconds',
    async () => {
      const gateway = await start('gateway');
      await Promise.all([start('webhook-worker'), start('webhook-worker')]);
      const speaker = await speak(gateway);
      await eventually(() => expect(receivers[0].requests.length).toBeGreaterThan(20), LIMIT_MS);
      const fromMs = performance.now();
      await redis.pause();
      await sleep(AWAY_MS / 5);
      const heard = receivers[0].requests.length;
      await sleep((AWAY_MS * 4) / 5);
      expect(receivers[0].requests).toHaveLength(heard);
      await redis.resume();
      expect(performance.now() - fromMs).toBeGreaterThanOrEqual(AWAY_MS);
      await eventually(() => expect(receivers[0].requests.length).toBeGreaterThan(heard + 20), LIMIT_MS);
      const count = await speaker.stop();
      for (const receiver of receivers) await hearsAll(receiver, count);
      for (const receiver of receivers) expectOrder(receiver, count, 1);
    },
    TEST_MS,
  );

  it(
    'while one receiver fails, which does not delay the other',
    async () => {
      const [broken, fine] = receivers;
      broken.answer = (response) => void response.writeHead(500).end();
      const gateway = await start('gateway');
      await Promise.all([start('webhook-worker'), start('webhook-worker')]);
      const speaker = await speak(gateway);
      await eventually(() => expect(fine.requests.length).toBeGreaterThan(100), LIMIT_MS);
      const count = await speaker.stop();
      await hearsAll(fine, count);
      for (const channel of CHANNELS) {
        expect(new Set(about(broken, channel).map(({ id }) => id)).size).toBe(1);
      }
      broken.answer = (response) => void response.end();
      await hearsAll(broken, count);
      expectOrder(broken, count, 0);
      expectOrder(fine, count, 0);
    },
    TEST_MS,
  );
});
