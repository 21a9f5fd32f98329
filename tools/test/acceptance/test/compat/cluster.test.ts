import type * as Ably from 'ably';
import { afterEach, expect, it } from 'vitest';
import { Inbox } from '../clients/inbox.js';
import { onCluster } from '../harness/cluster.js';
import { eventually } from '../harness/eventually.js';
import { OnePort } from '../harness/one-port.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients, cut, frame, heard, post } from './ably.js';
import { moveOn, remain, sayAgain } from './elsewhere.js';
import { loseWhileLetIn } from './gap.js';
import { basicOf, tokenRequest } from './key.js';

const shop = openTenant('shop', { history: { enabled: true }, channels: { annotations_enabled: true } });
const KEY = { key: 'shop.rev', secret: 'rev0kable' };
const setting = {
  tenants: () => [shop],
  config: {
    compat: {
      enabled: true,
      keys: [{ app_id: 'shop', key_name: KEY.key, secret: KEY.secret, revocable_tokens: true }],
    },
  },
  // A lease that outlasts every test: who leaves has left at once.
  env: {
    HISTORY_ENABLED: 'true',
    VERSIONED_MESSAGES_ENABLED: 'true',
    VERSIONED_MESSAGES_DRIVER: 'postgres',
    ANNOTATIONS_ENABLED: 'true',
    PRESENCE_V2_UNGRACEFUL_TIMEOUT_SECONDS: '600',
  },
  more: ['history-writer'],
  database: true,
} as const;

const ask = (port: number, path: string, authorization = basicOf(shop)): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } });

onCluster('clients of Ably at two gateways', ['nats'], setting, (cluster) => {
  const at = (index: 0 | 1): AblyClients =>
    new AblyClients(
      {
        get port() {
          return cluster.gateway(index).port;
        },
      },
      shop,
    );
  const here = at(0);
  const there = at(1);
  afterEach(() => [here, there].forEach((clients) => clients.close()));

  /** A member that has a channel through a port, who is watched, and what both are told from then on. */
  async function eve(name: string, port: number) {
    const told = new Inbox<Ably.PresenceMessage>();
    const watching = here.connect().channels.get(name);
    await watching.presence.subscribe(told.put);
    const client = here.connect({ port, clientId: 'eve', disconnectedRetryTimeout: 100 });
    const channel = client.channels.get(name);
    const inbox = await heard(channel);
    await channel.presence.enter('x');
    expect(await told.take()).toMatchObject({ action: 'enter', clientId: 'eve' });
    const changes = new Inbox<Ably.ChannelStateChange>();
    channel.on(['attached', 'update'], changes.put);
    return { watching, told, client, channel, inbox, changes, id: client.connection.id };
  }

  // First of all: until now neither had as many by itself.
  it('are counted together in statistics: a peak is what both have at once', async () => {
    const all = [here, there, there].map((clients) => clients.connect());
    for (const client of all) await client.connection.whenState('connected');
    await eventually(async () => {
      // A minute may just have begun, of which neither has told yet.
      for (const { port } of cluster.gateways) await ask(port, '/channels/a');
      const answer = await ask(cluster.apiNode.port, '/stats?unit=month');
      const [month] = (await answer.json()) as [{ entries: Record<string, number> }?];
      expect(month?.entries['connections.all.peak']).toBeGreaterThanOrEqual(all.length);
    });
  });

  it('hear what is published at either and at the api node, in one order', async () => {
    const name = 'news';
    const [one, two] = [here.connect().channels.get(name), there.connect().channels.get(name)];
    const inboxes = [await heard(one), await heard(two)];
    await one.publish('n', '1');
    await two.publish('n', '2');
    await post(cluster.apiNode.port, `/channels/${name}/messages`, { name: 'n', data: '3' }, basicOf(shop));
    for (const inbox of inboxes) {
      for (const data of ['1', '2', '3']) expect((await inbox.take()).data).toBe(data);
      expect(inbox.rest).toEqual([]);
    }
  });

  it('see members of both, and are counted together', async () => {
    const name = 'room';
    const [ada, bob] = [here.connect({ clientId: 'ada' }), there.connect({ clientId: 'bob' })];
    const told = new Inbox<Ably.PresenceMessage>();
    const room = ada.channels.get(name);
    await room.presence.subscribe(['enter', 'update', 'leave'], told.put);
    await room.presence.enter('a');
    expect(await told.take()).toMatchObject({ action: 'enter', clientId: 'ada', data: 'a' });
    const other = bob.channels.get(name);
    // Of a member of the other gateway it is told as it attaches.
    expect((await other.presence.get()).map(({ clientId, data }) => [clientId, data])).toEqual([
      ['ada', 'a'],
    ]);
    await other.presence.enter('b');
    expect(await told.take()).toMatchObject({
      action: 'enter',
      clientId: 'bob',
      connectionId: bob.connection.id,
    });
    await other.presence.update('c');
    expect(await told.take()).toMatchObject({ action: 'update', clientId: 'bob', data: 'c' });
    for (const { port } of cluster.gateways) {
      // A gateway that is too busy to answer at once is not waited for.
      await eventually(async () => {
        const answer = await ask(port, `/channels/${name}`);
        const { status } = (await answer.json()) as Ably.ChannelDetails;
        expect(status.occupancy.metrics).toMatchObject({ connections: 2, presenceMembers: 2 });
      });
    }
    bob.close();
    expect(await told.take()).toMatchObject({ action: 'leave', clientId: 'bob', data: 'c' });
    expect(told.rest).toEqual([]);
  });

  it('go on at the other one where they were cut, nothing lost or doubled, and their members stay', async () => {
    const name = 'cut';
    const targets = [cluster.gateway(0).port];
    const front = new OnePort(targets);
    const port = await front.listen();
    try {
      const { watching, told, client, channel, inbox, changes, id } = await eve(name, port);
      targets[0] = cluster.gateway(1).port;
      const isCut = client.connection.once('disconnected');
      cut(client);
      await isCut;
      for (const data of ['1', '2', '3']) await watching.publish('missed', data);
      for (const data of ['1', '2', '3']) expect((await inbox.take()).data).toBe(data);
      expect((await changes.take()).resumed).toBe(true);
      expect(client.connection.id).toBe(id);
      await channel.presence.update('y');
      expect(await told.take()).toMatchObject({
        action: 'update',
        clientId: 'eve',
        connectionId: id,
        data: 'y',
      });
      await watching.publish('after', '4');
      expect((await inbox.take()).data).toBe('4');
      expect((await channel.presence.get()).map(({ clientId }) => clientId)).toEqual(['eve']);
      client.close();
      expect(await told.take()).toMatchObject({ action: 'leave', clientId: 'eve' });
      expect([inbox.rest, told.rest, changes.rest]).toEqual([[], [], []]);
    } finally {
      front.close();
    }
  });

  it('leave their old sockets with their members, though these still look open', () => moveOn(here, there));

  it('are answered at the other what they were answered at the first, and nothing is done twice (case 40)', () =>
    sayAgain(here, there));

  it('stay members where they remain present, also by the other gateway, or leave once (18.3)', () =>
    remain(here, there, [cluster.gateway(0).port, cluster.gateway(1).port]));

  it('find at the api node everything but what sockets are asked for (case 53)', async () => {
    const { apiNode } = cluster;
    const get = (path: string): Promise<Response> => ask(apiNode.port, path);
    for (const path of ['/channels/x', '/channels/x/presence', '/presence?channels=x']) {
      const answer = await get(path);
      expect([path, answer.status, answer.headers.get('x-ably-errorcode')]).toEqual([path, 404, '40400']);
    }
    const upgraded = await apiNode.upgrade(`/?key=${shop.key}:${shop.secret}`, {});
    expect(upgraded.answer.status).toBe(404);
    const client = new AblyClients(apiNode, shop).rest();
    const channel = client.channels.get('api-alone');
    await channel.publish('n', { n: 1 });
    for (const path of ['/channels/api-alone/messages', '/channels/api-alone/history'])
      expect(await (await get(path)).json()).toMatchObject([{ name: 'n', data: '{"n":1}' }]);
    expect((await channel.presence.history()).items).toEqual([]);
    expect(await (await get('/push/channels')).json()).toEqual([]);
    expect(Math.abs((await client.time()) - Date.now())).toBeLessThan(60_000);
  });

  it('get no second token for a nonce, wherever they ask (case 5)', async () => {
    const path = `/keys/${KEY.key}/requestToken`;
    const request = tokenRequest(KEY, { clientId: 'ada' });
    expect((await post(cluster.gateway(0).port, path, request)).status).toBe(200);
    for (const node of [cluster.gateway(1), cluster.apiNode]) {
      const answer = await post(node.port, path, request);
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ error: { code: 40_105 } });
    }
  });

  it('end at both when their tokens are revoked at the api node (cases 14 and 15)', async () => {
    const tokenOf = async (clientId: string): Promise<string> => {
      const path = `/keys/${KEY.key}/requestToken`;
      const answer = await post(cluster.apiNode.port, path, tokenRequest(KEY, { clientId }));
      return ((await answer.json()) as { token: string }).token;
    };
    const [ada, bob] = [await tokenOf('ada'), await tokenOf('bob')];
    const revoked = [here, there].map((clients) => clients.connect({ token: ada, logLevel: 0 }));
    const others = [here, there].map((clients) => clients.connect({ token: bob, logLevel: 0 }));
    await Promise.all([...revoked, ...others].map((one) => one.connection.once('connected')));
    const ended = revoked.map(
      ({ connection }) =>
        new Promise<number | undefined>((resolve) => {
          connection.on((change) => {
            if (change.current !== 'connected') resolve(change.reason?.code);
          });
        }),
    );
    const path = `/keys/${KEY.key}/revokeTokens`;
    const many = { targets: Array.from({ length: 101 }, () => 'clientId:bob') };
    expect((await post(cluster.apiNode.port, path, many, basicOf(KEY))).status).toBe(400);
    await post(cluster.apiNode.port, path, { targets: ['clientId:ada'] }, basicOf(KEY));
    expect(await Promise.all(ended)).toEqual([40_141, 40_141]);
    for (const { connection } of others) expect(connection.state).toBe('connected');
    const authorization = `Bearer ${Buffer.from(ada).toString('base64')}`;
    for (const { port } of [...cluster.gateways, cluster.apiNode])
      expect((await ask(port, '/channels/a/messages', authorization)).status).toBe(401);
  });

  it('come back, or not, wherever they are, when their user is ended', async () => {
    const name = 'ended';
    const told = new Inbox<Ably.PresenceMessage>();
    const watching = here.connect({ clientId: 'bob' });
    const room = watching.channels.get(name);
    await room.presence.subscribe(told.put);
    const both = [here, there].map((clients) => clients.connect({ clientId: 'ada' }));
    for (const client of both) {
      await client.channels.get(name).presence.enter();
      expect(await told.take()).toMatchObject({ action: 'enter', connectionId: client.connection.id });
    }
    const ids = both.map(({ connection }) => connection.id);
    const sentAway = both.map(({ connection }) => connection.once('disconnected'));
    const back = both.map(({ connection }) => connection.once('connected'));
    await cluster.api().user('ada', 'force_reconnect');
    for (const { reason } of await Promise.all(sentAway)) expect(reason?.code).toBe(80_003);
    await Promise.all(back);
    expect(both.map(({ connection }) => connection.id)).toEqual(ids);
    const ended = both.map(({ connection }) => connection.once('failed'));
    await cluster.api().user('ada', 'terminate_connections');
    for (const { reason } of await Promise.all(ended)) expect(reason?.code).toBe(40_300);
    // At once, whatever the lease of those who may come back.
    const left = [await told.take(), await told.take()];
    expect(left.map(({ action, connectionId }) => [action, connectionId]).sort()).toEqual(
      ids.map((id) => ['leave', id]).sort(),
    );
    expect(told.rest).toEqual([]);
    expect(watching.connection.state).toBe('connected');
  });

  // From here on there is one gateway.
  it('go on at another gateway when theirs dies, and their members stay', async () => {
    const name = 'dying';
    const victim = cluster.gateway(1);
    const targets = [victim.port];
    const front = new OnePort(targets);
    const port = await front.listen();
    try {
      const { watching, told, client, channel, inbox, changes, id } = await eve(name, port);
      targets[0] = cluster.gateway(0).port;
      const published = new Inbox<Ably.InboundMessage>();
      await watching.subscribe('unanswered', published.put);
      front.mute();
      const answered = channel.publish('unanswered', '0');
      const { id: messageId } = await published.take();
      await victim.process.kill();
      // It is answered by the other gateway, to which it is sent again.
      await answered;
      expect((await inbox.take()).id).toBe(messageId);
      await watching.publish('missed', '1');
      expect((await inbox.take()).data).toBe('1');
      expect(published.rest).toEqual([]);
      expect((await changes.take()).resumed).toBe(true);
      expect(client.connection.id).toBe(id);
      await channel.presence.update('y');
      expect(await told.take()).toMatchObject({ action: 'update', clientId: 'eve', data: 'y' });
      expect([inbox.rest, told.rest, changes.rest]).toEqual([[], [], []]);
    } finally {
      front.close();
    }
  });

  it('are told that they have lost what came while they were being let in (16.1 step 7)', () =>
    loseWhileLetIn(here, cluster.store));

  // The last: everything that is shared is lost.
  it('get no token and do not come back while what is shared is away, and nothing is left of it (case 55)', async () => {
    const first = await here.raw();
    const { connectionDetails } = await frame(first);
    const { connectionKey } = connectionDetails as { connectionKey: string };
    const path = `/keys/${KEY.key}/requestToken`;
    const request = tokenRequest(KEY, { clientId: 'ada' });
    await cluster.store.kill();
    const answer = await post(cluster.gateway(0).port, path, request);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: { code: 50_000, statusCode: 503 } });
    for (const query of [`&resume=${connectionKey}`, '']) {
      const again = await here.raw(query);
      expect(await frame(again)).toMatchObject({ action: 6, error: { code: 50_000, statusCode: 503 } });
    }
    await cluster.store.restart();
    await eventually(async () => {
      const later = await post(cluster.gateway(0).port, path, request);
      expect(later.status).toBe(200);
    });
  });
});
