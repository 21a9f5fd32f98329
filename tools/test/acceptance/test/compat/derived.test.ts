import type * as Ably from 'ably';
import { decode } from '@ably/vcdiff-decoder';
import AblyBefore from 'ably-v1';
import { afterEach, expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { Inbox } from '../clients/inbox.js';
import { AblyClients, cut, frame, heard } from './ably.js';
import { keyOf } from './key.js';

const shop = openTenant('shop', { history: { enabled: true } });
const env = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' };
const config = { compat: { enabled: true } };
const TICK = 'name == `"tick"`';
const textOf = (filter: string, base: string): string =>
  `[filter=${Buffer.from(filter).toString('base64')}]${base}`;

const EVENTS = ['tick', 'tock', 'else'];
const all = (text: string): string[] => EVENTS.map((event) => `${event} ${text}`);
const publish = async (by: Pick<Ably.RealtimeChannel, 'publish'>, text: string): Promise<void> => {
  for (const event of EVENTS) await by.publish(event, `${event} ${text}`);
};

onServer('derived channels of Ably clients', { tenants: [shop], config, env }, (node) => {
  const clients = new AblyClients(node, shop);
  afterEach(() => clients.close());
  const derived = (
    name: string,
    filter: string,
    options: Ably.ClientOptions = {},
    channel: Ably.ChannelOptions = {},
  ): Ably.RealtimeChannel => clients.connect(options).channels.getDerived(name, { filter }, channel);

  it.each([true, false])(
    'are told what their filter lets through, and nothing else (case 54, binary: %s)',
    async (useBinaryProtocol) => {
      const name = `prices:${useBinaryProtocol}`;
      const publisher = clients.connect({ useBinaryProtocol, clientId: 'ada' }).channels.get(name);
      const ticks = await heard(derived(name, TICK, { useBinaryProtocol }));
      const dear = await heard(
        derived(name, "data.n > `1` && headers.region == 'eu'", { useBinaryProtocol }),
      );
      const same = await heard(derived(name, TICK));
      const all = await heard(publisher);
      const extras = { headers: { region: 'eu' } };
      await publisher.publish('tock', { n: 1 });
      await publisher.publish({ name: 'tick', data: { n: 1 }, extras });
      await publisher.publish({ name: 'tock', data: { n: 2 }, extras });
      await publisher.publish('tick', { n: 2 });
      const seen = async (inbox: typeof all, count: number): Promise<unknown> => {
        const messages = await Promise.all(Array.from({ length: count }, () => inbox.take()));
        return messages.map(({ name: event, data }) => [event, data as unknown]);
      };
      expect(await seen(all, 4)).toHaveLength(4);
      expect(await seen(ticks, 2)).toEqual([
        ['tick', { n: 1 }],
        ['tick', { n: 2 }],
      ]);
      expect(await seen(same, 2)).toEqual([
        ['tick', { n: 1 }],
        ['tick', { n: 2 }],
      ]);
      expect(await seen(dear, 1)).toEqual([['tock', { n: 2 }]]);
      expect([ticks.rest, same.rest, dear.rest]).toEqual([[], [], []]);
    },
  );

  it('can only be subscribed to, and show no members (case 54)', async () => {
    const ada = clients.connect({ clientId: 'ada' });
    await ada.channels.get('view').presence.enter();
    const channel = derived('view', TICK, { clientId: 'bob' });
    await channel.attach();
    expect(channel.modes).toEqual(['subscribe']);
    await expect(channel.publish('tick', 'x')).rejects.toMatchObject({ code: 40_010 });
    await expect(channel.presence.enter()).rejects.toMatchObject({ code: 40_010 });
    const socket = await clients.raw();
    await frame(socket);
    socket.sendText(JSON.stringify({ action: 10, channel: textOf(TICK, 'view'), flags: 0 }));
    expect(await frame(socket)).toMatchObject({ action: 11, channel: textOf(TICK, 'view'), flags: 262_144 });
    socket.sendText(JSON.stringify({ action: 16, channel: textOf(TICK, 'view') }));
    const annotations = [{ messageSerial: 's', type: 'a:total.v1' }];
    const more = { action: 21, channel: textOf(TICK, 'view'), msgSerial: 0, annotations };
    socket.sendText(JSON.stringify(more));
    expect(await frame(socket)).toMatchObject({ action: 2, error: { code: 40_010 } });
  });

  it('are refused with what is no expression or no base64, and nothing else is changed (case 54)', async () => {
    const client = clients.connect();
    const inbox = await heard(client.channels.get('kept'));
    const wrong = client.channels.getDerived('kept', { filter: 'name ==' });
    await expect(wrong.attach()).rejects.toMatchObject({ code: 40_010 });
    await expect(client.channels.get('[filter=!!]kept').attach()).rejects.toMatchObject({ code: 40_010 });
    await client.channels.get('kept').publish('tock', 'still here');
    expect((await inbox.take()).data).toBe('still here');
  });

  const libraries = {
    'the newest library': (clientId: string) => clients.connect({ clientId }),
    'the major before': (clientId: string) => {
      const where = { restHost: '127.0.0.1', realtimeHost: '127.0.0.1', port: node.port, tls: false };
      const client = new AblyBefore.Realtime.Promise({ ...where, key: keyOf(shop), clientId });
      clients.alsoClose(client);
      return client as unknown as Ably.Realtime;
    },
  };
  const statusOf = async (name: string): Promise<Ably.ChannelStatus['occupancy']['metrics']> =>
    (await clients.rest().channels.get(name).status()).status.occupancy.metrics;

  it.each(['the newest library', 'the major before'] as const)(
    'stand beside the channel and each other on one connection, which counts once, and go on with it (%s)',
    async (which) => {
      const name = `beside-${which.replaceAll(' ', '-')}`;
      const bob = clients.connect({ clientId: 'bob' }).channels.get(name);
      const ada = libraries[which]('ada');
      const names = [name, textOf(TICK, name), textOf('name == `"tock"`', name), `[?echo=false]${name}`];
      const channels = names.map((text) => ada.channels.get(text));
      const inboxes: Inbox<Ably.InboundMessage>[] = [];
      for (const channel of channels) inboxes.push(await heard(channel));
      const said = async (texts: readonly string[][]): Promise<void> => {
        for (const [at, expected] of texts.entries())
          for (const text of expected) expect([at, (await inboxes[at]?.take())?.data]).toEqual([at, text]);
      };
      await publish(bob, '1');
      await said([all('1'), ['tick 1'], ['tock 1'], all('1')]);
      // One of them does not want what its own connection says.
      await publish(channels[0] as Ably.RealtimeChannel, '2');
      await said([all('2'), ['tick 2'], ['tock 2'], []]);
      const once = { connections: 1, publishers: 1, subscribers: 1, presenceConnections: 1 };
      expect(await statusOf(name)).toMatchObject({ ...once, presenceSubscribers: 1, presenceMembers: 0 });
      expect(await node.api().subscriptionCount(name)).toBe(1);
      await channels[0]?.presence.enter('here');
      expect(await statusOf(name)).toMatchObject({ ...once, presenceMembers: 1 });
      await channels[1]?.detach();
      await publish(bob, '3');
      await said([all('3'), [], ['tock 3'], all('3')]);
      const back = new Inbox<unknown>();
      ada.connection.once('connected', back.put);
      // The major before asks for its channels again only after half a minute.
      if (which === 'the newest library') cut(ada);
      else back.put('it was not cut');
      await publish(bob, '4');
      await back.take();
      await said([all('4'), [], ['tock 4'], all('4')]);
      expect((await bob.presence.get()).map(({ clientId }) => clientId)).toEqual(['ada']);
      // The other one with a name of its own lets the connection have members.
      await channels[0]?.detach();
      expect((await bob.presence.get()).map(({ clientId }) => clientId)).toEqual(['ada']);
      const left = new Inbox<Ably.PresenceMessage>();
      await bob.presence.subscribe('leave', left.put);
      await channels[3]?.detach();
      expect((await left.take()).clientId).toBe('ada');
      await publish(bob, '5');
      await said([[], [], ['tock 5'], []]);
      await channels[2]?.detach();
      expect(await statusOf(name)).toMatchObject({ connections: 1, subscribers: 1, presenceMembers: 0 });
      expect(inboxes.map(({ rest }) => rest)).toEqual([[], [], [], []]);
    },
  );

  it('go on beside their channel with a token that lets it do less, and with differences each (case 48)', async () => {
    const options = { clientId: 'ada', useTokenAuth: true, plugins: { vcdiff: { decode } } };
    const ada = clients.connect(options);
    const watcher = clients.connect().channels.get('narrow');
    const left = new Inbox<Ably.PresenceMessage>();
    await watcher.presence.subscribe('leave', left.put);
    const params = { delta: 'vcdiff' };
    const plain = ada.channels.get('narrow', { params });
    const inboxes = [
      await heard(plain),
      await heard(ada.channels.getDerived('narrow', { filter: TICK }, { params })),
    ];
    await plain.presence.enter();
    const text = 'all that stays as it was, and a number that does not: ';
    const published = ['tick', 'tock', 'tick', 'tick'].map((event, n) => ({
      name: event,
      data: `${text}${n}`,
    }));
    const next = async (at: 0 | 1): Promise<unknown> => (await inboxes[at]?.take())?.data;
    for (const message of published.slice(0, 3)) await watcher.publish(message);
    for (const n of [0, 1, 2]) expect(await next(0)).toBe(`${text}${n}`);
    for (const n of [0, 2]) expect(await next(1)).toBe(`${text}${n}`);
    await ada.auth.authorize({ clientId: 'ada', capability: { '*': ['subscribe'] } });
    expect((await left.take()).clientId).toBe('ada');
    await expect(plain.publish('tick', 'x')).rejects.toMatchObject({ code: 40_160 });
    await watcher.publish(published.slice(3));
    for (const at of [0, 1] as const) expect(await next(at)).toBe(`${text}3`);
    expect(inboxes.map(({ rest }) => rest)).toEqual([[], []]);
  });

  it('begin with what of the last messages their filter lets through (16.4)', async () => {
    const publisher = clients.connect().channels.get('last');
    for (const event of ['tick', 'tock', 'tick', 'tock']) await publisher.publish(event, event);
    const ticks = await heard(derived('last', TICK, {}, { params: { rewind: '3' } }));
    await publisher.publish('tick', 'live');
    expect([(await ticks.take()).data, (await ticks.take()).data]).toEqual(['tick', 'live']);
  });

  it('begin with the past, go on with differences, and take what protocols of others publish', async () => {
    const publisher = clients.connect().channels.get('past');
    const text = 'all that stays as it was, and a number that does not: ';
    for (const event of ['tick', 'tock']) await publisher.publish(event, `${text}0`);
    const params = { rewind: '2', delta: 'vcdiff' };
    const ticks = await heard(derived('past', TICK, { plugins: { vcdiff: { decode } } }, { params }));
    for (const n of [1, 2]) {
      await publisher.publish('tock', `${text}-`);
      await publisher.publish('tick', `${text}${n}`);
    }
    const body = JSON.stringify({ name: 'tick', channel: 'past', data: `${text}3` });
    await node.api().request('POST', '/events', { body });
    const seen = await Promise.all(Array.from({ length: 4 }, () => ticks.take()));
    expect(seen.map(({ data }) => data as unknown)).toEqual(['0', '1', '2', '3'].map((n) => `${text}${n}`));
    const deltas = seen.map(
      ({ extras }) => (extras as { delta?: { from: string } } | undefined)?.delta?.from,
    );
    expect(deltas).toEqual([undefined, undefined, seen[1]?.id, seen[2]?.id]);
  });

  it('are none of REST', async () => {
    const rest = clients.rest();
    const channel = rest.channels.get(textOf(TICK, 'rest'));
    await expect(channel.publish('tick', 'x')).rejects.toMatchObject({ code: 40_010, statusCode: 400 });
    await expect(channel.history()).rejects.toMatchObject({ code: 40_010 });
    await expect(channel.presence.get()).rejects.toMatchObject({ code: 40_010 });
  });
});
