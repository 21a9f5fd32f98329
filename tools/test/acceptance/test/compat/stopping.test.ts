import { randomUUID } from 'node:crypto';
import { engine } from '@carillon/test-backends';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients, post } from './ably.js';
import { basicOf, tokenRequest } from './key.js';

const shop = openTenant('shop');

describe('statistics of Ably clients at two servers that share a store', () => {
  const prefix = `${randomUUID()}:`;
  let env = {};
  const server = (stats_flush_interval_ms: number): Node =>
    new Node('server', {
      tenants: [shop],
      config: { compat: { enabled: true, stats_flush_interval_ms }, cache: { redis: { prefix } } },
      get env() {
        return env;
      },
    });
  // It writes nothing by itself for as long as this takes.
  const slow = server(3_600_000);
  const other = server(10);
  const clients = new AblyClients(slow, shop);

  beforeAll(async () => {
    env = { CACHE_DRIVER: 'redis', REDIS_URL: (await engine('redis')).url };
    await Promise.all([slow.start(), other.start()]);
  });
  afterEach(() => clients.close());
  afterAll(async () => {
    expect(await other.stop()).toBe(0);
    expect([...slow.complaints(), ...other.complaints()]).toEqual([]);
  });

  const ask = ({ port }: Node, path: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: basicOf(shop) } });
  const entries = async (): Promise<object> => {
    const [month] = (await (await ask(other, '/stats?unit=month')).json()) as [{ entries: object }?];
    return month?.entries ?? {};
  };

  it('are whole though one of them stops before it has written any', async () => {
    const { port } = slow;
    await clients.connect().connection.whenState('connected');
    for (let asked = 0; asked < 3; asked += 1) expect((await ask(slow, '/channels/a')).status).toBe(200);
    expect((await post(port, `/keys/${shop.key}/requestToken`, tokenRequest(shop))).status).toBe(200);
    const push = {
      recipient: { transportType: 'ablyChannel', channel: 'told' },
      notification: { title: 'x' },
    };
    expect((await post(port, '/push/publish', push, basicOf(shop))).status).toBe(201);
    const refused = { ...push, recipient: { deviceId: 'nobody' } };
    expect((await post(port, '/push/publish', refused, basicOf(shop))).status).toBe(404);
    const before = await entries();
    for (const name of ['connections.all.opened', 'tokenRequests.succeeded', 'push.succeeded'])
      expect(before).not.toHaveProperty([name]);
    expect(await slow.stop()).toBe(0);
    expect(await entries()).toMatchObject({
      'connections.all.opened': 1,
      'connections.all.closed': 1,
      'connections.plain.peak': 1,
      'tokenRequests.succeeded': 1,
      'push.succeeded': 1,
      'push.failed': 1,
      'push.recipients': 2,
      'apiRequests.failed': 1,
      // Of the slow one, and the question before at the other.
      'apiRequests.succeeded': 6,
    });
  });
});
