import { decode } from '@ably/vcdiff-decoder';
import * as Ably from 'ably';
import { RawSocketClient } from '@carillon/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { Inbox } from '../clients/inbox.js';
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

const extrasOf = ({ extras }: Ably.InboundMessage): Record<string, unknown> =>
  (extras ?? {}) as Record<string, unknown>;
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

  it.each([true, false])('sends objects through (case 1, binary: %s)', async (useBinaryProtocol) => {
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

  it('connects with a signed request as whom it names (case 2)', async () => {
    const client = connect({ authCallback });
    await client.connection.once('connected');
    expect(client.auth.clientId).toBe('ada');
  });

  it('shows the last messages to who asks for them (case 35)', async () => {
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
    const room = ada.channels.get('room');
    await room.presence.leave();
    expect(await inbox.take()).toMatchObject({ action: 'leave', clientId: 'ada', data: 'away' });
    await room.presence.enter('here');
    await inbox.take();
    await room.presence.leave({ until: 'noon' });
    expect(await inbox.take()).toMatchObject({ action: 'leave', data: { until: 'noon' } });
    await room.presence.enter();
    await inbox.take();
    await room.presence.update(Buffer.from([0, 255]));
    await inbox.take();
    ada.close();
    const { data, ...left } = await inbox.take();
    expect(left).toMatchObject({ action: 'leave', clientId: 'ada' });
    expect(Buffer.from(data as Uint8Array)).toEqual(Buffer.from([0, 255]));
    expect(inbox.rest).toEqual([]);
  });

  it('shows 250 members in pieces (case 42)', async () => {
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

  it('refuses what a capability does not grant (cases 11 and 38)', async () => {
    const reader = connect({ key: `${READER.key}:${READER.secret}` });
    await expect(reader.channels.get('orders').attach()).rejects.toMatchObject({ code: 40_160 });
    await expect(reader.channels.get('chat:x').publish('a', 'x')).rejects.toMatchObject({ code: 40_160 });
    const publisher = reader.channels.get('chat:y', { modes: ['PUBLISH'] });
    await expect(publisher.attach()).rejects.toMatchObject({ code: 40_160 });
    await reader.channels.get('chat:x').attach();
    expect(reader.channels.get('chat:x').modes).toEqual(['subscribe', 'presence_subscribe']);
  });

  it('keeps from a publisher what it sent, if it wants so (case 39)', async () => {
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

  it.each([true, false])(
    'tells differences to who asks for them (case 46, binary: %s)',
    async (useBinaryProtocol) => {
      const client = connect({ useBinaryProtocol, plugins: { vcdiff: { decode } } });
      const name = `differences:${useBinaryProtocol}`;
      const channel = client.channels.get(name, { params: { delta: 'vcdiff' } });
      const [inbox, whole] = [await heard(channel), await heard(connect().channels.get(name))];
      expect(channel.params).toMatchObject({ delta: 'vcdiff' });
      const publisher = connect().channels.get(name);
      const text = 'all that stays as it was, and a number that does not: ';
      const said = [
        `${text}1`,
        `${text}2`,
        { text, n: 3 },
        { text, n: 4 },
        Buffer.from(text),
        `${text}6`,
        `${text}7`,
      ];
      for (const data of said) await publisher.publish('n', data);
      const seen: { readonly id: string; readonly from: unknown }[] = [];
      for (const data of said) {
        const [one, other] = [await inbox.take(), await whole.take()];
        expect(Buffer.isBuffer(data) ? Buffer.from(one.data as Uint8Array) : one.data).toEqual(data);
        expect(other.data).toEqual(one.data);
        expect(extrasOf(other)['delta']).toBeUndefined();
        const { from } = (extrasOf(one)['delta'] ?? {}) as { from?: string };
        seen.push({ id: one.id ?? '', from });
      }
      const ids = seen.map(({ id }) => id);
      expect(seen.map(({ from }) => from)).toEqual([
        undefined,
        ids[0],
        ids[1],
        ids[2],
        undefined,
        undefined,
        ids[5],
      ]);
      const metrics = await node.metrics();
      const counted = (what: string): number =>
        metrics.value(what, { app_id: 'shop', channel_name: '_' }) ?? 0;
      expect(counted('horizontal_delta_compression_enabled_total')).toBeGreaterThanOrEqual(1);
      expect(counted('delta_compression_delta_messages_total')).toBeGreaterThanOrEqual(4);
      expect(counted('delta_compression_full_messages_total')).toBeGreaterThanOrEqual(2);
      expect(counted('delta_compression_bandwidth_original_bytes')).toBeGreaterThan(0);
      const wrong = connect().channels.get(name, { params: { delta: 'fossil' } });
      await expect(wrong.attach()).rejects.toMatchObject({ code: 40_000 });
    },
  );

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
    it('connects first, echoes heartbeats and ignores what it does not know (cases 30 and 33)', async () => {
      const socket = await raw(`key=${keyOf(shop)}`);
      const connected = await frame(socket);
      expect(connected).toMatchObject({ action: 4, connectionDetails: { maxIdleInterval: 15_000 } });
      expect(connected['connectionId']).not.toContain(':');
      socket.sendText('{"action":99}');
      socket.sendText('{"action":0,"id":"p1"}');
      expect(await frame(socket)).toEqual({ action: 0, id: 'p1' });
      socket.sendText('[]');
      expect(await frame(socket)).toMatchObject({ action: 9, error: { code: 40_000 } });
      for (const nonsense of ['not JSON', '{"action":"15"}']) {
        const other = await raw(`key=${keyOf(shop)}`);
        await frame(other);
        other.sendText(nonsense);
        expect(await frame(other)).toMatchObject({ action: 9, error: { code: 40_000, statusCode: 400 } });
      }
    });

    it.each([
      ['', 9, 40_140],
      [`key=${shop.key}:wrong`, 9, 40_101],
      ['access_token=made-up', 9, 40_143],
    ])('tells why nobody is let in with "%s" (case 31)', async (query, action, code) => {
      expect(await frame(await raw(query))).toMatchObject({ action, error: { code, statusCode: 401 } });
    });

    it('gives a connection back once (case 34)', async () => {
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

    it('takes members of those alone who are somebody (case 41)', async () => {
      const socket = await raw(`key=${keyOf(shop)}`);
      await frame(socket);
      socket.sendText('{"action":10,"channel":"who"}');
      await frame(socket);
      socket.sendText('{"action":14,"channel":"who","msgSerial":0,"presence":[{"action":2}]}');
      expect(await frame(socket)).toMatchObject({ action: 2, error: { code: 91_000 } });
      socket.sendText('{"action":14,"channel":"not","msgSerial":1,"presence":[{"action":2}]}');
      expect(await frame(socket)).toMatchObject({ action: 2, error: { code: 91_001 } });
      const ada = await raw(`key=${keyOf(shop)}&clientId=ada`);
      await frame(ada);
      ada.sendText('{"action":10,"channel":"who"}');
      await frame(ada);
      ada.sendText('{"action":14,"channel":"who","msgSerial":0,"presence":[{"action":2,"clientId":"bob"}]}');
      expect(await frame(ada)).toMatchObject({ action: 2, error: { code: 40_012 } });
    });
  });
});
