import { expect, it } from 'vitest';
import { expectRefused, told } from '../harness/answers.js';
import { onServerHttp, onGroup } from '../harness/every-app.js';
import type { Node } from '../harness/node.js';
import { expectClosed } from '../harness/refusals.js';
import { openTenant } from '../harness/tenant.js';

const shop = openTenant('shop', { features: { enable_watchlist_events: false } });
const revoke = (node: Node, about: object) =>
  node.api().request('POST', '/revocations', { body: JSON.stringify(about) });

onGroup('a user with connections on two gateways', { tenants: [shop] }, (node) => {
  it.each([
    ['terminate_connections', 4009],
    ['force_reconnect', 4200],
  ] as const)('loses both by %s', async (action, code) => {
    const both = [await node.connect(), await node.connect(shop, { gateway: 2 })];
    const spared = await node.connect(shop, { gateway: 2 });
    for (const client of both) await client.signin('u-9');
    await spared.signin('u-10');
    expect(await node.api().user('u-9', action)).toEqual({ ok: true });
    for (const client of both) await expectClosed(client, code);
    expect(await spared.pending()).toEqual([]);
    expect(await node.api().user('nobody', action)).toEqual({ ok: true });
  });
});

onServerHttp('a revocation', { tenants: [shop] }, (node) => {
  it('names a token or a client', async () => {
    await expectRefused(revoke(node, { ttl_seconds: 5 }), 400, 'invalid_input');
    await expectRefused(revoke(node, { jti: null, client_id: null }), 400, 'invalid_input');
    await expectRefused(revoke(node, { jti: '' }), 400, 'invalid_input');
    await expectRefused(revoke(node, { client_id: 'x'.repeat(129) }), 400, 'invalid_input');
  });

  it('says what it wrote, and closes nobody who came in without a token', async () => {
    const client = await node.connect();
    await client.signin('u-9');
    expect(await told(revoke(node, { jti: 'tok-1', client_id: 'u-9', reason: 'left' }))).toEqual([
      200,
      { revoked_jti: true, revoked_client_id: true, closed_connections: 0 },
    ]);
    expect(await told(revoke(node, { jti: 'tok-1', expires_at: 1 }))).toEqual([
      200,
      { revoked_jti: true, revoked_client_id: false, closed_connections: 0 },
    ]);
    expect(await client.pending()).toEqual([]);
  });

  it('is told to every process by whichever is asked, and spares who only signed in', async () => {
    const clients = [await node.connect(), await node.connect(shop, { gateway: 2 })];
    for (const client of clients) await client.signin('u-9');
    const body = JSON.stringify({ client_id: 'u-9', ttl_seconds: 1 });
    for (const port of [node.port, node.apiPort]) {
      const answer = told(node.apiAt(port).request('POST', '/revocations', { body }));
      expect(await answer).toEqual([
        200,
        { revoked_jti: false, revoked_client_id: true, closed_connections: 0 },
      ]);
    }
    for (const client of clients) expect(await client.pending()).toEqual([]);
  });
});
