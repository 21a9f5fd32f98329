import { randomUUID } from 'node:crypto';
import * as Ably from 'ably';
import { afterEach, expect, it } from 'vitest';
import { Inbox } from '../clients/inbox.js';
import { DRY_PUSH } from '../harness/dry-push.js';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { basicOf, keyOf } from './key.js';

const shop = openTenant('shop');
const DEVICE_KEY = { key: 'shop.devices', secret: 'dev1ces' };
const config = {
  push: DRY_PUSH.config,
  compat: {
    enabled: true,
    keys: [
      {
        app_id: 'shop',
        key_name: DEVICE_KEY.key,
        secret: DEVICE_KEY.secret,
        capability: '{"*":["push-subscribe","subscribe"]}',
      },
    ],
  },
};
const phone = (id: string, clientId = 'ann'): Ably.DeviceDetails => ({
  id,
  clientId,
  formFactor: 'phone',
  platform: 'android',
  metadata: { model: 'x' },
  push: { recipient: { transportType: 'fcm', registrationToken: `token-of-${id}` } },
});
const basic = basicOf(DEVICE_KEY);

onServer('push for Ably clients', { tenants: [shop], config, env: DRY_PUSH.env }, (node) => {
  const open: Ably.Realtime[] = [];
  afterEach(() => {
    for (const one of open.splice(0)) one.close();
  });
  const where = (): Ably.ClientOptions => ({ endpoint: '127.0.0.1', port: node.port, tls: false });
  const admin = (useBinaryProtocol = true): Ably.PushAdmin =>
    new Ably.Rest({ key: keyOf(shop), ...where(), useBinaryProtocol }).push.admin;
  const ask = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${node.port}/push/${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: basic, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const value = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    return { status: answer.status, value, code: (value['error'] as { code?: number } | undefined)?.code };
  };

  it.each([true, false])('keeps devices as they were said, and forgets them (binary: %s)', async (binary) => {
    const { deviceRegistrations: devices } = admin(binary);
    const ids = ['a', 'b', 'c'].map((name) => `${name}-${binary}`);
    for (const id of ids) expect(await devices.save(phone(id, `client-${binary}`))).toMatchObject({ id });
    const got = await devices.get(ids[0] ?? '');
    expect(got).toMatchObject({
      clientId: `client-${binary}`,
      platform: 'android',
      metadata: { model: 'x' },
      push: { recipient: { transportType: 'fcm', registrationToken: `token-of-${ids[0]}` }, state: 'ACTIVE' },
    });
    const first = await devices.list({ clientId: `client-${binary}`, limit: 2 });
    const second = await first.next();
    expect([...first.items, ...(second?.items ?? [])].map(({ id }) => id)).toEqual(ids);
    expect(second?.hasNext()).toBe(false);
    await devices.remove(ids[0] ?? '');
    await expect(devices.get(ids[0] ?? '')).rejects.toMatchObject({ code: 40_400 });
    await devices.removeWhere({ clientId: `client-${binary}` });
    expect((await devices.list({ clientId: `client-${binary}` })).items).toEqual([]);
  });

  it('subscribes devices and clients to channels', async () => {
    const { channelSubscriptions: subscriptions, deviceRegistrations: devices } = admin();
    await devices.save(phone('subscribed'));
    await subscriptions.save({ channel: 'news', deviceId: 'subscribed' });
    await subscriptions.save({ channel: 'a name', clientId: 'ann' });
    expect((await subscriptions.listChannels({})).items).toEqual(['a name', 'news']);
    expect((await subscriptions.list({ clientId: 'ann' })).items).toMatchObject([{ channel: 'a name' }]);
    expect((await subscriptions.list({ channel: 'news' })).items).toMatchObject([{ deviceId: 'subscribed' }]);
    await subscriptions.remove({ channel: 'news', deviceId: 'subscribed' });
    await subscriptions.removeWhere({ clientId: 'ann' });
    expect((await subscriptions.list({})).items).toEqual([]);
  });

  it('takes a device and a client together for that device, where it is one of that client', async () => {
    const { channelSubscriptions: subscriptions, deviceRegistrations: devices } = admin();
    await devices.save(phone('of-bo', 'bo'));
    for (const who of [{ deviceId: 'of-bo' }, { clientId: 'bo' }])
      await subscriptions.save({ channel: 'both', ...who });
    const both = { channel: 'both', deviceId: 'of-bo', clientId: 'bo' };
    const listed = async (filter: object): Promise<unknown> => (await subscriptions.list(filter)).items;
    expect(await listed(both)).toMatchObject([{ deviceId: 'of-bo' }]);
    const other = { ...both, clientId: 'ann' };
    expect(await listed(other)).toEqual([]);
    await subscriptions.removeWhere(other);
    expect(await listed({ channel: 'both' })).toHaveLength(2);
    await subscriptions.removeWhere(both);
    expect(await listed({ channel: 'both' })).toMatchObject([{ clientId: 'bo' }]);
    // A client alone may ask of itself, but for its devices those must prove themselves.
    const asBo = { 'x-ably-clientid': Buffer.from('bo').toString('base64') };
    const query = 'channelSubscriptions?clientId=bo';
    expect(await ask('GET', query, undefined, asBo)).toMatchObject({ status: 200 });
    expect(await ask('GET', `${query}&deviceId=of-bo`, undefined, asBo)).toMatchObject({ code: 40_160 });
    await subscriptions.removeWhere({ channel: 'both' });
    await devices.remove('of-bo');
  });

  it('refuses a push to a channel that says nothing, and a device whose channel is none', async () => {
    const recipient = { transportType: 'ablyChannel', channel: 'told' };
    const byAll = { authorization: basicOf(shop) };
    for (const payload of [{}, { notification: {} }, { notification: { title: 5 } }, { data: 5 }])
      expect(await ask('POST', 'publish', { recipient, ...payload }, byAll)).toMatchObject({ code: 40_000 });
    const device = { ...phone('nowhere'), push: { recipient: { ...recipient, channel: '[meta]x' } } };
    expect(await ask('POST', 'deviceRegistrations', device, byAll)).toMatchObject({ code: 40_010 });
  });

  it('publishes to devices and clients that are there, and to channels, once', async () => {
    const { deviceRegistrations: devices } = admin();
    await devices.save(phone('reached'));
    const payload = { notification: { title: 'Hi', body: 'There' }, data: { n: '1' } };
    await admin().publish({ deviceId: 'reached' }, payload);
    await admin().publish({ clientId: 'ann' }, payload);
    await expect(admin().publish({ deviceId: 'nobody' }, payload)).rejects.toMatchObject({ code: 40_400 });
    await expect(admin().publish({ transportType: 'pigeon' }, payload)).rejects.toMatchObject({
      code: 40_000,
    });
    const client = new Ably.Realtime({ key: keyOf(shop), ...where() });
    open.push(client);
    const inbox = new Inbox<Ably.InboundMessage>();
    await client.channels.get('pushed').subscribe(inbox.put);
    const body = { recipient: { transportType: 'ablyChannel', channel: 'pushed' }, ...payload };
    const key = {
      authorization: basicOf(shop),
      'idempotency-key': 'k',
    };
    expect((await ask('POST', 'publish', body, key)).status).toBe(201);
    expect((await ask('POST', 'publish', body, key)).status).toBe(201);
    await admin().publish(
      { ...body.recipient, ablyKey: 'x', ablyUrl: 'y' },
      { notification: { title: 'last' } },
    );
    const [one, last] = [await inbox.take(), await inbox.take()];
    expect(one).toMatchObject({ name: '__ably_push__' });
    expect(JSON.parse(one.data as string)).toEqual(payload);
    expect(JSON.parse(last.data as string)).toEqual({ notification: { title: 'last' } });
  });

  it('reaches devices whose address is a channel, by a message there', async () => {
    const { deviceRegistrations: devices, channelSubscriptions: subscriptions } = admin();
    const recipient = { transportType: 'ablyChannel', channel: 'a device, by its channel' };
    const device = { ...phone('by-channel', 'zoe'), push: { recipient: { ...recipient, ablyUrl: 'y' } } };
    expect((await devices.save(device)).push).toMatchObject({ recipient, state: 'ACTIVE' });
    const client = new Ably.Realtime({ key: keyOf(shop), ...where() });
    open.push(client);
    const inbox = new Inbox<Ably.InboundMessage>();
    await client.channels.get(recipient.channel).subscribe(inbox.put);
    const payload = { notification: { title: 'Hi', body: 'There' }, data: { n: '1' } };
    await admin().publish({ deviceId: 'by-channel' }, payload);
    const told = await inbox.take();
    expect(told.name).toBe('__ably_push__');
    expect(JSON.parse(told.data as string)).toEqual(payload);
    await subscriptions.save({ channel: 'news-of-zoe', deviceId: 'by-channel' });
    const extras = { push: { notification: { title: 'News' } } };
    const news = new Ably.Rest({ key: keyOf(shop), ...where() }).channels.get('news-of-zoe');
    await news.publish({ name: 'n', data: 'd', extras });
    expect(JSON.parse((await inbox.take()).data as string)).toEqual({ notification: { title: 'News' } });
    // A client that is connected makes a push in the same way, and of what cannot be pushed nothing is published.
    const live = client.channels.get('news-of-zoe');
    const heard = new Inbox<Ably.InboundMessage>();
    await live.subscribe(heard.put);
    const bad = { push: { notification: { title: 'Bad', icon: 'http://insecure.example/i.png' } } };
    await expect(live.publish({ name: 'n', data: 'bad', extras: bad })).rejects.toMatchObject({
      code: 40_000,
    });
    await live.publish({ name: 'n', data: 'd', extras: { push: { notification: { title: 'Live' } } } });
    const message = await heard.take();
    expect([message.data, message.extras]).toEqual(['d', undefined]);
    expect(JSON.parse((await inbox.take()).data as string)).toEqual({ notification: { title: 'Live' } });
    await devices.remove('by-channel');
  });

  it('lets a device make itself known, and change with its token alone', async () => {
    const id = randomUUID();
    const web = {
      id,
      platform: 'browser',
      formFactor: 'desktop',
      deviceSecret: 'not kept',
      push: {
        recipient: {
          transportType: 'web',
          targetUrl: Buffer.from('https://fcm.googleapis.com/fcm/send/x').toString('base64'),
          encryptionKey: {
            p256dh: Buffer.from([4, ...new Uint8Array(64)]).toString('base64url'),
            auth: Buffer.alloc(16).toString('base64url'),
          },
        },
      },
    };
    const made = await ask('POST', 'deviceRegistrations', web);
    expect(made).toMatchObject({ status: 201, value: { id, push: web.push } });
    const { token } = made.value['deviceIdentityToken'] as { token: string };
    expect(await ask('POST', 'deviceRegistrations', web)).toMatchObject({ status: 401, code: 40_160 });
    const path = `deviceRegistrations/${id}`;
    const own = { 'x-ably-devicetoken': token };
    const change = { push: { recipient: { transportType: 'gcm', registrationToken: 'other' } } };
    expect(await ask('PATCH', path, change, own)).toMatchObject({
      status: 200,
      value: { platform: 'browser', ...change },
    });
    const wrong = { 'x-ably-devicetoken': `${token}x` };
    expect(await ask('PATCH', path, change, wrong)).toMatchObject({ status: 401, code: 40_140 });
    const bearer = { authorization: `Bearer ${Buffer.from(token).toString('base64')}` };
    expect(await ask('GET', path, undefined, bearer)).toMatchObject({ status: 200, value: { id } });
    const subscription = { channel: 'news', deviceId: id };
    expect(await ask('POST', 'channelSubscriptions', subscription, own)).toMatchObject({ status: 201 });
    expect((await ask('GET', 'channelSubscriptions', undefined, own)).value).toEqual([subscription]);
    expect(await ask('DELETE', 'channelSubscriptions', undefined, own)).toMatchObject({ code: 40_000 });
    expect(await ask('DELETE', 'deviceRegistrations', undefined, own)).toMatchObject({ code: 40_000 });
    expect((await ask('DELETE', path, undefined, own)).status).toBe(204);
  });

  it('answers 429 with Retry-After when a device had ten wrong tokens', async () => {
    const id = 'guessed';
    const { token } = (await ask('POST', 'deviceRegistrations', phone(id))).value['deviceIdentityToken'] as {
      token: string;
    };
    const find = (sent: string) =>
      fetch(`http://127.0.0.1:${node.port}/push/deviceRegistrations/${id}`, {
        headers: { 'x-ably-devicetoken': sent },
      });
    const wrong = `${token.slice(0, -43)}${'x'.repeat(43)}`;
    for (let tries = 0; tries < 10; tries += 1) expect((await find(wrong)).status).toBe(401);
    const refused = await find(wrong);
    expect(await refused.json()).toMatchObject({ error: { code: 42_910, statusCode: 429 } });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await find(token)).status).toBe(200);
  });

  it('lets nobody else do what operators do', async () => {
    const payload = { recipient: { clientId: 'ann' }, notification: { title: 'x' } };
    expect(await ask('POST', 'publish', payload)).toMatchObject({ status: 401, code: 40_160 });
    expect(await ask('GET', 'deviceRegistrations')).toMatchObject({ status: 401, code: 40_160 });
    expect(await ask('GET', 'channels')).toMatchObject({ status: 401, code: 40_160 });
    expect(await ask('GET', 'publicVapidKey')).toMatchObject({ status: 404, code: 40_400 });
    const stats = await fetch(`http://127.0.0.1:${node.port}/stats`, { method: 'POST', body: '[]' });
    expect(stats.status).toBe(404);
    expect(await ask('POST', 'apnsBroadcastChannels', {})).toMatchObject({ status: 404, code: 40_400 });
  });
});
