import { expect, it, onTestFinished } from 'vitest';
import { BRIEF_LIVES, type Cluster, onCluster } from '../harness/cluster.js';
import { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';

const setting = { tenants: () => [openTenant('shop')], env: BRIEF_LIVES };

/** Responses and counts of a process that runs beside the gateways of the cluster. */
async function observed(cluster: Cluster, app: 'api' | 'server'): Promise<unknown> {
  const { tenant } = cluster;
  const node = new Node(app, { tenants: [tenant], env: { ...cluster.env, SERVICE_SERVER_ROLE: 'api' } });
  await node.start();
  onTestFinished(async () => void (await node.process.kill()));
  const client = await cluster.connect(0);
  await client.subscribe('orders');
  const api = node.apiAt(node.port);
  await api.publish('orders', 'paid', { by: app });
  expect(await client.next()).toMatchObject({ event: 'paid', channel: 'orders' });
  const upgrade = await node.upgrade(`/app/${tenant.key}?protocol=7`);
  upgrade.destroy();
  const metrics = await node.metrics();
  const seen = {
    upgrade: upgrade.answer.status,
    channels: (await api.request('GET', '/channels')).status,
    userCount: (await api.request('POST', '/events', { body: withInfo })).status,
    nodes: metrics.value('cluster_nodes'),
    peers: (await cluster.gateway(0).metrics()).value('cluster_nodes'),
  };
  await client.close();
  expect(await node.stop()).toBe(0);
  expect(node.complaints()).toEqual([]);
  return seen;
}

const withInfo = JSON.stringify({ name: 'e', channel: 'orders', data: 'x', info: 'subscription_count' });

onCluster('the role of an api node', ['redis', 'nats'], setting, (cluster) => {
  it('server composes the api process when server_role is api', async () => {
    const api = await observed(cluster, 'api');
    expect(api).toMatchObject({ upgrade: 404, channels: 404, userCount: 400, peers: 2 });
    expect(await observed(cluster, 'server')).toEqual(api);
  }, 120_000);
});
