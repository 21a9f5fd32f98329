import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster } from '../harness/cluster.js';
import { eventually } from '../harness/eventually.js';
import { appsInPostgres, managementSection, Operator, tokenRow } from '../harness/management.js';
import type { Node } from '../harness/node.js';
import { channelAuth, tokenFor } from '../harness/signatures.js';
import { openTenant, type Tenant } from '../harness/tenant.js';

/** Requests of each stream of traffic after the event of a test. */
const REQUESTS_AFTER = 40;

const publish = async (node: Node, tenant: Tenant): Promise<number> => {
  const body = JSON.stringify({ name: 'e', channel: 'c', data: 'x' });
  return (await node.apiAt(node.port, tenant).request('POST', '/events', { body })).status;
};

describe('a rotation of the secret under traffic on two gateways and two api processes', () => {
  let store: Awaited<ReturnType<typeof appsInPostgres>>;
  let cluster: Cluster;
  let nodes: readonly Node[] = [];
  const ops = new Operator(() => cluster.apiNode.port, 'ops');

  beforeAll(async () => {
    store = await appsInPostgres();
    cluster = new Cluster('nats', {
      tenants: () => [openTenant('configured')],
      env: store.env,
      config: { management: managementSection([tokenRow('ops', ['read', 'write', 'admin'])]) },
    });
    await cluster.start();
    const second = await cluster.add('api');
    nodes = [...cluster.gateways, cluster.apiNode, second];
  });
  afterAll(async () => {
    await cluster.stop();
    await store.end();
  });

  async function createApp(): Promise<Tenant> {
    const body = { policy: { features: { enable_client_messages: true } } };
    const { json } = await ops.must(201, 'POST', '/apps', { body });
    const { id, key, secret } = json as { id: string; key: string; secret: string };
    return { id, key, secret, enabled: true, policy: {} };
  }

  async function rotate({ id }: Tenant, body: object = {}): Promise<string> {
    return String((await ops.must(200, 'POST', `/apps/${id}/rotate-secret`, { body })).json['secret']);
  }

  /** Publishes on every process until ended; tells every status but 200. */
  function traffic(tenant: () => Tenant) {
    const refused: number[] = [];
    const over = new AbortController();
    let sent = 0;
    const streams = nodes.map(async (node) => {
      while (!over.signal.aborted) {
        const status = await publish(node, tenant());
        sent += 1;
        if (status !== 200) refused.push(status);
      }
    });
    return {
      refused,
      more: (count: number, from = sent) =>
        eventually(() => expect(sent).toBeGreaterThan(from + count), 30_000),
      end: async () => {
        over.abort();
        await Promise.all(streams);
      },
    };
  }

  it('refuses no request that is signed with the old secret in its grace, or with the new one', async () => {
    const before = await createApp();
    for (const node of nodes) await eventually(async () => expect(await publish(node, before)).toBe(200));
    const old = traffic(() => before);
    await old.more(REQUESTS_AFTER);
    const after = { ...before, secret: await rotate(before) };
    const renewed = traffic(() => after);
    await renewed.more(4 * REQUESTS_AFTER);
    await old.more(REQUESTS_AFTER);
    await Promise.all([old.end(), renewed.end()]);
    expect([old.refused, renewed.refused]).toEqual([[], []]);

    expect((await ops.request('POST', `/apps/${before.id}/rotate-secret`)).status).toBe(409);
    await ops.must(200, 'POST', `/apps/${before.id}/expire-previous-secret`);
    for (const node of nodes) {
      await eventually(async () => expect(await publish(node, before)).toBe(401), 2000);
      expect(await publish(node, after)).toBe(200);
    }
  });

  it('accepts both secrets for channel authentication and capability tokens, on every process immediately', async () => {
    const before = await createApp();
    const clients = await Promise.all(cluster.gateways.map((gateway) => gateway.connect(before)));
    const after = { ...before, secret: await rotate(before) };
    for (const client of clients) {
      for (const [index, tenant] of [after, before].entries()) {
        const channel = `private-${index}`;
        await client.subscribe(channel, { auth: channelAuth(tenant, client.socketId, channel) });
      }
    }
    for (const gateway of cluster.gateways) {
      for (const tenant of [after, before]) {
        const token = tokenFor(tenant, 'u', { '*': ['subscribe'] });
        const raw = await gateway.upgrade(`/app/${tenant.key}?protocol=2&token=${token}`);
        expect((await raw.next()).payload.toString()).toContain('connection_established');
        raw.destroy();
      }
    }
  });

  it('ends the old secret within 2 s when there is no grace', async () => {
    const before = await createApp();
    const after = { ...before, secret: await rotate(before, { grace_seconds: 0 }) };
    for (const node of nodes) expect(await publish(node, after)).toBe(200);
    for (const node of nodes)
      await eventually(async () => expect(await publish(node, before)).toBe(401), 2000);
  });

  it('disables, enables and deletes an app on every process within 2 s', async () => {
    const tenant = await createApp();
    const clients = await Promise.all(cluster.gateways.map((gateway) => gateway.connect(tenant)));
    const everywhere = async (status: number): Promise<void> => {
      for (const node of nodes)
        await eventually(async () => expect(await publish(node, tenant)).toBe(status), 2000);
    };
    await everywhere(200);
    await ops.must(200, 'POST', `/apps/${tenant.id}/disable`);
    await everywhere(403);
    for (const client of clients) expect((await client.ended()).code).toBe(4003);
    await ops.must(200, 'POST', `/apps/${tenant.id}/enable`);
    await everywhere(200);
    await ops.must(200, 'POST', `/apps/${tenant.id}/disable`);
    await ops.must(204, 'DELETE', `/apps/${tenant.id}?confirm=${tenant.id}`);
    await everywhere(401);
  });
});
