import { mintCapabilityToken, prepareSigningKey } from '@carillon/auth';
import { describe, expect, it } from 'vitest';
import { itemOf, made, openLiving } from './living.js';
import { call, NOW, refused, type Scene, send } from './scene.js';

const LIKE = { type: 'reactions:distinct.v1', name: 'like' };

interface TokenOptions {
  readonly jti?: string;
  readonly secret?: string;
  readonly key?: string;
  readonly expiresAt?: number;
}

function tokenOf(
  clientId: string,
  rights: readonly string[],
  { jti = 't-1', secret = 'shop-secret', key = 'shop-key', expiresAt = NOW + 600 }: TokenOptions = {},
): string {
  const signingKey = prepareSigningKey({ appId: 'shop', key, secret });
  const capability = { orders: rights };
  return mintCapabilityToken(signingKey, { clientId, capability, issuedAt: NOW, expiresAt, jti });
}

/** Sends a request with a capability token and no signature. */
async function ask(scene: Scene, token: string, method: string, path: string, body?: object, query = '') {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = { authorization: `Bearer ${token}` };
  return send(scene, method, `/apps/shop${path}${query}`, text, headers);
}

describe('a request with a capability token', () => {
  it.each(['update', 'append', 'delete'])('may %s messages as far as its rights go', async (kind) => {
    const scene = await openLiving();
    const path = await made(scene);
    const change = (rights: readonly string[], clientId = 'u1') =>
      ask(scene, tokenOf(clientId, rights), 'POST', `${path}/${kind}`, { data: 'b' });
    const denied = refused(403, 'mutable_not_permitted');
    for (const rights of [[`message-${kind}-any`], ['publish'], ['publish', `message-${kind}-own`]]) {
      expect((await change(rights)).status).toBe(403);
    }
    // A server published it, so that it is no client's own.
    expect(await change(['publish', `message-${kind}-own`])).toMatchObject(denied);
    expect((await change(['publish', `message-${kind}-any`])).status).toBe(200);
    expect(await itemOf(scene, path)).toMatchObject({ version: { client_id: 'u1' } });
  });

  it('acts as its client id, whatever the request names', async () => {
    const scene = await openLiving();
    const path = await made(scene);
    const token = tokenOf('u1', ['publish', 'message-update-any', 'annotation-publish']);
    scene.sockets.acting = { protocol: 2, clientId: 'u2', hasToken: true, rights: [] };
    const named = { data: 'b', socket_id: '1.2' };
    expect((await ask(scene, token, 'POST', `${path}/update`, named)).status).toBe(200);
    expect(await itemOf(scene, path)).toMatchObject({ version: { client_id: 'u1' } });
    const other = refused(401, 'auth_failed');
    expect(await ask(scene, token, 'POST', `${path}/update`, { data: 'c', client_id: 'u2' })).toMatchObject(
      other,
    );
    expect(await ask(scene, token, 'POST', `${path}/annotations`, { ...LIKE, clientId: 'u2' })).toMatchObject(
      other,
    );
  });

  it('reads messages and versions with the right history', async () => {
    const scene = await openLiving();
    const path = await made(scene);
    for (const below of ['', '/versions']) {
      expect((await ask(scene, tokenOf('u1', ['history']), 'GET', `${path}${below}`)).status).toBe(200);
      expect(await ask(scene, tokenOf('u1', ['subscribe']), 'GET', `${path}${below}`)).toMatchObject(
        refused(403, 'forbidden'),
      );
    }
  });

  it('annotates, lists and deletes annotations as far as its rights go', async () => {
    const scene = await openLiving();
    const path = `${await made(scene)}/annotations`;
    const denied = refused(403, 'forbidden');
    for (const rights of [['publish'], ['annotation-publish']]) {
      expect(await ask(scene, tokenOf('u1', rights), 'POST', path, LIKE)).toMatchObject(denied);
    }
    const publisher = tokenOf('u1', ['publish', 'annotation-publish']);
    const { body } = await ask(scene, publisher, 'POST', path, LIKE);
    const own = `${path}/${(body as { annotationSerial: string }).annotationSerial}`;
    for (const rights of [['subscribe'], ['annotation-subscribe']]) {
      expect(await ask(scene, tokenOf('u1', rights), 'GET', path)).toMatchObject(denied);
    }
    const reader = tokenOf('u1', ['subscribe', 'annotation-subscribe']);
    expect(await ask(scene, reader, 'GET', path)).toMatchObject({ body: { items: [{ clientId: 'u1' }] } });
    const ownOnly = ['annotation-delete-own'];
    expect(await ask(scene, tokenOf('u2', ownOnly), 'DELETE', own)).toMatchObject(denied);
    expect((await ask(scene, tokenOf('u2', ['annotation-delete-any']), 'DELETE', own)).status).toBe(200);
  });

  it('is refused when the token is not valid, revoked, of another app or in the query', async () => {
    const scene = await openLiving();
    const path = await made(scene);
    const rights = ['history'];
    const denied = refused(401, 'auth_failed');
    for (const token of [
      'nonsense',
      tokenOf('u1', rights, { secret: 'other' }),
      tokenOf('u1', rights, { key: 'other-key' }),
      tokenOf('u1', rights, { expiresAt: NOW - 31 }),
    ]) {
      expect(await ask(scene, token, 'GET', path)).toMatchObject(denied);
    }
    const token = tokenOf('u1', rights);
    expect(await ask(scene, token, 'GET', path, undefined, `?token=${token}`)).toMatchObject(denied);
    expect(await send(scene, 'GET', `/apps/shop${path}?token=${token}`)).toMatchObject(denied);
    expect(
      await send(scene, 'GET', `/apps/other${path}`, undefined, { authorization: `Bearer ${token}` }),
    ).toMatchObject(denied);
    expect((await call(scene, 'POST', '/revocations', { jti: 't-1' })).status).toBe(200);
    expect(await ask(scene, token, 'GET', path)).toMatchObject(denied);
    const large = { data: 'x'.repeat(20_000) };
    expect(await ask(scene, token, 'POST', `${path}/update`, large)).toMatchObject(denied);
  });

  it.each([
    ['POST', '/events'],
    ['GET', '/channels'],
    ['POST', '/revocations'],
    ['GET', '/channels/orders/history'],
  ])('is refused by %s %s, which takes signatures only', async (method, path) => {
    const scene = await openLiving();
    const body = method === 'POST' ? { name: 'a', channel: 'orders', data: 'x' } : undefined;
    const token = tokenOf('u1', ['publish', 'history', 'subscribe']);
    expect(await ask(scene, token, method, path, body)).toMatchObject(refused(401, 'auth_failed'));
  });
});
