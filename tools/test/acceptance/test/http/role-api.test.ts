import { expect, it } from 'vitest';
import { expectRefused, told } from '../harness/answers.js';
import { onGroup } from '../harness/every-app.js';
import { published } from '../harness/frames.js';
import { tenant } from '../harness/tenant.js';

onGroup('an api node', { tenants: [tenant('shop')] }, (node) => {
  it('has none of the routes about live sockets', async () => {
    const api = node.apiAt(node.apiPort);
    for (const path of ['/channels', '/channels/a', '/channels/presence-a/users']) {
      await expectRefused(api.request('GET', path), 404, 'not_found', 'no such route');
    }
    for (const action of ['terminate_connections', 'force_reconnect']) {
      await expectRefused(api.request('POST', `/users/u/${action}`, { body: '{}' }), 404, 'not_found');
    }
    const upgrade = await node.upgrade(`/app/${node.tenant.key}?protocol=7`, {}, node.apiPort);
    expect(upgrade.answer.status).toBe(404);
    upgrade.destroy();
  });

  it.each(['user_count', 'subscription_count', 'cache,subscription_count'])(
    'does not tell %s with a publish, which then is none',
    async (info) => {
      const client = await node.connect();
      await client.subscribe('a');
      const body = JSON.stringify({ name: 'e', channel: 'a', info });
      await expectRefused(node.api().request('POST', '/events', { body }), 400, 'invalid_input');
      expect(await client.pending()).toEqual([]);
    },
  );

  it('publishes to the sockets of the gateways', async () => {
    const clients = [await node.connect(), await node.connect(node.tenant, { gateway: 2 })];
    for (const client of clients) await client.subscribe('a');
    const body = JSON.stringify({ batch: [{ name: 'e', channel: 'a', data: 'x' }] });
    expect(await told(node.api().request('POST', '/batch_events', { body }))).toEqual([200, {}]);
    for (const client of clients) expect(await client.pending()).toEqual([published('a', 'e', 'x')]);
  });
});
