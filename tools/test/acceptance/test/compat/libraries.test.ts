import * as Ably from 'ably';
import AblyBefore from 'ably-v1';
import { afterEach, expect, it } from 'vitest';
import { Inbox } from '../clients/inbox.js';
import { eventually } from '../harness/eventually.js';
import { DRY_PUSH } from '../harness/dry-push.js';
import { onServer } from '../harness/every-app.js';
import { OnePort } from '../harness/one-port.js';
import { openTenant } from '../harness/tenant.js';
import { keyOf } from './key.js';

const shop = openTenant('shop', { history: { enabled: true } });
const env = {
  HISTORY_ENABLED: 'true',
  HISTORY_BACKEND: 'memory',
  ...DRY_PUSH.env,
};
const config = { push: DRY_PUSH.config, compat: { enabled: true } };

onServer('other libraries of Ably', { tenants: [shop], config, env }, (node) => {
  const open: { close(): void }[] = [];
  afterEach(() => {
    for (const one of open.splice(0)) one.close();
  });
  const connect = (clientId: string): Ably.Realtime => {
    const where = { endpoint: '127.0.0.1', port: node.port, tls: false };
    const client = new Ably.Realtime({ key: keyOf(shop), clientId, ...where });
    open.push(client);
    return client;
  };
  const before = (useBinaryProtocol: boolean) => ({
    key: keyOf(shop),
    restHost: '127.0.0.1',
    realtimeHost: '127.0.0.1',
    port: node.port,
    tls: false,
    useBinaryProtocol,
  });

  it.each([true, false])('the major before: connections (binary: %s)', async (binary) => {
    const client = new AblyBefore.Realtime.Promise({ ...before(binary), clientId: 'old' });
    open.push(client);
    const channel = client.channels.get(`before-${binary}`);
    const inbox = new Inbox<{ name: string; data: unknown; clientId: string }>();
    await channel.subscribe((message) => inbox.put(message));
    await channel.publish('n', { n: 1 });
    expect(await inbox.take()).toMatchObject({ name: 'n', data: { n: 1 }, clientId: 'old' });
    await channel.publish('b', Buffer.from([0, 255]));
    expect(Buffer.from((await inbox.take()).data as Uint8Array)).toEqual(Buffer.from([0, 255]));
    await channel.presence.enter('here');
    const members = await channel.presence.get();
    expect(members.map(({ clientId, data }) => [clientId, data as unknown])).toEqual([['old', 'here']]);
    const changes = new Inbox<{ action: string; data: unknown; timestamp: number }>();
    await channel.presence.subscribe((change) => changes.put(change));
    await channel.presence.update('there');
    const update = await changes.take();
    expect(update).toMatchObject({ action: 'update', data: 'there' });
    // It takes a leave of the same millisecond for something older.
    await eventually(() => expect(Date.now()).toBeGreaterThan(update.timestamp));
    await channel.presence.leave('gone');
    expect(await changes.take()).toMatchObject({ action: 'leave', data: 'gone' });
    const newer = connect('new').channels.get(`before-${binary}`);
    await newer.publish('from-new', 'x');
    expect(await inbox.take()).toMatchObject({ name: 'from-new', clientId: 'new' });
  });

  it.each([true, false])(
    'the major before: begins anew after a cut, and hears on (binary: %s)',
    async (binary) => {
      const front = new OnePort([node.port]);
      open.push(front);
      const port = await front.listen();
      const client = new AblyBefore.Realtime.Promise({
        ...before(binary),
        port,
        disconnectedRetryTimeout: 100,
      });
      open.push(client);
      const channel = client.channels.get(`cut-before-${binary}`);
      const inbox = new Inbox<{ data: unknown }>();
      await channel.subscribe((message) => inbox.put(message));
      const { id } = client.connection;
      const changes = new Inbox<{ current: string; resumed: boolean }>();
      channel.on('attached', (change) => changes.put(change));
      front.cut();
      expect(await changes.take()).toMatchObject({ current: 'attached', resumed: false });
      expect(client.connection.id).not.toBe(id);
      await connect('new').channels.get(channel.name).publish('n', 'after');
      expect((await inbox.take()).data).toBe('after');
    },
  );

  it.each([true, false])('the major before: REST, tokens and push (binary: %s)', async (binary) => {
    const rest = new AblyBefore.Rest.Promise(before(binary));
    const channel = rest.channels.get(`before-rest-${binary}`);
    for (const n of [1, 2, 3]) await channel.publish(`n${n}`, { n });
    const page = await channel.history({ limit: 2 });
    expect(page.items.map(({ data }) => data as unknown)).toEqual([{ n: 3 }, { n: 2 }]);
    expect((await page.next())?.items.map(({ name }) => name)).toEqual(['n1']);
    const { clientId } = await rest.auth.requestToken({ clientId: 'ada' });
    expect(clientId).toBe('ada');
    expect(Math.abs((await rest.time()) - Date.now())).toBeLessThan(5000);
    const { deviceRegistrations } = rest.push.admin;
    const id = `before-${binary}`;
    const recipient = { transportType: 'gcm', registrationToken: 'x' };
    await deviceRegistrations.save({
      id,
      platform: 'android',
      formFactor: 'phone',
      push: { recipient },
    } as never);
    expect(await deviceRegistrations.get(id)).toMatchObject({ id, push: { recipient } });
    await rest.push.admin.publish({ deviceId: id }, { notification: { title: 'x' } });
    expect((await rest.stats({ unit: 'month' })).items[0]).toHaveProperty('intervalId');
  });
});
