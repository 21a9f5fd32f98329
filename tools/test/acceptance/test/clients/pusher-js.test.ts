import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { onEveryApp } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { Backend } from './backend.js';
import { Inbox } from './inbox.js';
import { PusherClient } from './libraries.js';

interface Members {
  readonly count: number;
  readonly myID: string;
  readonly members: Readonly<Record<string, unknown>>;
}
interface Member {
  readonly id: string;
  readonly info: unknown;
}

/** Everything the event is emitted with from now on. */
function heard<Value = unknown>(
  emitter: { bind(event: string, handler: (value: Value) => void): unknown },
  event: string,
): Inbox<Value> {
  const inbox = new Inbox<Value>();
  emitter.bind(event, inbox.put);
  return inbox;
}

/** A channel that is subscribed to, and what its success said. */
async function subscribe<Said = unknown>(client: PusherClient, name: string) {
  const channel = client.subscribe(name);
  const said = await heard<Said>(channel, 'pusher:subscription_succeeded').take();
  return { channel, said };
}

onEveryApp('pusher-js', { tenants: [openTenant('shop')] }, (node) => {
  let backend: Backend;
  const clients: PusherClient[] = [];
  beforeAll(async () => {
    backend = await Backend.start(node);
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.disconnect();
  });
  afterAll(() => backend.close());

  /** A connected client of that user. */
  async function connect(user: string, watch: readonly string[] = []): Promise<PusherClient> {
    const client = new PusherClient(backend.key, backend.clientOptions(node, user, watch));
    clients.push(client);
    const connected = heard(client.connection, 'connected');
    await connected.take();
    return client;
  }

  it('receives events of a public channel, bound by name or globally', async () => {
    const client = await connect('ada');
    const { channel } = await subscribe(client, 'orders');
    const paid = heard(channel, 'order.paid');
    const everywhere: [string, unknown][] = [];
    client.bind_global((event: string, data: unknown) => everywhere.push([event, data]));
    const onChannel: [string, unknown][] = [];
    channel.bind_global((event: string, data: unknown) => onChannel.push([event, data]));
    await backend.pusher.trigger('orders', 'order.sent', { id: 8 });
    await backend.pusher.trigger('orders', 'order.paid', { id: 9 });
    expect(await paid.take()).toEqual({ id: 9 });
    const all = [
      ['order.sent', { id: 8 }],
      ['order.paid', { id: 9 }],
    ];
    expect(onChannel).toEqual(all);
    expect(everywhere).toEqual(all);
  });

  it('receives nothing more after unsubscribing', async () => {
    const client = await connect('ada');
    const { channel } = await subscribe(client, 'orders');
    const { channel: marker } = await subscribe(client, 'marker');
    const ticks = heard(channel, 'tick');
    const marks = heard(marker, 'tick');
    client.unsubscribe('orders');
    await subscribe(client, 'after');
    await backend.pusher.trigger(['orders', 'marker'], 'tick', 'x');
    await marks.take();
    expect(ticks.rest).toEqual([]);
  });

  it('subscribes to a private channel and sends events to the others there', async () => {
    const [ada, bo] = [await connect('ada'), await connect('bo')];
    const { channel: adas } = await subscribe(ada, 'private-orders');
    const { channel: bos } = await subscribe(bo, 'private-orders');
    const [atAda, atBo] = [heard(adas, 'client-typing'), heard(bos, 'client-typing')];
    adas.trigger('client-typing', { on: true });
    expect(await atBo.take()).toEqual({ on: true });
    bos.trigger('client-typing', 'back');
    expect(await atAda.take()).toBe('back');
    expect(atAda.rest).toEqual([]);
  });

  it('is told by the channel that its signature is wrong', async () => {
    const client = await connect('ada');
    const refused = heard(client.subscribe('private-forged'), 'pusher:subscription_error');
    expect(await refused.take()).toEqual({
      type: 'AuthError',
      error: expect.any(String) as string,
      status: 401,
      code: 4009,
    });
    await subscribe(client, 'orders');
  });

  it('knows the members of a presence channel as they come and go', async () => {
    const [ada, bo] = [await connect('ada'), await connect('bo')];
    const { channel, said } = await subscribe<Members>(ada, 'presence-lobby');
    expect(said).toMatchObject({ count: 1, myID: 'ada', members: { ada: { name: 'ada' } } });
    const added = heard<Member>(channel, 'pusher:member_added');
    const removed = heard<Member>(channel, 'pusher:member_removed');
    const typing: [unknown, unknown][] = [];
    const typed = new Inbox<null>();
    channel.bind('client-typing', (data: unknown, metadata: { user_id: string }) => {
      typing.push([data, metadata.user_id]);
      typed.put(null);
    });
    const { channel: bos, said: both } = await subscribe<Members>(bo, 'presence-lobby');
    expect(both).toMatchObject({
      count: 2,
      myID: 'bo',
      members: { ada: { name: 'ada' }, bo: { name: 'bo' } },
    });
    expect(await added.take()).toEqual({ id: 'bo', info: { name: 'bo' } });
    bos.trigger('client-typing', { on: true });
    await typed.take();
    expect(typing).toEqual([[{ on: true }, 'bo']]);
    bo.disconnect();
    expect(await removed.take()).toEqual({ id: 'bo', info: { name: 'bo' } });
  });

  it('decrypts what only its users can read', async () => {
    const client = await connect('ada');
    const { channel } = await subscribe(client, 'private-encrypted-vault');
    const secrets = heard(channel, 'secret');
    const wire = await node.connect();
    await wire.subscribe('private-encrypted-vault');
    await backend.pusher.trigger('private-encrypted-vault', 'secret', { gold: 'plain-words' });
    expect(await secrets.take()).toEqual({ gold: 'plain-words' });
    const [frame = ''] = await wire.pending();
    expect(frame).not.toContain('plain-words');
    const { data } = JSON.parse(frame) as { data: string };
    expect(Object.keys(JSON.parse(data) as object).sort()).toEqual(['ciphertext', 'nonce']);
  });

  it.each([
    'cache-prices',
    'private-cache-prices',
    'private-encrypted-cache-prices',
    'presence-cache-prices',
  ])('receives the last event of %s, or a miss', async (name) => {
    const [early, late] = [await connect('ada'), await connect('bo')];
    await heard(early.subscribe(name), 'pusher:cache_miss').take();
    await backend.pusher.trigger(name, 'price', { euro: 5 });
    expect(await heard(late.subscribe(name), 'price').take()).toEqual({ euro: 5 });
  });

  it('signs in, is sent what is for its user alone, and sees whom it watches', async () => {
    const [ada, bo] = [await connect('ada', ['bo', 'eve']), await connect('bo')];
    const online = heard<{ user_ids: string[] }>(ada.user.watchlist, 'online');
    const offline = heard<{ user_ids: string[] }>(ada.user.watchlist, 'offline');
    const [toAda, toBo] = [heard(ada.user, 'note'), heard(bo.user, 'note')];
    ada.signin();
    await ada.user.signinDonePromise;
    expect(ada.user.user_data).toMatchObject({ id: 'ada', user_info: { name: 'ada' } });
    expect((await offline.take()).user_ids).toEqual(['bo', 'eve']);
    bo.signin();
    expect((await online.take()).user_ids).toEqual(['bo']);
    await backend.pusher.sendToUser('ada', 'note', { n: 1 });
    expect(await toAda.take()).toEqual({ n: 1 });
    expect(toBo.rest).toEqual([]);
    bo.disconnect();
    expect((await offline.take()).user_ids).toEqual(['bo']);
  });

  it('comes back by itself with its channels and its user when told to reconnect', async () => {
    const client = await connect('moved');
    const { channel } = await subscribe(client, 'private-orders');
    client.signin();
    await client.user.signinDonePromise;
    const before = client.connection.socket_id;
    const again = heard(channel, 'pusher:subscription_succeeded');
    const connected = heard(client.connection, 'connected');
    const notes = heard(client.user, 'note');
    const subscribedToUser = new Inbox<unknown>();
    client.bind_global((event: string) => {
      if (event === 'pusher:signin_success') subscribedToUser.put(event);
    });
    await backend.pusher.post({ path: '/users/moved/force_reconnect', body: '{}' });
    await connected.take();
    await again.take();
    expect(client.connection.socket_id).not.toBe(before);
    const ticks = heard(channel, 'tick');
    await backend.pusher.trigger('private-orders', 'tick', 'x');
    expect(await ticks.take()).toBe('x');
    await client.user.signinDonePromise;
    await backend.pusher.sendToUser('moved', 'note', 'here');
    expect(await notes.take()).toBe('here');
  });

  it('stays away when the server ends the connections of its user', async () => {
    const client = await connect('gone');
    client.signin();
    await client.user.signinDonePromise;
    const states = heard<{ current: string }>(client.connection, 'state_change');
    await backend.pusher.terminateUserConnections('gone');
    expect((await states.take()).current).toBe('disconnected');
  });

  it('gives up with the code when its key is unknown', async () => {
    const client = new PusherClient('nobody', backend.clientOptions(node, 'ada'));
    clients.push(client);
    const errors = heard<{ data?: { code: number }; error?: { data: { code: number } } }>(
      client.connection,
      'error',
    );
    const states = heard<{ current: string }>(client.connection, 'state_change');
    const { data, error } = await errors.take();
    expect((data ?? error?.data)?.code).toBe(4001);
    while ((await states.take()).current !== 'disconnected');
  });

  it('is not sent what it caused itself', async () => {
    const [ada, bo] = [await connect('ada'), await connect('bo')];
    const [adas, bos] = [await subscribe(ada, 'orders'), await subscribe(bo, 'orders')];
    const [atAda, atBo] = [heard(adas.channel, 'tick'), heard(bos.channel, 'tick')];
    await backend.pusher.trigger('orders', 'tick', 1, { socket_id: ada.connection.socket_id });
    await backend.pusher.trigger('orders', 'tick', 2);
    expect(await atAda.take()).toBe(2);
    expect([await atBo.take(), await atBo.take()]).toEqual([1, 2]);
  });
});
