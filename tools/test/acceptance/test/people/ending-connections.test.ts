import { expect, it } from 'vitest';
import type { Client } from '../harness/client.js';
import { onServer } from '../harness/every-app.js';
import { memberRemoved } from '../harness/frames.js';
import { expectClosed } from '../harness/refusals.js';
import { openTenant } from '../harness/tenant.js';

const shop = openTenant('shop', { features: { enable_watchlist_events: false } });
const other = openTenant('other');

onServer('ending the connections of a user', { tenants: [shop, other] }, (node) => {
  const connectAs = async (user: string, app = shop): Promise<Client> => {
    const client = await node.connect(app);
    await client.signin(user);
    return client;
  };

  it.each([
    ['terminate_connections', 4009, 'You got disconnected by the app.'],
    ['force_reconnect', 4200, 'Force reconnect requested by the app.'],
  ] as const)('by %s closes every connection signed in as the user with %i', async (action, code, text) => {
    const user = 'u:9/ä';
    const [first, second] = [await connectAs(user), await connectAs(user)];
    const spared = [await connectAs('u-9'), await connectAs(user, other), await node.connect()];
    const member = await node.connect();
    await member.join('presence-lobby', user);
    expect(await node.api().user(user, action)).toEqual({ ok: true });
    await expectClosed(first, code, text);
    await expectClosed(second, code, text);
    for (const client of [...spared, member]) expect(await client.pending()).toEqual([]);
    // The user is not banned.
    await connectAs(user);
  });

  it.each(['terminate_connections', 'force_reconnect'] as const)(
    'by %s is fine when there is none',
    async (action) => {
      expect(await node.api().user('nobody', action)).toEqual({ ok: true });
    },
  );

  it('makes them leave their channels as any other end does', async () => {
    const [ada, bo] = [await connectAs('u-17'), await node.connect()];
    await ada.join('presence-desk', 'ada');
    await ada.subscribe('orders');
    await bo.join('presence-desk', 'bo');
    await node.api().user('u-17', 'terminate_connections');
    expect(await bo.nextText()).toBe(memberRemoved('presence-desk', 'ada'));
    expect(await node.api().channel('orders')).toEqual({ occupied: false });
  });

  it('answers no method but POST and nobody without a signature', async () => {
    expect((await node.api().request('GET', '/users/u-17/terminate_connections')).status).toBe(405);
    const path = `/apps/${shop.id}/users/u-17/terminate_connections`;
    expect((await node.request({ method: 'POST', path, body: '{}' })).status).toBe(401);
  });
});
