import Pusher from 'pusher';
import { describe, expect, it } from 'vitest';
import { openScene, type Scene } from './scene.js';

const library = ({ port }: Scene) =>
  new Pusher({
    appId: 'shop',
    key: 'shop-key',
    secret: 'shop-secret',
    host: '127.0.0.1',
    port: String(port),
    useTLS: false,
  });
const now = () => Date.now() / 1000;

describe('the server library', () => {
  it('publishes to one and several channels', async () => {
    const scene = await openScene({ now });
    const pusher = library(scene);
    await pusher.trigger('orders', 'created', { id: 'ord_77', text: 'é "quoted"' });
    await pusher.trigger(['a', 'b'], 'e', 'plain', { socket_id: '12.34' });
    const data = '{"id":"ord_77","text":"é \\"quoted\\""}';
    expect(scene.sockets.frames('orders')).toEqual([{ event: 'created', channel: 'orders', data }]);
    expect(scene.sockets.delivered.map(({ exceptSocketId }) => exceptSocketId)).toEqual([
      null,
      '12.34',
      '12.34',
    ]);
  });

  it('asks for counts with a publish and in a batch', async () => {
    const scene = await openScene({ now });
    scene.sockets.counts = new Map([['presence-a', 2]]);
    const pusher = library(scene);
    const info = 'subscription_count,user_count';
    const single = await pusher.trigger('presence-a', 'e', {}, { info });
    expect(await single.json()).toMatchObject({
      channels: { 'presence-a': { subscription_count: 2, user_count: 0 } },
    });
    const batch = await pusher.triggerBatch([
      { channel: 'presence-a', name: 'e', data: {}, info },
      { channel: 'b', name: 'e', data: 'x' },
    ]);
    expect(await batch.json()).toMatchObject({ batch: [{ subscription_count: 2 }, {}] });
  });

  it('sends to a user and terminates connections', async () => {
    const scene = await openScene({ now });
    const pusher = library(scene);
    await pusher.sendToUser('u-9', 'e', { a: 1 });
    expect(scene.sockets.delivered[0]?.channel).toBe('#server-to-user-u-9');
    await pusher.terminateUserConnections('u-9');
    expect(scene.sockets.asked).toContainEqual({
      kind: 'terminate_user',
      appId: 'shop',
      about: { userId: 'u-9' },
    });
  });

  it('reads channels, one channel and its users', async () => {
    const scene = await openScene({ now });
    scene.sockets.counts = new Map([['presence-a', 1]]);
    const who = { appId: 'shop', channel: 'presence-a', userId: 'u', socketId: '1.1', userInfoText: '{}' };
    await scene.presence.join(who, Infinity);
    const pusher = library(scene);
    const get = async (path: string, params = {}) => (await pusher.get({ path, params })).json();
    expect(
      await get('/channels', { filter_by_prefix: 'presence-', info: 'user_count,subscription_count' }),
    ).toEqual({
      channels: { 'presence-a': { user_count: 1, subscription_count: 1 } },
    });
    expect(await get('/channels/presence-a', { info: 'user_count' })).toEqual({
      occupied: true,
      user_count: 1,
    });
    expect(await get('/channels/presence-a/users')).toEqual({ users: [{ id: 'u' }] });
  });

  it('is told why it was refused', async () => {
    const scene = await openScene({ now });
    await expect(library(scene).get({ path: '/channels/public/users' })).rejects.toMatchObject({
      status: 400,
    });
    const stranger = new Pusher({
      appId: 'shop',
      key: 'shop-key',
      secret: 'wrong',
      host: '127.0.0.1',
      port: String(scene.port),
      useTLS: false,
    });
    await expect(stranger.trigger('a', 'e', 'x')).rejects.toMatchObject({ status: 401 });
  });
});
