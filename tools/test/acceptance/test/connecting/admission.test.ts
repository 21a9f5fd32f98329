import { expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { eventually } from '../harness/eventually.js';
import { expectClosed } from '../harness/refusals.js';
import { tenant } from '../harness/tenant.js';

const shop = tenant('shop');
const closed = tenant('closed', { channels: { allowed_origins: ['https://shop.example.com'] } }, false);
const single = tenant('single', { limits: { max_connections: 1 } });
const triple = tenant('triple', { limits: { max_connections: 3 } });
const picky = tenant('picky', {
  limits: { max_connections: 1 },
  channels: { allowed_origins: ['https://shop.example.com'] },
});
const nobody = tenant('nobody');

onServer('a connection', { tenants: [shop, closed, single, triple, picky] }, (node) => {
  it('with an unknown key is closed 4001', async () => {
    await expectClosed(await node.socket(nobody), 4001, 'Application does not exist');
    const metrics = await node.metrics();
    expect(metrics.value('connection_errors_total', { error_type: 'app_not_found' })).toBe(1);
  });

  it('to a disabled app is closed 4003, before its origin is looked at', async () => {
    await expectClosed(await node.socket(closed), 4003, 'Application disabled');
    const metrics = await node.metrics();
    expect(metrics.value('connection_errors_total', { error_type: 'app_disabled' })).toBe(1);
  });

  it('over the quota of its app is closed 4004, until another has left', async () => {
    const first = await node.connect(single);
    await expectClosed(await node.socket(single), 4004, 'Application is over connection quota');
    expect(await first.pending()).toEqual([]);
    await first.close();
    await eventually(() => node.connect(single));
    const metrics = await node.metrics();
    const labels = { app_id: 'single', error_type: 'over_quota' };
    expect(metrics.value('connection_errors_total', labels)).toBeGreaterThanOrEqual(1);
  });

  it('takes a slot of the quota at once: of many at the same moment exactly so many succeed', async () => {
    const sockets = await Promise.all(Array.from({ length: 9 }, () => node.socket(triple)));
    const events = await Promise.all(sockets.map(async (socket) => (await socket.next()).event));
    expect(events.filter((event) => event === 'pusher:connection_established')).toHaveLength(3);
    expect(events.filter((event) => event === 'pusher:error')).toHaveLength(6);
  });

  it('is asked for its origin before its slot', async () => {
    const origin = { headers: { Origin: 'https://shop.example.com' } };
    await node.connect(picky, origin);
    await expectClosed(await node.socket(picky), 4009, 'Origin not allowed');
    await expectClosed(await node.socket(picky, origin), 4004);
  });

  it.each(['token=eyJhbGciOiJIUzI1NiJ9.e30.AAAA', 'token=x', 'token=x&token=y'])(
    'with the query %s is closed 4009: tokens need protocol 2',
    async (query) => {
      await expectClosed(await node.socket(shop, { query: `protocol=7&${query}` }), 4009);
    },
  );

  it('is asked for its app, its origin and its slot before its token', async () => {
    const query = 'protocol=7&token=x';
    await expectClosed(await node.socket(nobody, { query }), 4001);
    await expectClosed(await node.socket(closed, { query }), 4003);
    await expectClosed(await node.socket(picky, { query }), 4009, 'Origin not allowed');
  });

  it('refused for its token gives its slot back', async () => {
    const freed = await eventually(() => node.connect(single));
    await freed.close();
    await eventually(async () => {
      await expectClosed(await node.socket(single, { query: 'protocol=7&token=x' }), 4009);
    });
    await eventually(() => node.connect(single));
  });
});

onServer(
  'a full node',
  { tenants: [shop, closed, single], env: { SERVICE_MAX_CONNECTIONS: '2' } },
  (node) => {
    it('closes 4100 whoever may come in otherwise, before the quota of the app', async () => {
      const first = await node.connect(single);
      await node.connect(shop);
      await expectClosed(await node.socket(shop), 4100, 'Over capacity');
      await expectClosed(await node.socket(single), 4100, 'Over capacity');
      await expectClosed(await node.socket(nobody), 4001);
      await expectClosed(await node.socket(closed), 4003);
      const metrics = await node.metrics();
      const labels = { app_id: 'shop', error_type: 'over_capacity' };
      expect(metrics.value('connection_errors_total', labels)).toBe(1);
      await first.close();
      await eventually(() => node.connect(shop));
    });
  },
);
