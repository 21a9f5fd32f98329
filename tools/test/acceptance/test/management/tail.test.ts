import { createHash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { BRIEF_LIVES, type Cluster, onCluster } from '../harness/cluster.js';
import { eventually } from '../harness/eventually.js';
import { openTenant } from '../harness/tenant.js';
import { Manage, MANAGED } from './manage.js';

const shop = openTenant('shop');
const LIMITED = `cmt_${randomBytes(32).toString('base64url')}`;
const other = openTenant('other');
const setting = {
  tenants: () => [shop, other],
  config: {
    management: {
      tokens: [
        {
          name: 'limited',
          token_hash: createHash('sha256').update(LIMITED).digest('hex'),
          scopes: ['read'],
          apps: ['other'],
        },
      ],
    },
  },
  env: { ...BRIEF_LIVES, ...MANAGED, MANAGEMENT_NODE_REPORT_INTERVAL_MS: '500' },
} as const;

type Fields = Readonly<Record<string, unknown>>;

const manageOf = (cluster: Cluster): Manage => new Manage(cluster.apiNode.port);

onCluster('tails and nodes', ['redis', 'nats'], setting, (cluster) => {
  it('channel tail shows every accepted message once in order and the recipients of each gateway', async () => {
    const manage = manageOf(cluster);
    const clients = [await cluster.connect(0), await cluster.connect(1), await cluster.connect(1)];
    for (const client of clients) await client.subscribe('orders');
    const tail = await manage.tail('shop', 'channel=orders&max_events_per_second=1000');
    expect(tail.events[0]).toMatchObject({
      event: 'open',
      data: { app_id: 'shop', target: { channel: 'orders' }, sample: 1, payload: 'full', missing_nodes: [] },
    });
    expect(tail.events[0]?.data['nodes']).toHaveLength(2);
    const apis = [
      cluster.api(),
      cluster.gateway(0).apiAt(cluster.gateway(0).port),
      cluster.gateway(1).apiAt(cluster.gateway(1).port),
    ];
    const recipients = (): number =>
      tail.of('message', 'out').reduce((sum, one) => sum + Number(one['recipients']), 0);
    // In rounds, since a reader that is slower than its publishers gets gaps.
    for (let end = 10; end <= 100; end += 10) {
      await Promise.all(
        apis.map(async (api, publisher) => {
          for (let at = end - 10; at < end; at += 1) await api.publish('orders', `p${publisher}`, String(at));
        }),
      );
      await tail.until(() => tail.of('message', 'in').length === 3 * end && recipients() === 9 * end);
    }
    for (const publisher of [0, 1, 2]) {
      const own = tail.of('message', 'in').filter(({ event }) => event === `p${publisher}`);
      expect(own.map(({ data }) => data)).toEqual(Array.from({ length: 100 }, (_, at) => String(at)));
    }
    expect(tail.of('message', 'in')[0]).toMatchObject({
      channel: 'orders',
      origin: 'http',
      socket_id: null,
      user_id: null,
      bytes: 1,
      data_truncated: false,
    });
    const ids = tail.events.filter(({ event }) => event === 'trace').map(({ id }) => Number(id));
    expect(ids).toEqual(ids.map((_, at) => at + 1));
    expect(tail.dropped).toBe(0);
  }, 60_000);

  it('channel tail without subscribers shows accepted messages and limits them with gaps', async () => {
    const manage = manageOf(cluster);
    const tail = await manage.tail('shop', 'channel=silent&max_events_per_second=50&payload=none');
    const api = cluster.api();
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let at = 0; at < 100; at += 1) await api.publish('silent', 'e', 'secret-data');
      }),
    );
    await tail.until(() => tail.traces.length + tail.dropped === 600, 30_000);
    expect(tail.text).not.toContain('secret-data');
    expect(tail.traces[0]).toMatchObject({ kind: 'message', direction: 'in', bytes: 11 });
    expect(tail.traces[0]).not.toHaveProperty('data');
  }, 60_000);

  it('connection tail shows what happens to the connection in order and never an auth value', async () => {
    const manage = manageOf(cluster);
    const client = await cluster.connect(1);
    const tail = await manage.tail('shop', `socket_id=${client.socketId}`);
    await client.subscribe('private-a');
    client.ask('private-b', { auth: 'wrong:d0bed0be' });
    for (const event of ['pusher:error', 'pusher:subscription_error'])
      expect(await client.nextText()).toContain(event);
    client.send({ event: 'client-hello', channel: 'private-a', data: { text: 'hi' } });
    await tail.until(() => tail.of('message', 'in').length === 1);
    await cluster.api().publish('private-a', 'news', 'x');
    expect(await client.nextText()).toContain('news');
    await tail.until(() => tail.of('message', 'out').length === 1);
    await client.close();
    await tail.until(() => tail.of('disconnect').length === 1);
    const seen = tail.traces
      .filter(({ kind }) => kind !== 'frame')
      .map(({ kind, direction }) => `${String(kind)} ${String(direction)}`);
    expect(seen).toEqual([
      'subscribe in',
      'error out',
      'subscribe in',
      'message in',
      'message out',
      'disconnect out',
    ]);
    expect(tail.of('subscribe')[1]).toMatchObject({ channel: 'private-b', result: 'refused' });
    expect(tail.of('message', 'in')[0]).toMatchObject({
      channel: 'private-a',
      event: 'client-hello',
      origin: 'client',
      socket_id: client.socketId,
      data: '{"text":"hi"}',
    });
    expect(tail.text).not.toContain('d0bed0be');
    expect(tail.text).not.toContain(shop.secret);
    expect(tail.text).not.toContain(shop.key);
  }, 60_000);

  it('user tail includes later connections and presence of their channels', async () => {
    const manage = manageOf(cluster);
    const tail = await manage.tail('shop', 'user_id=u-7');
    const [one, two] = await cluster.both();
    await one.signin('u-7');
    await one.join('presence-hall', 'u-7');
    await two.join('presence-hall', 'guest');
    await tail.until(() => tail.of('presence').length === 1);
    expect(tail.of('presence')[0]).toMatchObject({
      channel: 'presence-hall',
      action: 'added',
      user_id: 'guest',
    });
    expect(tail.of('subscribe')[0]).toMatchObject({ channel: 'presence-hall', user_id: 'u-7', result: 'ok' });
  }, 60_000);

  it('tail ends with time, refuses a fifth of a principal and an unknown connection is 404', async () => {
    const manage = manageOf(cluster);
    const brief = await manage.tail('shop', 'seconds=2');
    expect(brief.events[0]?.data).toMatchObject({ sample: 100, target: {} });
    await brief.until(() =>
      brief.events.some(({ event, data }) => event === 'end' && data['reason'] === 'time'),
    );
    await brief.until(() => brief.isOver);
    const four = await Promise.all(Array.from({ length: 4 }, () => manage.tail('shop', 'channel=x')));
    expect((await manage.get('/apps/shop/tail?channel=x')).status).toBe(429);
    for (const tail of four) tail.close();
    await eventually(async () => {
      const again = await manage.tail('shop', 'channel=x');
      again.close();
    });
    expect((await manage.get('/apps/shop/tail?socket_id=1.1')).status).toBe(404);
    expect((await manage.get('/apps/shop/tail?channel=x&user_id=y')).status).toBe(400);
    expect((await manage.get('/apps/shop/tail?seconds=0')).status).toBe(400);
  }, 60_000);

  it('token of another app sees neither connections nor tails nor nodes', async () => {
    const limited = new Manage(cluster.apiNode.port, LIMITED);
    await cluster.connect(0);
    expect((await limited.get('/connections')).body).toMatchObject({ items: [], total: 0 });
    expect((await limited.get('/connections?app_id=shop')).body).toMatchObject({ items: [], total: 0 });
    const foreign = await limited.get('/apps/shop/tail?channel=x');
    const unknown = await limited.get('/apps/nobody/tail?channel=x');
    expect(foreign).toEqual(unknown);
    expect(foreign.status).toBe(404);
    expect((await limited.get('/nodes')).status).toBe(403);
    const { body } = await limited.get('/series?name=connections');
    expect((body['series'] as Fields)['connections']).toHaveLength(90);
  });

  it('nodes and dependencies list every process and a stopped process disappears', async () => {
    const manage = manageOf(cluster);
    const rolesOf = async (): Promise<unknown[]> => {
      const { items } = await manage.walk('/nodes', 2);
      return (items as Fields[]).map(({ role }) => role).sort();
    };
    await eventually(async () => expect(await rolesOf()).toEqual(['api', 'gateway', 'gateway']));
    const { items } = await manage.walk('/nodes', 500);
    const gateway = (items as Fields[]).find(({ role }) => role === 'gateway');
    expect(gateway).toMatchObject({ state: 'ready', version: expect.any(String), cpu: expect.any(Number) });
    expect((await manage.get(`/nodes/${String(gateway?.['node_id'])}`)).status).toBe(200);
    expect((await manage.get('/nodes/none')).status).toBe(404);
    const dependencies = await manage.walk('/dependencies', 500);
    expect(dependencies.items).toContainEqual(
      expect.objectContaining({ name: 'adapter', state: 'up', error: null }),
    );
    const more = await cluster.add('gateway');
    await eventually(async () => expect(await rolesOf()).toHaveLength(4));
    await more.stop();
    await eventually(async () => expect(await rolesOf()).toHaveLength(3));
  }, 60_000);

  it('hundred publishes add hundred to messages_in of the series', async () => {
    const manage = manageOf(cluster);
    const sum = async (): Promise<number> => {
      const { body } = await manage.get('/series?name=messages_in&app_id=other');
      expect(body).toMatchObject({ step_ms: 10_000, partial: false });
      const values = (body['series'] as Record<string, (number | null)[]>)['messages_in'] ?? [];
      return values.reduce<number>((total, value) => total + (value ?? 0), 0);
    };
    // No other test publishes in this app.
    expect(await sum()).toBe(0);
    const api = cluster.api(0, other);
    for (let at = 0; at < 100; at += 1) await api.publish('counted', 'e', 'x');
    await eventually(async () => expect(await sum()).toBe(100), 60_000);
  }, 120_000);
});
