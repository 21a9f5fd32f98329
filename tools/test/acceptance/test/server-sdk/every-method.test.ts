import { CarillonServer, NotFoundError, PermissionError, AuthenticationError } from '@carillon/server';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { DRY_PUSH } from '../harness/dry-push.js';
import { onServerHttp } from '../harness/every-app.js';
import { eventually } from '../harness/eventually.js';
import type { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';

const shop = openTenant('shop', { channels: { annotations_enabled: true } });
const env = {
  ...DRY_PUSH.env,
  HISTORY_ENABLED: 'true',
  HISTORY_BACKEND: 'memory',
  PRESENCE_HISTORY_ENABLED: 'true',
  VERSIONED_MESSAGES_ENABLED: 'true',
  ANNOTATIONS_ENABLED: 'true',
};
const DEVICE = {
  id: 'phone-1',
  clientId: 'ada',
  formFactor: 'phone',
  platform: 'android',
  timezone: 'UTC',
  locale: 'en',
  push: { recipient: { transportType: 'gcm', registrationToken: 'token-1' } },
};

const serverOf = (node: Node, secret: string = shop.secret): CarillonServer =>
  new CarillonServer({ url: `http://127.0.0.1:${node.port}`, appId: shop.id, key: shop.key, secret });

onServerHttp('@carillon/server', { tenants: [shop], env, config: { push: DRY_PUSH.config } }, (node) => {
  it('publishes to channels and users, in batches, and once for a repeated key', async () => {
    const server = serverOf(node);
    const client = await node.connect(shop);
    await client.subscribe('orders');
    const { channels } = await server.publish(
      ['orders', 'other'],
      'paid',
      { id: 1 },
      { info: ['subscription_count'] },
    );
    expect(channels?.['orders']).toMatchObject({ subscriptionCount: 1 });
    for (const _ of ['first', 'again'])
      await server.publish('orders', 'once', 'x', { idempotencyKey: 'k-1' });
    await server.publishBatch([{ channel: 'orders', name: 'b', data: 'y' }]);
    await server.publish('orders', 'none', 'z', { socketId: client.socketId });
    await server.sendToUser('nobody', 'e', 1);
    const frames = await client.pending();
    expect(frames.map((text) => (JSON.parse(text) as { event: string }).event)).toEqual([
      'paid',
      'once',
      'b',
    ]);
  });

  it('signs members and users that the service accepts, and lists channels and members', async () => {
    const server = serverOf(node);
    const client = await node.connect(shop);
    const { auth, channel_data: data } = await server.authorizeChannel(client.socketId, 'presence-room', {
      user_id: 'ada',
      user_info: { name: 'Ada' },
    });
    client.send({ event: 'pusher:subscribe', data: { channel: 'presence-room', auth, channel_data: data } });
    expect((await client.next()).event).toBe('pusher_internal:subscription_succeeded');
    client.send({
      event: 'pusher:signin',
      data: await server.authenticateUser(client.socketId, { id: 'ada' }),
    });
    expect((await client.next()).event).toBe('pusher:signin_success');
    expect(await server.channels({ prefix: 'presence-', info: ['user_count'] })).toMatchObject({
      channels: { 'presence-room': { userCount: 1 } },
    });
    const room = server.channel('presence-room');
    expect(await room.state({ info: ['user_count'] })).toMatchObject({ occupied: true, userCount: 1 });
    expect(await room.members()).toEqual({ users: [{ id: 'ada' }] });
    await eventually(async () => expect((await room.presenceHistory()).items).toHaveLength(1));
    expect(await room.presenceSnapshot()).toMatchObject({ memberCount: 1 });
    expect(await room.presenceHistoryState()).toMatchObject({ channel: 'presence-room' });
    await server.sendToUser('ada', 'hello', 1);
    expect((await client.next()).event).toBe('hello');
    await server.forceReconnect('ada');
    await server.terminateUserConnections('ada');
  });

  it('reads, resets and purges histories through their cursors', async () => {
    const channel = serverOf(node).channel('log@a=1,b;c');
    for (const data of ['1', '2', '3']) await channel.publish('line', data);
    const read: unknown[] = [];
    for await (const { message } of await channel.history({ limit: 2, direction: 'oldest_first' })) {
      read.push(message.data);
    }
    expect(read).toEqual(['1', '2', '3']);
    expect(await channel.historyState()).toMatchObject({ stream: { retained: { retainedMessages: 3 } } });
    expect(await channel.purgeHistory({ beforeSerial: 3, reason: 'test' })).toMatchObject({
      purgedMessages: 2,
    });
    expect(await channel.resetHistory({ reason: 'test', requestedBy: 'ops' })).toMatchObject({
      purgedMessages: 1,
    });
    expect((await channel.history()).items).toEqual([]);
  });

  it('changes and annotates messages', async () => {
    const channel = serverOf(node).channel('chat');
    const { channels } = await channel.publish('note', 'hello', { messageId: 'm-1' });
    const message = channel.message(channels?.['chat']?.messageSerial ?? '');
    expect(await message.append(' world')).toMatchObject({ action: 'append', status: 'applied' });
    expect(await message.update({ data: 'bye', description: 'd' })).toMatchObject({ action: 'update' });
    expect(await message.get()).toMatchObject({ data: 'bye' });
    expect((await message.versions()).items).toHaveLength(3);
    const { annotationSerial } = await message.annotate({ type: 'likes:flag.v1', clientId: 'ada' });
    expect((await message.annotations()).items).toMatchObject([
      { clientId: 'ada', serial: annotationSerial },
    ]);
    expect(await message.deleteAnnotation(annotationSerial)).toMatchObject({
      deletedAnnotationSerial: annotationSerial,
    });
    expect(await message.delete()).toMatchObject({ action: 'delete' });
  });

  it('mints tokens that the service accepts, and revokes them', async () => {
    const server = serverOf(node);
    const token = await server.mintToken({
      clientId: 'ada',
      capability: { 'chat-*': ['subscribe'] },
      jti: 'j-1',
    });
    const socket = new WebSocket(`ws://127.0.0.1:${node.port}/app/${shop.key}?protocol=2&token=${token}`);
    const events: unknown[] = [];
    socket.on('message', (text: Buffer) =>
      events.push((JSON.parse(text.toString()) as { event: unknown }).event),
    );
    const closed = new Promise<number>((resolve) => void socket.once('close', resolve));
    await eventually(async () => expect(events).toContain('service:connection_established'));
    expect(await server.revokeTokens({ jti: 'j-1', reason: 'test' })).toMatchObject({
      revokedJti: true,
      closedConnections: 1,
    });
    expect(await closed).toBe(4009);
  });

  it('registers devices, subscribes them, and publishes push notifications', async () => {
    const { push } = serverOf(node);
    await push.devices.register(DEVICE);
    expect(await push.devices.get('phone-1')).toMatchObject({ id: 'phone-1' });
    await push.subscriptions.add({ channel: 'offers', deviceId: 'phone-1' });
    expect((await push.subscriptions.channels()).items).toEqual(['offers']);
    expect((await push.subscriptions.list({ channel: 'offers' })).items).toHaveLength(1);
    const { publishId } = await push.publish({
      recipients: [{ type: 'channel', channel: 'offers' }],
      payload: { title: 'Hi', body: 'There' },
    });
    await eventually(async () => expect(await push.status(publishId)).toMatchObject({ state: 'succeeded' }));
    await push.templates.put({
      templateId: 't-1',
      defaultLocale: 'en',
      locales: { en: { title: 'a', body: 'b' } },
    });
    expect(await push.templates.get('t-1')).toMatchObject({ locales: { en: { title: 'a' } } });
    expect((await push.templates.list()).items).toHaveLength(1);
    await push.templates.remove('t-1');
    expect((await push.deadLetters()).items).toEqual([]);
    expect((await push.credentials.list()).items).toEqual([]);
    await push.subscriptions.remove({ channel: 'offers' });
    await push.devices.remove('phone-1');
    await expect(push.devices.get('phone-1')).rejects.toThrow(NotFoundError);
  });

  it('rejects wrong secrets and other refusals with the error of their class', async () => {
    const wrong = await serverOf(node, 'wrong')
      .publish('a', 'e')
      .catch((error: unknown) => error);
    expect(wrong).toBeInstanceOf(AuthenticationError);
    expect(wrong).not.toBeInstanceOf(PermissionError);
    expect(String(wrong)).not.toContain(shop.secret);
    await expect(serverOf(node).channel('chat').message('none').get()).rejects.toThrow(NotFoundError);
  });

  it('signs requests that other code sends', async () => {
    const path = `/apps/${shop.id}/channels`;
    const query = await serverOf(node).signedQuery({ method: 'GET', path, query: { filter_by_prefix: 'ü' } });
    expect((await fetch(`http://127.0.0.1:${node.port}${path}?${query}`)).status).toBe(200);
  });
});
