import { describe, expect, it } from 'vitest';
import { itemOf, made, openLiving, post } from './living.js';
import { call, publish, publishBatch, read, refused } from './scene.js';

const TYPE = 'reactions:distinct.v1';
const with_ = (rights: readonly string[], clientId: string | null = 'u1', hasToken = true) => ({
  protocol: 2 as const,
  clientId,
  hasToken,
  rights,
});

it('a change by a connection needs what the connection may do', async () => {
  const scene = await openLiving();
  const path = await made(scene);
  const update = (more: object = {}) =>
    post(scene, `${path}/update`, { data: 'b', socket_id: '1.2', ...more });
  const denied = refused(403, 'mutable_not_permitted');
  expect(await update()).toMatchObject(refused(401, 'auth_failed'));
  scene.sockets.acting = with_(['publish', 'message-update-any']);
  expect((await update()).status).toBe(200);
  expect(await update({ client_id: 'u2' })).toMatchObject(refused(401, 'auth_failed'));
  expect((await update({ client_id: 'u1' })).status).toBe(200);
  expect(scene.sockets.asked.at(-1)?.about).toEqual({ socketId: '1.2', channel: 'orders' });
  for (const rights of [['message-update-any'], ['publish'], ['publish', 'message-append-any']]) {
    scene.sockets.acting = with_(rights);
    expect(await update()).toMatchObject(denied);
  }
  // Published by a server, so that no client owns it.
  scene.sockets.acting = with_(['publish', 'message-update-own']);
  expect(await update()).toMatchObject(denied);
  scene.sockets.acting = with_(['message-update-any'], 'u1', false);
  expect((await update()).status).toBe(200);
  scene.sockets.isSilent = true;
  expect(await update()).toMatchObject(refused(503, 'service_unavailable'));
});

it('an annotation by a connection needs a token that lets it annotate', async () => {
  const scene = await openLiving();
  const path = `${await made(scene)}/annotations`;
  const like = (more: object = {}) =>
    post(scene, path, { type: TYPE, name: 'like', socketId: '1.2', ...more });
  const denied = refused(403, 'forbidden');
  const grants = ['publish', 'annotation-publish'];
  scene.sockets.acting = with_(grants, 'u1', false);
  expect(await like()).toMatchObject(denied);
  for (const right of grants) {
    scene.sockets.acting = with_([right]);
    expect(await like()).toMatchObject(denied);
  }
  scene.sockets.acting = with_(grants);
  expect(await like({ clientId: 'u2' })).toMatchObject(refused(401, 'auth_failed'));
  const { body } = await like();
  const { annotationSerial } = body as { annotationSerial: string };
  const own = `${path}/${annotationSerial}`;
  const asSocket = { socket_id: '1.2' };
  expect((await read(scene, path)).body).toMatchObject({ items: [{ clientId: 'u1' }] });
  expect(await read(scene, path, asSocket)).toMatchObject(denied);
  scene.sockets.acting = with_(['subscribe', 'annotation-subscribe']);
  expect((await read(scene, path, asSocket)).status).toBe(200);
  const take = () => call(scene, 'DELETE', own, undefined, { query: asSocket });
  expect(await take()).toMatchObject(denied);
  scene.sockets.acting = with_(['annotation-delete-own'], 'u2');
  expect(await take()).toMatchObject(denied);
  scene.sockets.acting = with_(['annotation-delete-any'], null);
  expect(await take()).toMatchObject(denied);
  scene.sockets.acting = with_(['annotation-delete-own']);
  expect((await take()).status).toBe(200);
});

describe('publish with the socket_id of a signed-in connection', () => {
  it.each([1, 2] as const)(
    'attributes the created message to its user when the connection speaks protocol %i',
    async (protocol) => {
      const scene = await openLiving();
      scene.sockets.acting = { ...with_([], 'u1', false), protocol };
      const path = await made(scene, 'a', 'orders', { socket_id: '1.2' });
      expect(await itemOf(scene, path)).toMatchObject({ version: { client_id: 'u1' } });
    },
  );

  it('lets the connection change the message with the rights for own messages', async () => {
    const scene = await openLiving();
    scene.sockets.acting = with_(['publish', 'message-update-own']);
    const own = await made(scene, 'a', 'orders', { socket_id: '1.2' });
    const update = (path: string) => post(scene, `${path}/update`, { data: 'b', socket_id: '1.2' });
    expect((await update(own)).status).toBe(200);
    const others = await made(scene);
    expect(await update(others)).toMatchObject(refused(403, 'mutable_not_permitted'));
  });

  it('attributes every item and channel when the publish has several', async () => {
    const scene = await openLiving();
    scene.sockets.acting = with_([]);
    const event = { name: 'e', channel: 'orders', socket_id: '1.2' };
    await publishBatch(scene, [event, event, { ...event, socket_id: undefined }]);
    await publish(scene, { ...event, channels: ['orders', 'news'] });
    const creators = async (channel: string) => {
      const query = { direction: 'oldest_first' };
      const { body } = await read(scene, `/channels/${channel}/history`, query);
      const { items } = body as { items: { message: { version?: { client_id?: string } } }[] };
      return items.map(({ message }) => message.version?.client_id ?? null);
    };
    expect(await creators('orders')).toEqual(['u1', 'u1', null, 'u1']);
    expect(await creators('news')).toEqual(['u1']);
    // One for the batch, one for the event.
    expect(scene.sockets.asked).toHaveLength(2);
  });

  it('publishes without a creator when the connection is unknown, not signed in, or its node is silent', async () => {
    const scene = await openLiving();
    const creator = async () => {
      const { version } = await itemOf(scene, await made(scene, 'a', 'orders', { socket_id: '1.2' }));
      return (version as { client_id?: string }).client_id;
    };
    expect(await creator()).toBeUndefined();
    scene.sockets.acting = with_([], null);
    expect(await creator()).toBeUndefined();
    scene.sockets.isSilent = true;
    expect(await creator()).toBeUndefined();
  });
});
