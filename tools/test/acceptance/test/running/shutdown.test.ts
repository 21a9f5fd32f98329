import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.js';
import { memberRemoved, published } from '../harness/frames.js';
import { APPS, Node, type AppName } from '../harness/node.js';
import { expectClosed } from '../harness/refusals.js';
import { openTenant } from '../harness/tenant.js';

const shop = openTenant('shop');
const TEXT = 'Server shutting down';

describe.each(APPS)('stopping (%s)', (app) => {
  let node: Node;
  const start = async (env: Record<string, string>, name: AppName = app): Promise<void> => {
    node = new Node(name, { tenants: [shop], env: { RUST_LOG: 'debug', ...env } });
    await node.start();
  };
  afterEach(() => node.process.kill());

  it('closes every connection 4200 and ends well', async () => {
    await start({});
    const clients = await Promise.all(Array.from({ length: 60 }, () => node.connect()));
    const stopping = node.stop();
    for (const client of clients) await expectClosed(client, 4200, TEXT);
    expect(await stopping).toBe(0);
    const causes = node.log.filter(({ fields }) => fields.cause === 'server_shutdown');
    expect(causes.length).toBeGreaterThan(0);
    expect(node.complaints()).toEqual([]);
  });

  it('first drains: no new connection, and the old ones go on as before', async () => {
    await start({
      SHUTDOWN_GRACE_PERIOD: '6',
      DRAIN_DELAY_MS: '1500',
      RATE_LIMITER_ENABLED: 'true',
      RATE_LIMITER_WS_MAX_REQUESTS: '1',
    });
    const client = await node.connect();
    await client.subscribe('orders');
    const stopping = node.stop();
    const path = `/app/${shop.key}?protocol=abc`;
    // Over its rate and with a bad query at that: draining is asked first.
    const answer = await eventually(async () => {
      const { answer } = await node.upgrade(path);
      expect(answer.status).toBe(503);
      return answer;
    });
    expect(answer.body).toBe('{"error":"DRAINING","code":"service_unavailable","status":503}');
    expect(answer.headers['retry-after']).toBe('1');
    const plain = await node.request({ path });
    expect([plain.status, plain.headers.upgrade?.toLowerCase()]).toEqual([426, 'websocket']);
    const probe = await node.request({ path: '/accept-traffic' });
    expect([probe.status, probe.body]).toEqual([503, 'DRAINING']);
    await node.api().publish('orders', 'tick', 'x');
    expect(await client.pending()).toEqual([published('orders', 'tick', 'x')]);
    await client.subscribe('more');
    await expectClosed(client, 4200, TEXT);
    expect(await stopping).toBe(0);
  });

  it('lets those who stay longer see the others leave', async () => {
    await start({ SHUTDOWN_GRACE_PERIOD: '6', DRAIN_DELAY_MS: '1000' });
    const [ada, bo] = [await node.connect(), await node.connect()];
    await ada.join('presence-lobby', 'ada');
    await bo.join('presence-lobby', 'bo');
    await ada.pending();
    const stopping = node.stop();
    await bo.close();
    expect(await ada.nextText()).toBe(memberRemoved('presence-lobby', 'bo'));
    await expectClosed(ada, 4200, TEXT);
    expect(await stopping).toBe(0);
  });
});
