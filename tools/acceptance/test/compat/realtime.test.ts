import * as Ably from 'ably';
import { RawSocketClient } from '@carillon/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { Backend } from '../clients/backend.js';
import { Inbox } from '../clients/inbox.js';
import { PusherClient } from '../clients/libraries.js';
import { onServer } from '../harness/every-app.js';
import { eventually } from '../harness/eventually.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients, frame, heard } from './ably.js';
import { keyOf, tokenRequest } from './key.js';

const shop = openTenant('shop', { history: { enabled: true } });
const limited = openTenant('limited', { limits: { max_client_events_per_second: 3 } });
const env = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' };
const READER = { key: 'shop.reader', secret: 'r3ader' };
const config = {
  compat: {
    enabled: true,
    keys: [
      { app_id: 'shop', key_name: READER.key, secret: READER.secret, capability: '{"chat:*":["subscribe"]}' },
    ],
  },
};

const authCallback: Ably.ClientOptions['authCallback'] = (_params, done) =>
  done(null, tokenRequest(shop, { clientId: 'ada' }) as unknown as Ably.TokenRequest);

onServer('realtime for Ably clients', { tenants: [shop, limited], config, env }, (node) => {
  const clients = new AblyClients(node, shop);
  afterEach(() => clients.close());
  const connect = (options?: Ably.ClientOptions): Ably.Realtime => clients.connect(options);
  const raw = async (query: string): Promise<RawSocketClient> => {
    const socket = await RawSocketClient.open(node.port, `/?${query}`);
    clients.alsoClose({ close: () => socket.destroy() });
    return socket;
  };

  it.each([true, false])('sends objects through (binary: %s)', async (useBinaryProtocol) => {
    const one = connect({ useBinaryProtocol });
    const other = connect({ useBinaryProtocol: !useBinaryProtocol });
    const name = `chat:${useBinaryProtocol}`;
    const inbox = await heard(other.channels.get(name));
    const own = await heard(one.channels.get(name));
    await one.channels.get(name).publish('n', { n: 1 });
    expect(await inbox.take()).toMatchObject({ name: 'n', data: { n: 1 }, connectionId: one.connection.id });
    expect(await own.take()).toMatchObject({ data: { n: 1 } });
    await other.channels.get(name).publish('b', Buffer.from([0, 255]));
    await inbox.take();
    expect(Buffer.from((await own.take()).data as Uint8Array)).toEqual(Buffer.from([0, 255]));
  });

  it('connects with a signed request as whom it names', async () => {
    const client = connect({ authCallback });
    await client.connection.once('connected');
    expect(client.auth.clientId).toBe('ada');
  });

  it('shows the last messages to who asks for them', async () => {
    const client = connect();
    for (const n of ['1', '2', '3', '4']) await client.channels.get('rewound').publish('n', n);
    const inbox = await heard(connect().channels.get('rewound', { params: { rewind: '3' } }));
    const seen = [await inbox.take(), await inbox.take(), await inbox.take()];
    expect(seen.map(({ data }) => data as unknown)).toEqual(['2', '3', '4']);
    const wrong = connect().channels.get('rewound', { params: { rewind: '5d' } });
    await expect(wrong.attach()).rejects.toMatchObject({ code: 40_000 });
  });

  it('shows members to each other, as they come, change and go', async () => {
    const [ada, bob] = [connect({ clientId: 'ada' }), connect({ clientId: 'bob' })];
    const inbox = new Inbox<Ably.PresenceMessage>();
    await bob.channels.get('room').presence.subscribe(inbox.put);
    await ada.channels.get('room').presence.enter({ at: 'desk' });
    expect(await inbox.take()).toMatchObject({ action: 'enter', clientId: 'ada', data: { at: 'desk' } });
    await ada.channels.get('room').presence.update('away');
    expect(await inbox.take()).toMatchObject({
      action: 'update',
      data: 'away',
      connectionId: ada.connection.id,
    });
    const members = await connect().channels.get('room').presence.get();
    expect(members.map(({ clientId, data }) => [clientId, data as unknown])).toEqual([['ada', 'away']]);
    await ada.channels.get('room').presence.leave();
    expect(await inbox.take()).toMatchObject({ action: 'leave', clientId: 'ada' });
    await ada.channels.get('room').presence.enter();
    await inbox.take();
    ada.close();
    expect(await inbox.take()).toMatchObject({ action: 'leave', clientId: 'ada' });
  });

  it('shows 250 members in pieces', async () => {
    const client = connect();
    const channel = client.channels.get('crowd');
    await channel.attach();
    await Promise.all(Array.from({ length: 250 }, (_one, n) => channel.presence.enterClient(`u${n}`)));
    expect(await connect().channels.get('crowd').presence.get()).toHaveLength(250);
    const socket = await raw(`key=${keyOf(shop)}`);
    await frame(socket);
    socket.sendText('{"action":10,"channel":"crowd"}');
    expect(((await frame(socket))['flags'] as number) & 1).toBe(1);
    const serials = [await frame(socket), await frame(socket), await frame(socket)].map((one) =>
      String(one['channelSerial']),
    );
    expect(serials.map((serial) => serial.endsWith(':'))).toEqual([false, false, true]);
  });

  it('refuses what a capability does not grant', async () => {
    const reader = connect({ key: `${READER.key}:${READER.secret}` });
    await expect(reader.channels.get('orders').attach()).rejects.toMatchObject({ code: 40_160 });
    await expect(reader.channels.get('chat:x').publish('a', 'x')).rejects.toMatchObject({ code: 40_160 });
    const publisher = reader.channels.get('chat:y', { modes: ['PUBLISH'] });
    await expect(publisher.attach()).rejects.toMatchObject({ code: 40_160 });
    await reader.channels.get('chat:x').attach();
    expect(reader.channels.get('chat:x').modes).toEqual(['subscribe', 'presence_subscribe']);
  });

  it('keeps from a publisher what it sent, if it wants so', async () => {
    const quiet = connect({ echoMessages: false });
    const own = await heard(quiet.channels.get('quiet'));
    const other = await heard(connect().channels.get('quiet'));
    await quiet.channels.get('quiet').publish('a', 'x');
    await quiet.channels.get('quiet').publish({ name: 'b', extras: { echo: true } });
    expect((await other.take()).name).toBe('a');
    expect((await own.take()).name).toBe('b');
  });

  it('keeps from a publisher what it sent to a channel, if it wants so of that', async () => {
    const client = connect();
    const quiet = client.channels.get('quiet-here', { params: { echo: 'false' } });
    const own = await heard(quiet);
    const other = await heard(connect().channels.get('quiet-here'));
    await quiet.publish('a', 'x');
    await quiet.publish({ name: 'b', extras: { echo: true } });
    expect((await other.take()).name).toBe('a');
    expect((await own.take()).name).toBe('b');
    // An attach with other options replaces them.
    await quiet.setOptions({ params: { echo: 'true' } });
    await quiet.publish('c', 'x');
    expect((await own.take()).name).toBe('c');
    await expect(
      connect()
        .channels.get('q', { params: { echo: 'no' } })
        .attach(),
    ).rejects.toMatchObject({
      code: 40_000,
    });
  });

  it('lets a client have the channels of its new token alone (case 48)', async () => {
    let capability = '{"*":["*"]}';
    const client = connect({
      authCallback: (_params, done) =>
        done(null, tokenRequest(shop, { clientId: 'ada', capability }) as unknown as Ably.TokenRequest),
    });
    const [kept, lost] = [client.channels.get('kept'), client.channels.get('lost')];
    await Promise.all([kept.attach(), lost.attach()]);
    await kept.presence.enter();
    const left = new Inbox<Ably.PresenceMessage>();
    const watching = connect().channels.get('kept');
    await watching.presence.subscribe('leave', left.put);
    await watching.presence.get();
    const { id } = client.connection;
    const failed = lost.once('failed');
    capability = '{"kept":["subscribe"]}';
    await client.auth.authorize();
    expect((await failed).reason?.code).toBe(40_160);
    await eventually(() => expect(kept.modes).toEqual(['subscribe', 'presence_subscribe']));
    expect(kept.state).toBe('attached');
    expect(client.connection.id).toBe(id);
    expect(await left.take()).toMatchObject({ clientId: 'ada' });
    await expect(kept.publish('n', 'x')).rejects.toMatchObject({ code: 40_160 });
  });

  it('refuses what is more than an app lets a client send', async () => {
    const few = new AblyClients(node, limited);
    clients.alsoClose(few);
    const channel = few.connect().channels.get('few');
    await channel.publish([{ data: '1' }, { data: '2' }]);
    await expect(channel.publish([{ data: '3' }, { data: '4' }])).rejects.toMatchObject({
      code: 42_911,
      statusCode: 429,
    });
  });

  describe('frame by frame', () => {
    it('connects first, echoes heartbeats and ignores what it does not know', async () => {
      const socket = await raw(`key=${keyOf(shop)}`);
      const connected = await frame(socket);
      expect(connected).toMatchObject({ action: 4, connectionDetails: { maxIdleInterval: 15_000 } });
      expect(connected['connectionId']).not.toContain(':');
      socket.sendText('{"action":99}');
      socket.sendText('{"action":0,"id":"p1"}');
      expect(await frame(socket)).toEqual({ action: 0, id: 'p1' });
      socket.sendText('[]');
      expect(await frame(socket)).toMatchObject({ action: 9, error: { code: 40_000 } });
    });

    it.each([
      ['', 9, 40_140],
      [`key=${shop.key}:wrong`, 9, 40_101],
      ['access_token=made-up', 9, 40_143],
    ])('tells why nobody is let in with "%s"', async (query, action, code) => {
      expect(await frame(await raw(query))).toMatchObject({ action, error: { code, statusCode: 401 } });
    });

    it('gives a connection back once', async () => {
      const first = await frame(await raw(`key=${keyOf(shop)}`));
      const { connectionKey } = first['connectionDetails'] as { connectionKey: string };
      const again = await frame(await raw(`key=${keyOf(shop)}&resume=${connectionKey}`));
      expect(again['connectionId']).toBe(first['connectionId']);
      const twice = await frame(await raw(`key=${keyOf(shop)}&resume=${connectionKey}`));
      expect(twice).toMatchObject({ error: { code: 80_008 } });
      expect(twice['connectionId']).not.toBe(first['connectionId']);
      const garbage = await frame(await raw(`key=${keyOf(shop)}&resume=garbage`));
      expect(garbage).toMatchObject({ action: 4, error: { code: 80_018 } });
    });

    it('answers a publish once, and its attach with an error for another stream', async () => {
      const socket = await raw(`key=${keyOf(shop)}`);
      await frame(socket);
      const publish = '{"action":15,"channel":"once","msgSerial":0,"messages":[{"data":"a"}]}';
      socket.sendText(publish);
      socket.sendText(publish);
      socket.sendText('{"action":0,"id":"end"}');
      const answers = [await frame(socket), await frame(socket)];
      expect(answers.map(({ action }) => action).sort()).toEqual([0, 1]);
      socket.sendText('{"action":10,"channel":"once","channelSerial":"other:1"}');
      const attached = await frame(socket);
      expect(attached).toMatchObject({ action: 11, error: { code: 90_005 } });
      expect((attached['flags'] as number) & 4).toBe(0);
      expect(attached['channelSerial']).toMatch(/:1$/);
    });

    it('takes members of those alone who are somebody', async () => {
      const socket = await raw(`key=${keyOf(shop)}`);
      await frame(socket);
      socket.sendText('{"action":10,"channel":"who"}');
      await frame(socket);
      socket.sendText('{"action":14,"channel":"who","msgSerial":0,"presence":[{"action":2}]}');
      expect(await frame(socket)).toMatchObject({ action: 2, error: { code: 91_000 } });
      socket.sendText('{"action":14,"channel":"not","msgSerial":1,"presence":[{"action":2}]}');
      expect(await frame(socket)).toMatchObject({ action: 2, error: { code: 91_001 } });
    });
  });

  it('shares messages and members with clients of protocol 1, both ways', async () => {
    const backend = await Backend.start(node);
    clients.alsoClose({ close: () => backend.close() });
    const pusher = new PusherClient(backend.key, backend.clientOptions(node, 'ada', []));
    clients.alsoClose({ close: () => pusher.disconnect() });
    const members = pusher.subscribe('presence-a');
    const [added, removed, news, ready] = [new Inbox(), new Inbox(), new Inbox(), new Inbox()];
    members.bind('pusher:member_added', added.put);
    members.bind('pusher:member_removed', removed.put);
    members.bind('client-hi', news.put);
    members.bind('message', news.put);
    members.bind('pusher:subscription_succeeded', ready.put);
    await ready.take();
    const bob = connect({ clientId: 'bob' });
    const channel = bob.channels.get('presence-a');
    const inbox = await heard(channel);
    const seen = await channel.presence.get();
    expect(seen.map(({ clientId }) => clientId)).toEqual(['ada']);
    await channel.presence.enter({ name: 'Bob' });
    expect(await added.take()).toMatchObject({ id: 'bob', info: { name: 'Bob' } });
    await channel.publish('client-hi', 'from bob');
    expect(await news.take()).toBe('from bob');
    await channel.publish({ data: 'without a name' });
    expect(await news.take()).toBe('without a name');
    expect((await inbox.take()).name).toBe('client-hi');
    expect((await inbox.take()).name).toBeUndefined();
    members.trigger('client-hi', { n: 1 });
    expect(await inbox.take()).toMatchObject({ name: 'client-hi', data: { n: 1 } });
    await node.api().request('POST', '/events', {
      body: JSON.stringify({
        name: 'news',
        channel: 'presence-a',
        data: 'to others',
        socket_id: bob.connection.id,
      }),
    });
    await node.api().request('POST', '/events', {
      body: JSON.stringify({ name: 'end', channel: 'presence-a', data: 'x' }),
    });
    expect((await inbox.take()).name).toBe('end');
    await channel.presence.leave();
    expect(await removed.take()).toMatchObject({ id: 'bob' });
    await eventually(async () => (await channel.presence.get()).length === 1);
  });
});

const LIVING = { ...config, versioned_messages: { enabled: true } };

onServer('realtime beside messages that live on', { tenants: [shop], config: LIVING, env }, (node) => {
  it('loses no message of a channel whose messages can be changed', async () => {
    const client = new Ably.Realtime({
      key: keyOf(shop),
      endpoint: '127.0.0.1',
      port: node.port,
      tls: false,
    });
    const inbox = await heard(client.channels.get('drafts'));
    await node.api().publish('drafts', 'draft', 'one');
    expect(await inbox.take()).toMatchObject({ name: 'draft', data: 'one' });
    client.close();
  });
});
