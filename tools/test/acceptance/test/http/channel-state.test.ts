import { expect, it } from 'vitest';
import { expectRefused, told } from '../harness/answers.js';
import { onServerHttp, onGroup } from '../harness/every-app.js';
import type { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';

const shop = openTenant('shop', { features: { enable_watchlist_events: false } });
const list = (node: Node, query: Record<string, string> = {}) =>
  told(node.api().request('GET', '/channels', { query }));

onServerHttp('the state of channels', { tenants: [shop] }, (node) => {
  it('tells of a channel nobody ever used that it is not occupied', async () => {
    expect(await told(node.api().request('GET', '/channels/never'))).toEqual([200, { occupied: false }]);
    await expectRefused(node.api().request('GET', '/channels/a%20b'), 400, 'invalid_input');
    await expectRefused(node.api().request('GET', '/channels/%FF'), 400, 'invalid_input');
  });

  it('lists users only where all are presence channels', async () => {
    const [ada, bo] = [await node.connect(), await node.connect()];
    await ada.join('presence-desk', 'ada');
    await bo.join('presence-desk', 'bo');
    await bo.subscribe('news');
    await expectRefused(
      node.api().request('GET', '/channels', { query: { info: 'user_count' } }),
      400,
      'invalid_input',
    );
    expect(await list(node, { info: 'user_count', filter_by_prefix: 'presence-' })).toEqual([
      200,
      { channels: { 'presence-desk': { user_count: 2 } } },
    ]);
    await expectRefused(
      node.api().request('GET', '/channels/news', { query: { info: 'user_count' } }),
      400,
      'invalid_input',
    );
  });

  it('lists neither what was sent to a user nor what nobody can publish to', async () => {
    const client = await node.connect();
    await client.signin('u-17');
    await client.subscribe('news');
    client.ask('*');
    client.ask('[meta]news');
    await client.pending();
    expect(await list(node)).toEqual([200, { channels: { news: {} } }]);
  });

  it('names each member of a presence channel once', async () => {
    const [first, second] = [await node.connect(), await node.connect()];
    await first.join('presence-desk', 'ada');
    await second.join('presence-desk', 'ada');
    expect(await told(node.api().request('GET', '/channels/presence-desk/users'))).toEqual([
      200,
      { users: [{ id: 'ada' }] },
    ]);
    await expectRefused(node.api().request('GET', '/channels/news/users'), 400, 'invalid_input');
  });
});

onGroup('the state of channels over two gateways', { tenants: [shop] }, (node) => {
  it('is the sum of both, whichever is asked', async () => {
    const clients = [
      await node.connect(),
      await node.connect(shop, { gateway: 2 }),
      await node.connect(shop, { gateway: 2 }),
    ];
    for (const client of clients) await client.subscribe('x');
    expect(await node.api().channel('x', 'subscription_count')).toEqual({
      occupied: true,
      subscription_count: 3,
    });
    expect(await list(node, { info: 'subscription_count' })).toEqual([
      200,
      { channels: { x: { subscription_count: 3 } } },
    ]);
  });
});
