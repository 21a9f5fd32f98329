import { cacheKeys } from '@carillon/contracts';
import type { Broker } from '@carillon/broker';
import { describe, expect, it } from 'vitest';
import { call, openScene, overriding, publish, publishBatch, read, refused, send } from './scene.js';

const withoutBroker = (real: Broker): Broker =>
  overriding(real, { tellTokensRevoked: () => Promise.reject(new Error('the broker is away')) });

describe('role api', () => {
  it('does not have the routes about live sockets, signed or not', async () => {
    const scene = await openScene({ role: 'api' });
    const gone = { error: 'no such route', code: 'not_found', status: 404 };
    for (const path of ['/channels', '/channels/a', '/channels/presence-a/users']) {
      expect((await read(scene, path)).body).toEqual(gone);
      expect((await send(scene, 'GET', `/apps/shop${path}`)).body).toEqual(gone);
    }
    for (const path of ['terminate_connections', 'force_reconnect']) {
      expect((await call(scene, 'POST', `/users/u/${path}`)).body).toEqual(gone);
    }
  });

  it('refuses to count, before any claim', async () => {
    const scene = await openScene({ role: 'api' });
    for (const info of ['user_count', 'cache, subscription_count']) {
      const event = { name: 'e', channel: 'a', info, idempotency_key: 'k' };
      expect(await publish(scene, event)).toMatchObject(refused(400, 'invalid_input'));
      const batch = await publishBatch(scene, [{ name: 'e', channel: 'a' }, event]);
      expect(batch).toMatchObject(refused(400, 'invalid_input'));
      expect(batch.text).toContain('batch[1]: ');
    }
    expect((await scene.cache.scanPrefix('', null, 10)).names).toEqual([]);
    expect(scene.sockets.delivered).toEqual([]);
  });

  it('publishes, also past a named connection', async () => {
    const scene = await openScene({ role: 'api' });
    const event = { name: 'e', channel: 'a', socket_id: '1.2', info: 'cache', message_id: 'm' };
    expect((await publish(scene, event)).body).toEqual({ channels: { a: { acknowledgement_id: 'm' } } });
    expect(scene.sockets.delivered).toHaveLength(1);
  });

  it('tells of a revocation once it is written, without asking or waiting for anybody', async () => {
    const told: unknown[] = [];
    const scene = await openScene({
      role: 'api',
      broker: (real) =>
        overriding(real, {
          tellTokensRevoked: (...about) => {
            told.push(about);
            return new Promise(() => {});
          },
        }),
    });
    expect(await call(scene, 'POST', '/revocations', { jti: 't' })).toMatchObject({
      status: 200,
      body: { revoked_jti: true, revoked_client_id: false, closed_connections: 0 },
    });
    expect(await scene.cache.get(cacheKeys.revokedToken('shop', 't'))).toBe('revoked');
    expect([told, scene.sockets.asked]).toEqual([[['shop', { jti: 't', clientId: null }]], []]);
    await scene.cache.close();
    expect(await call(scene, 'POST', '/revocations', { jti: 't' })).toMatchObject(
      refused(503, 'service_unavailable'),
    );
    expect(told).toHaveLength(1);
  });

  it('has revoked what it could not tell of', async () => {
    const scene = await openScene({ role: 'api', broker: withoutBroker });
    expect(await call(scene, 'POST', '/revocations', { jti: 't' })).toMatchObject({ status: 200 });
    expect(scene.lines.join('')).toContain('other processes not told of a revocation');
  });
});

describe('a path without a route', () => {
  it('is 404, and with another method 405 that names the right ones, without any signature', async () => {
    const scene = await openScene();
    const nowhere = await send(scene, 'GET', '/apps/shop/nothing');
    expect(nowhere).toMatchObject(refused(404, 'not_found', 'no such route'));
    const wrong = await send(scene, 'GET', '/apps/shop/events');
    expect(wrong).toMatchObject(refused(405, 'method_not_allowed'));
    expect(wrong.headers.get('allow')).toBe('POST');
    expect((await send(scene, 'DELETE', '/apps/shop/channels/a')).headers.get('allow')).toBe('GET, HEAD');
  });
});
