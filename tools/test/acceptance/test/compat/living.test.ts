import * as Ably from 'ably';
import { afterEach, expect, it } from 'vitest';
import { Inbox } from '../clients/inbox.js';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { keyOf } from './key.js';
import { type AblyFrame, attach, RawAblies } from './raw-ably.js';

const shop = openTenant('shop', { history: { enabled: true }, channels: { annotations_enabled: true } });
const env = {
  HISTORY_ENABLED: 'true',
  HISTORY_BACKEND: 'memory',
  VERSIONED_MESSAGES_ENABLED: 'true',
  ANNOTATIONS_ENABLED: 'true',
};
const OWN = { key: 'shop.own', secret: '0wn' };
const config = {
  compat: {
    enabled: true,
    keys: [
      {
        app_id: 'shop',
        key_name: OWN.key,
        secret: OWN.secret,
        capability: '{"*":["subscribe","history","message-update-own","annotation-delete-own"]}',
      },
    ],
  },
};

/** What a frame says of a message. */
const told = (frame: AblyFrame): unknown[] => {
  const [message] = frame['messages'] as Record<string, unknown>[];
  return [message?.['serial'], message?.['action'], message?.['data'], message?.['annotations']];
};

onServer('messages of Ably clients live on', { tenants: [shop], config, env }, (node) => {
  const open: Ably.Realtime[] = [];
  afterEach(() => {
    for (const one of open.splice(0)) one.close();
  });
  const at = (options: Ably.ClientOptions): Ably.ClientOptions => ({
    key: keyOf(shop),
    endpoint: '127.0.0.1',
    port: node.port,
    tls: false,
    ...options,
  });
  const rest = (options: Ably.ClientOptions = {}): Ably.Rest => new Ably.Rest(at(options));
  const connect = (options: Ably.ClientOptions = {}): Ably.Realtime => {
    const client = new Ably.Realtime(at(options));
    open.push(client);
    return client;
  };

  it.each([true, false])(
    'is updated and appended to (cases 24 and 25, binary: %s)',
    async (useBinaryProtocol) => {
      const name = `living:${useBinaryProtocol}`;
      const channel = rest({ useBinaryProtocol }).channels.get(name);
      const live = new Inbox<Ably.InboundMessage>();
      await connect({ useBinaryProtocol }).channels.get(name).subscribe(live.put);
      const { serials } = await channel.publish({ name: 'n', data: 'a', clientId: 'ada' });
      const serial = serials[0] ?? '';
      expect(await live.take()).toMatchObject({
        action: 'message.create',
        serial,
        data: 'a',
        clientId: 'ada',
      });
      await channel.publish('other', 'x');
      await live.take();
      await channel.updateMessage(
        { serial, data: { n: 2 } },
        { description: 'why', metadata: { by: 'test' } },
      );
      expect(await live.take()).toMatchObject({
        action: 'message.update',
        serial,
        name: 'n',
        data: { n: 2 },
        version: { description: 'why', metadata: { by: 'test' } },
      });
      const changed = await channel.getMessage(serial);
      expect(changed).toMatchObject({ data: { n: 2 }, name: 'n', clientId: 'ada', action: 'message.update' });
      expect(changed.version).toMatchObject({ description: 'why', metadata: { by: 'test' } });
      await channel.updateMessage({ serial, data: 'a' });
      await live.take();
      const { versionSerial } = await channel.appendMessage({ serial, data: ' b' });
      expect(await live.take()).toMatchObject({
        action: 'message.append',
        serial,
        data: ' b',
        version: { serial: versionSerial },
      });
      expect(await channel.getMessage(serial)).toMatchObject({ data: 'a b', action: 'message.update' });
      const { items } = await channel.history({ direction: 'forwards' });
      expect(items.map((one) => [one.data as unknown, one.action])).toEqual([
        ['a b', 'message.update'],
        ['x', 'message.create'],
      ]);
      const versions = await channel.getMessageVersions(serial);
      expect(versions.items.map((one) => one.data as unknown)).toEqual(['a', { n: 2 }, 'a', ' b']);
      const rewound = new Inbox<Ably.InboundMessage>();
      const late = connect({ useBinaryProtocol }).channels.get(name, { params: { rewind: '2' } });
      await late.subscribe(rewound.put);
      for (const item of items) expect(await rewound.take()).toEqual(item);
      // Wherever it is read, a message has the id that it was published with.
      const { id } = items[0] ?? {};
      expect(id).toMatch(/:0$/);
      expect((await channel.getMessage(serial)).id).toBe(id);
      expect(versions.items.map((one) => one.id)).toEqual([id, id, id, id]);
      await channel.deleteMessage({ serial });
      expect(await live.take()).toMatchObject({ action: 'message.delete', serial });
      expect(await channel.getMessage(serial)).toMatchObject({ action: 'message.delete' });
    },
  );

  it('is heard of whoever publishes it', async () => {
    const live = new Inbox<Ably.InboundMessage>();
    await connect().channels.get('drafts').subscribe(live.put);
    await node.api().publish('drafts', 'draft', 'one');
    expect(await live.take()).toMatchObject({ name: 'draft', data: 'one' });
  });

  it('shows versions in pages, either way round', async () => {
    const channel = rest().channels.get('pages');
    const serial = (await channel.publish('n', '0')).serials[0] ?? '';
    for (const data of ['1', '2', '3', '4']) await channel.updateMessage({ serial, data });
    const first = await channel.getMessageVersions(serial, { limit: '2', direction: 'backwards' });
    expect(first.items.map(({ data }) => data as unknown)).toEqual(['4', '3']);
    const second = await first.next();
    const third = await second?.next();
    expect(third?.items.map(({ data }) => data as unknown)).toEqual(['0']);
    expect(third?.hasNext()).toBe(false);
  });

  it('is changed over a connection too, and answered with the version', async () => {
    const client = connect({ clientId: 'ada' });
    const channel = client.channels.get('realtime');
    const live = new Inbox<Ably.InboundMessage>();
    await channel.subscribe(live.put);
    const { serials } = await channel.publish('n', 'a');
    const serial = serials[0] ?? '';
    expect(await live.take()).toMatchObject({ serial });
    const { versionSerial } = await channel.appendMessage({ serial, data: 'b' });
    expect(await live.take()).toMatchObject({ action: 'message.append', version: { serial: versionSerial } });
    expect(await channel.getMessage(serial)).toMatchObject({ data: 'ab' });
  });

  it('is changed without a word to the connection that changes it, if it wants none (17)', async () => {
    const raw = new RawAblies(node, shop, 'json');
    try {
      const channel = 'unheard';
      const [{ client }, { client: other }] = [await raw.connect('&echo=false'), await raw.connect()];
      for (const one of [client, other]) await attach(one, channel);
      client.send({ action: 15, channel, msgSerial: 0, messages: [{ data: 'a' }] });
      const { res } = (await client.next()) as { res?: [{ serials: [string] }] };
      const serial = res?.[0].serials[0];
      const changes = [
        { serial, action: 1, data: 'b' },
        { serial, action: 5, data: 'c', extras: { echo: true } },
        { serial, action: 2, extras: { echo: false } },
      ];
      for (const [index, change] of changes.entries())
        client.send({ action: 15, channel, msgSerial: index + 1, messages: [change] });
      const heard = [await other.next(), await other.next(), await other.next(), await other.next()];
      expect(heard.map((frame) => told(frame)[1])).toEqual([0, 1, 5, 2]);
      const own = [await client.next(), await client.next(), await client.next(), await client.next()];
      const messages = own.filter(({ action }) => action === 15);
      expect(messages.map((frame) => told(frame)[1])).toEqual([5]);
    } finally {
      raw.close();
    }
  });

  it('is appended to though it had no data, and no name', async () => {
    const channel = rest().channels.get('nothing');
    const serial = (await channel.publish({})).serials[0] ?? '';
    await channel.appendMessage({ serial, data: 'a' });
    await channel.appendMessage({ serial, data: 'b', extras: { headers: { k: 'v' } } });
    const message = await channel.getMessage(serial);
    expect(message).toMatchObject({ data: 'ab', extras: { headers: { k: 'v' } } });
    expect(message.name).toBeUndefined();
  });

  it('is left alone by who may change only what is his own (case 26)', async () => {
    const channel = rest().channels.get('own');
    const mine = (await channel.publish({ data: 'm', clientId: 'ada' })).serials[0] ?? '';
    const theirs = (await channel.publish({ data: 't', clientId: 'bob' })).serials[0] ?? '';
    const ada = rest({ key: `${OWN.key}:${OWN.secret}`, clientId: 'ada' }).channels.get('own');
    await ada.updateMessage({ serial: mine, data: 'changed' });
    await expect(ada.updateMessage({ serial: theirs, data: 'x' })).rejects.toMatchObject({ code: 40_160 });
    await expect(ada.deleteMessage({ serial: mine })).rejects.toMatchObject({ code: 40_160 });
    await expect(channel.getMessage('00000000000000000001:n:00000000000000000001')).rejects.toMatchObject({
      code: 40_400,
    });
    await expect(channel.appendMessage({ serial: mine, data: { no: 'text' } })).rejects.toMatchObject({
      code: 40_000,
    });
    await expect(ada.publish('n', 'x')).rejects.toMatchObject({ code: 40_160 });
  });

  it('is annotated, listed, and taken back', async () => {
    const ada = rest({ clientId: 'ada' }).channels.get('annotated');
    const serial = (await ada.publish('n', 'a')).serials[0] ?? '';
    const type = 'reactions:distinct.v1';
    await ada.annotations.publish(serial, { type, name: 'like', data: { by: 1 } });
    await ada.annotations.publish(serial, { type, name: 'love' });
    const { items } = await ada.annotations.get(serial, {});
    expect(items.map(({ name, clientId, action }) => [name, clientId, action])).toEqual([
      ['like', 'ada', 'annotation.create'],
      ['love', 'ada', 'annotation.create'],
    ]);
    expect(items[0]?.data).toEqual({ by: 1 });
    await ada.annotations.delete(serial, { type, name: 'love' });
    await expect(ada.annotations.delete(serial, { type, name: 'love' })).rejects.toMatchObject({
      code: 40_400,
    });
    const nobody = rest().channels.get('annotated');
    await expect(
      nobody.annotations.delete(serial, { type, name: 'like', clientId: 'ada' }),
    ).rejects.toMatchObject({ code: 40_012 });
    await expect(ada.annotations.publish(serial, { type: 'wrong' })).rejects.toMatchObject({ code: 40_000 });
    const own = rest({ key: `${OWN.key}:${OWN.secret}`, clientId: 'ada' }).channels.get('annotated');
    await own.annotations.delete(serial, { type, name: 'like' });
  });

  it('goes on where a client was with what was done to it, and is shown as it is now to who begins before (16.3, 16.4)', async () => {
    const name = 'changing';
    const writer = rest({ clientId: 'ada' }).channels.get(name);
    const raw = new RawAblies(node, shop, 'json');
    try {
      const { client } = await raw.connect();
      const { channelSerial } = await attach(client, name);
      const serial = (await writer.publish('n', 'a')).serials[0] ?? '';
      await writer.appendMessage({ serial, data: 'b' });
      await writer.updateMessage({ serial, data: 'c' });
      const other = (await writer.publish('n', 'd')).serials[0] ?? '';
      await writer.annotations.publish(serial, { type: 'reactions:flag.v1' });
      const { client: back } = await raw.connect();
      const RESUMED = 4;
      expect(Number((await attach(back, name, { channelSerial }))['flags']) & RESUMED).toBe(RESUMED);
      expect((await back.rest()).map(told)).toEqual([
        [serial, 0, 'a', undefined],
        [serial, 5, 'b', undefined],
        [serial, 1, 'c', undefined],
        [other, 0, 'd', undefined],
      ]);
      const { client: later } = await raw.connect();
      await attach(later, name, { params: { rewind: '2' } });
      const summary = { 'reactions:flag.v1': { total: 1, clientIds: ['ada'], clipped: false } };
      expect((await later.rest()).map(told)).toEqual([
        [serial, 1, 'c', { summary }],
        [other, 0, 'd', undefined],
      ]);
    } finally {
      raw.close();
    }
  });

  it('shows reactions live, each of them only to who asked for that (case 45)', async () => {
    const ada = rest({ clientId: 'ada' }).channels.get('live-reactions');
    const [plain, raw] = [new Inbox<Ably.InboundMessage>(), new Inbox<Ably.Annotation>()];
    await connect().channels.get('live-reactions').subscribe(plain.put);
    const asking = connect().channels.get('live-reactions', { modes: ['SUBSCRIBE', 'ANNOTATION_SUBSCRIBE'] });
    await asking.annotations.subscribe(raw.put);
    await asking.attach();
    const serial = (await ada.publish('n', 'a')).serials[0] ?? '';
    await plain.take();
    const type = 'reactions:distinct.v1';
    await ada.annotations.publish(serial, { type, name: 'like' });
    expect(await plain.take()).toMatchObject({
      action: 'message.summary',
      serial,
      annotations: { summary: { [type]: { like: { total: 1, clientIds: ['ada'] } } } },
    });
    const summary = { [type]: { like: { total: 1, clientIds: ['ada'] } } };
    expect((await ada.history()).items[0]).toMatchObject({ serial, annotations: { summary } });
    expect(await ada.getMessage(serial)).toMatchObject({ annotations: { summary } });
    expect(await raw.take()).toMatchObject({
      action: 'annotation.create',
      name: 'like',
      messageSerial: serial,
    });
  });

  it('is annotated once for an id', async () => {
    const ada = rest({ clientId: 'ada' }).channels.get('annotated-once');
    const serial = (await ada.publish('n', 'a')).serials[0] ?? '';
    const annotation = { id: 'a1:0', type: 'votes:total.v1' };
    await ada.annotations.publish(serial, annotation);
    await ada.annotations.publish(serial, annotation);
    expect((await ada.annotations.get(serial, {})).items).toHaveLength(1);
  });
});
