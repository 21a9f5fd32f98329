import { expect, it } from 'vitest';
import { PusherClient } from '../clients/libraries.js';
import { onServer } from '../harness/every-app.js';
import { signedQuery } from '../harness/signatures.js';
import { tenant } from '../harness/tenant.js';

const shop = tenant('shop');

onServer('routes of apps behind a prefix', { tenants: [shop], config: { path_prefix: '/rt/v1' } }, (node) => {
  const signed = (path: string, signedPath = path) =>
    node.request({ path: `${path}?${signedQuery(shop, 'GET', signedPath, {})}` });

  it('let a stock client in, and the signature holds with it', async () => {
    const pusher = new PusherClient(shop.key, {
      cluster: '',
      wsHost: '127.0.0.1',
      wsPort: node.port,
      wsPath: '/rt/v1',
      forceTLS: false,
      disableStats: true,
    });
    await new Promise((subscribed) =>
      pusher.subscribe('orders').bind('pusher:subscription_succeeded', subscribed),
    );
    const { status, body } = await signed('/rt/v1/apps/shop/channels');
    expect([status, body]).toEqual([200, '{"channels":{"orders":{}}}']);
    expect((await signed('/rt/v1/apps/shop/channels', '/apps/shop/channels')).status).toBe(401);
    pusher.disconnect();
  });

  it('are not where they would be without, and probes are', async () => {
    const paths = ['/apps/shop/channels', `/app/${shop.key}`, '/live', '/up/shop'];
    const statuses = await Promise.all(paths.map(async (path) => (await node.request({ path })).status));
    expect(statuses).toEqual([404, 404, 200, 200]);
  });
});
