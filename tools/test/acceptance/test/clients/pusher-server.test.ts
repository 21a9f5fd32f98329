import { afterAll, beforeAll, expect, it } from 'vitest';
import { onServerHttp } from '../harness/every-app.js';
import { published } from '../harness/frames.js';
import { expectClosed } from '../harness/refusals.js';
import { openTenant, tenant } from '../harness/tenant.js';
import { Backend } from './backend.js';
import { PusherServer } from './libraries.js';

const shop = openTenant('shop', { features: { enable_watchlist_events: false } });
const brief = tenant('brief', { limits: { max_event_channels_at_once: 2 } });

const read = async (asking: ReturnType<PusherServer['get']>): Promise<unknown> => {
  const answer = await asking;
  return [answer.status, await answer.json()];
};

onServerHttp('the pusher server library', { tenants: [shop, brief] }, (node) => {
  let backend: Backend;
  let pusher: PusherServer;
  /** Publishes, at the api node where there is one. */
  let publisher: PusherServer;
  beforeAll(async () => {
    backend = await Backend.start(node);
    ({ pusher } = backend);
    publisher = new PusherServer({
      appId: shop.id,
      key: shop.key,
      secret: shop.secret,
      host: '127.0.0.1',
      port: String(node.apiPort),
      useTLS: false,
    });
  });
  afterAll(() => backend.close());

  it('triggers an event on several channels and in a batch', async () => {
    const client = await node.connect();
    await client.subscribe('one');
    await client.subscribe('two');
    expect(await read(publisher.trigger(['one', 'two'], 'tick', { n: 1 }))).toEqual([200, { ok: true }]);
    expect(
      await read(
        publisher.triggerBatch([
          { channel: 'one', name: 'tock', data: { n: 2 } },
          { channel: 'two', name: 'tock', data: 'text' },
        ]),
      ),
    ).toEqual([200, {}]);
    expect((await client.pending()).sort()).toEqual(
      [
        published('one', 'tick', '{"n":1}'),
        published('two', 'tick', '{"n":1}'),
        published('one', 'tock', '{"n":2}'),
        published('two', 'tock', 'text'),
      ].sort(),
    );
  });

  it('signs what the service accepts: channels, members, users', async () => {
    const client = await node.connect();
    client.ask('private-x', { ...pusher.authorizeChannel(client.socketId, 'private-x') });
    expect((await client.next()).event).toBe('pusher_internal:subscription_succeeded');
    const member = { user_id: 'u-17', user_info: { name: 'Ada' } };
    client.ask('presence-x', { ...pusher.authorizeChannel(client.socketId, 'presence-x', member) });
    expect((await client.next()).event).toBe('pusher_internal:subscription_succeeded');
    client.send({ event: 'pusher:signin', data: pusher.authenticateUser(client.socketId, { id: 'u-17' }) });
    expect((await client.next()).event).toBe('pusher:signin_success');
  });

  it('reads which channels are occupied, one channel, and its users', async () => {
    const [ada, bo] = [await node.connect(), await node.connect()];
    await ada.join('presence-desk', 'ada');
    await bo.join('presence-desk', 'bo');
    await bo.subscribe('desk-news');
    const params = { filter_by_prefix: 'presence-desk', info: 'user_count' };
    expect(await read(pusher.get({ path: '/channels', params }))).toEqual([
      200,
      { channels: { 'presence-desk': { user_count: 2 } } },
    ]);
    expect(
      await read(pusher.get({ path: '/channels/desk-news', params: { info: 'subscription_count' } })),
    ).toEqual([200, { occupied: true, subscription_count: 1 }]);
    const [status, body] = (await read(pusher.get({ path: '/channels/presence-desk/users' }))) as [
      number,
      { users: { id: string }[] },
    ];
    expect([status, body.users.map(({ id }) => id).sort()]).toEqual([200, ['ada', 'bo']]);
  });

  it('sends to a user and ends the user’s connections', async () => {
    const client = await node.connect();
    await client.signin('u-17');
    await publisher.sendToUser('u-17', 'note', { n: 1 });
    expect(await client.pending()).toEqual([published('#server-to-user-u-17', 'note', '{"n":1}')]);
    await pusher.terminateUserConnections('u-17');
    await expectClosed(client, 4009, 'You got disconnected by the app.');
  });

  it('asks for counts with an event', async () => {
    const client = await node.connect();
    await client.subscribe('counted');
    const answer = await read(pusher.trigger('counted', 'tick', 'x', { info: 'subscription_count' }));
    expect(answer).toMatchObject([200, { channels: { counted: { subscription_count: 1 } } }]);
  });

  it('is told what it did wrong', async () => {
    const [forged, limited] = [tenant('shop'), brief].map(
      ({ id, key, secret }, index) =>
        new PusherServer({
          appId: id,
          key,
          secret: index === 0 ? `${secret}x` : secret,
          host: '127.0.0.1',
          port: String(node.apiPort),
          useTLS: false,
        }),
    );
    await expect(forged?.trigger('orders', 'tick', 'x')).rejects.toMatchObject({ status: 401 });
    await expect(limited?.trigger(['a', 'b', 'c'], 'tick', 'x')).rejects.toMatchObject({
      status: 400,
      body: expect.stringContaining('"code":"limit_exceeded"') as string,
    });
  });
});
