import { expect, it, onTestFinished } from 'vitest';
import { keyOf } from '../compat/key.js';
import { RawAbly } from '../compat/raw-ably.js';
import { ClientV2 } from '../harness/client-v2.js';
import { BRIEF_LIVES, type Cluster, onCluster } from '../harness/cluster.js';
import { eventually } from '../harness/eventually.js';
import { openTenant } from '../harness/tenant.js';
import { Manage, MANAGED } from './manage.js';

const shop = openTenant('shop');
const other = openTenant('other');
const setting = {
  tenants: () => [shop, other],
  config: { compat: { enabled: true } },
  env: {
    ...BRIEF_LIVES,
    ...MANAGED,
    CLUSTER_HEALTH_NODE_TIMEOUT: '6000',
    MANAGEMENT_NODE_REPORT_INTERVAL_MS: '500',
    HISTORY_ENABLED: 'true',
    VERSIONED_MESSAGES_ENABLED: 'true',
    VERSIONED_MESSAGES_DRIVER: 'postgres',
  },
  more: ['history-writer'],
  database: true,
} as const;

type Item = Readonly<Record<string, unknown>>;

const manageOf = (cluster: Cluster): Manage => new Manage(cluster.apiNode.port);

async function ably(
  cluster: Cluster,
  index: 0 | 1,
): Promise<{ readonly client: RawAbly; readonly id: string }> {
  const client = await RawAbly.open(
    cluster.gateway(index).port,
    `key=${keyOf(shop)}&clientId=ann&agent=probe/1`,
  );
  onTestFinished(() => client.close());
  const connected = await client.next();
  return { client, id: String(connected['connectionId']) };
}

/** Waits until nothing of an earlier test is connected. */
const emptied = (manage: Manage): Promise<void> =>
  eventually(async () => {
    const { body } = await manage.get('/connections');
    expect(body).toMatchObject({ total: 0, partial: false, missing_nodes: [] });
  });

onCluster('live state of the fleet', ['redis', 'nats'], setting, (cluster) => {
  it('walk lists every connection of both gateways once and filters select exactly theirs', async () => {
    const manage = manageOf(cluster);
    await emptied(manage);
    const clients = await Promise.all(
      Array.from({ length: 60 }, (_, at) => cluster.connect(at % 2 === 0 ? 0 : 1)),
    );
    const foreign = await cluster.connect(0, other);
    const v2 = await ClientV2.connect(cluster.gateway(1), {});
    const { id } = await ably(cluster, 0);
    await clients[0]?.subscribe('orders');
    await clients[1]?.subscribe('orders');
    await clients[2]?.signin('u-9');
    const ids = [...clients.map(({ socketId }) => socketId), foreign.socketId, v2.socketId, id].sort();
    const { items, first } = await manage.walk('/connections', 7);
    expect((items as Item[]).map((one) => one['socket_id']).sort()).toEqual(ids);
    expect(first).toMatchObject({ total: ids.length, partial: false, missing_nodes: [] });
    const idsOf = async (query: string): Promise<unknown[]> => {
      const found = await manage.walk(`/connections?${query}`, 500);
      expect(found.first['total']).toBe(found.items.length);
      return (found.items as Item[]).map((one) => one['socket_id']).sort();
    };
    expect(await idsOf('app_id=other')).toEqual([foreign.socketId]);
    expect(await idsOf('protocol=v2')).toEqual([v2.socketId]);
    expect(await idsOf('protocol=ably')).toEqual([id]);
    expect(await idsOf('app_id=shop&channel=orders')).toEqual(
      [clients[0]?.socketId, clients[1]?.socketId].sort(),
    );
    expect(await idsOf('user_id=u-9')).toEqual([clients[2]?.socketId]);
    expect(await idsOf('user_id=ann')).toEqual([id]);
    expect(await idsOf('address=127.0.0.0/8')).toEqual(ids);
    expect(await idsOf('address=10.0.0.1')).toEqual([]);
    const node = String((items as Item[])[0]?.['node_id']);
    expect((await idsOf(`node_id=${node}`)).length).toBeLessThan(ids.length);
    expect((await manage.get('/connections?channel=orders')).status).toBe(400);
    expect((await manage.get('/connections?address=nowhere')).status).toBe(400);
    expect((await manage.get('/connections?cursor=bm90aGluZw')).status).toBe(400);
  }, 60_000);

  it('single connection shows its subscriptions and counts and an unknown one is 404', async () => {
    const manage = manageOf(cluster);
    const client = await cluster.connect(1);
    await client.signin('u-9', { user_info: { name: 'Ann' } });
    await client.join('presence-room', 'u-9');
    const { status, body } = await manage.get(`/apps/shop/connections/${client.socketId}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      socket_id: client.socketId,
      protocol: 'v1',
      format: 'json',
      transport: 'websocket',
      user_id: 'u-9',
      address: '127.0.0.1',
      subscription_count: 1,
      received_messages: 2,
      sent_messages: 3,
      subscriptions: [{ channel: 'presence-room', presence_user_id: 'u-9', filtered: false }],
      subscriptions_truncated: false,
      token_expires_at_ms: null,
      partial: false,
    });
    expect(Number((body['subscriptions'] as Item[])[0]?.['subscribed_at_ms'])).toBeGreaterThan(
      1_600_000_000_000,
    );
    expect((await manage.get('/apps/shop/connections/1.1')).status).toBe(404);
    expect((await manage.get('/apps/nobody/connections/1.1')).status).toBe(404);
  });

  it('channels and members are merged over gateways when both have subscribers', async () => {
    const manage = manageOf(cluster);
    const [one, two] = await cluster.both();
    const third = await cluster.connect(1);
    for (const client of [one, two]) await client.subscribe('live-a');
    await two.subscribe('live-b');
    await one.join('presence-live', 'u1', { name: 'One' });
    await two.join('presence-live', 'u1');
    await third.join('presence-live', 'u2', { name: 'Two' });
    const listed = await manage.walk('/apps/shop/channels?prefix=live-', 1);
    expect(listed.first['total']).toBe(2);
    expect(listed.items).toEqual([
      { channel: 'live-a', type: 'public', subscription_count: 2, user_count: null },
      { channel: 'live-b', type: 'public', subscription_count: 1, user_count: null },
    ]);
    const { body } = await manage.get('/apps/shop/channels/presence-live');
    expect(body).toMatchObject({ occupied: true, subscription_count: 3, user_count: 2, type: 'presence' });
    expect((body['nodes'] as Item[]).map((node) => node['subscription_count']).sort()).toEqual([1, 2]);
    const members = await manage.walk('/apps/shop/channels/presence-live/members', 1);
    expect(members.items).toMatchObject([
      { user_id: 'u1', connections: 2 },
      { user_id: 'u2', connections: 1, user_info: { name: 'Two' } },
    ]);
    expect((await manage.get('/apps/shop/channels/live-a/members')).status).toBe(400);
    expect((await manage.get('/apps/shop/channels/never')).body).toMatchObject({
      occupied: false,
      subscription_count: 0,
    });
  });

  it('disconnect closes a connection or a user on both gateways and leaves others open', async () => {
    const manage = manageOf(cluster);
    const [one, two] = await cluster.both();
    const other = await cluster.connect(0);
    for (const client of [one, two]) await client.signin('gone');
    const single = await cluster.connect(1);
    const answer = await manage.post(`/apps/shop/connections/${single.socketId}/disconnect`, {
      message: 'bye',
    });
    expect(answer).toMatchObject({ status: 200, body: { ok: true, closed: 1, partial: false } });
    expect(await single.ended()).toMatchObject({ code: 4009, reason: 'bye' });
    expect((await manage.post(`/apps/shop/connections/${single.socketId}/disconnect`)).status).toBe(404);
    expect((await manage.post('/apps/shop/users/gone/disconnect')).body).toMatchObject({
      ok: true,
      closed: 2,
    });
    for (const client of [one, two]) {
      const { code, texts } = await client.ended();
      expect(code).toBe(4009);
      expect(texts.at(-1)).toContain('"code":4009');
    }
    expect((await manage.post('/apps/shop/users/gone/disconnect')).body).toMatchObject({ closed: 0 });
    expect(await other.pending()).toEqual([]);
  });

  it('remove-user takes the connections of a user out of a channel and leaves them open', async () => {
    const manage = manageOf(cluster);
    const [one, two] = await cluster.both();
    await two.join('presence-den', 'watcher');
    await one.join('presence-den', 'u-9');
    expect(await two.nextText()).toContain('member_added');
    const { client } = await ably(cluster, 1);
    client.send({ action: 10, channel: 'presence-den', flags: 0 });
    await client.until(11);
    const gone = await manage.post('/apps/shop/channels/presence-den/remove-user', { user_id: 'u-9' });
    expect(gone.body).toMatchObject({ ok: true, removed: 1, partial: false });
    expect(JSON.parse(await one.nextText())).toMatchObject({
      event: 'pusher:subscription_error',
      channel: 'presence-den',
      data: { type: 'Removed', error: 'Removed by an operator', status: 403, code: 4009 },
    });
    expect(await two.nextText()).toContain('member_removed');
    const removed = await manage.post('/apps/shop/channels/presence-den/remove-user', { user_id: 'ann' });
    expect(removed.body).toMatchObject({ removed: 1 });
    expect(await client.until(13)).toMatchObject({ channel: 'presence-den', error: { code: 40160 } });
    await cluster.api().publish('presence-den', 'e', 'x');
    expect(await two.nextText()).toContain('"e"');
    expect(await one.pending()).toEqual([]);
    await one.subscribe('elsewhere');
  });

  it('answer names a frozen gateway as missing, its socket is 503, and it is complete once it resumes', async () => {
    const manage = manageOf(cluster);
    const [one, two] = await cluster.both();
    const before = await manage.get(`/apps/shop/connections/${two.socketId}`);
    const frozen = String(before.body['node_id']);
    const victim = cluster.gateway(1).process.child;
    victim.kill('SIGSTOP');
    try {
      const { status, body } = await manage.get('/connections?deadline_ms=500');
      expect(status).toBe(200);
      expect(body).toMatchObject({ partial: true, missing_nodes: [frozen] });
      expect((body['items'] as Item[]).map((item) => item['socket_id'])).toContain(one.socketId);
      const single = await manage.get(`/apps/shop/connections/${two.socketId}?deadline_ms=300`);
      expect(single).toMatchObject({ status: 503, body: { missing_nodes: [frozen] } });
    } finally {
      victim.kill('SIGCONT');
    }
    await eventually(async () => {
      const { body } = await manage.get('/connections');
      expect(body).toMatchObject({ partial: false, missing_nodes: [] });
      expect((body['items'] as Item[]).map((item) => item['socket_id'])).toContain(two.socketId);
    });
  }, 60_000);

  it('killed gateway is missing until it is declared dead and absent afterwards', async () => {
    const manage = manageOf(cluster);
    await cluster.gateway(1).process.kill();
    expect((await manage.get('/connections?deadline_ms=300')).body).toMatchObject({ partial: true });
    await eventually(async () => {
      const { body } = await manage.get('/connections');
      expect(body).toMatchObject({ partial: false, missing_nodes: [] });
    }, 20_000);
    await cluster.add('gateway');
  }, 60_000);
});
