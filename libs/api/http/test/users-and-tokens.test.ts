import { cacheKeys } from '@carillon/contracts';
import { describe, expect, it } from 'vitest';
import type { RevokedTokens } from '@carillon/broker';
import { call, NOW, openScene, overriding, refused, type Scene } from './scene.js';

const revoke = (scene: Scene, body: unknown) => call(scene, 'POST', '/revocations', body);

describe('disconnecting a user', () => {
  it.each([
    ['terminate_connections', 'terminate_user'],
    ['force_reconnect', 'force_reconnect'],
  ])('by %s asks every process', async (path, kind) => {
    const scene = await openScene();
    for (const body of [undefined, '{}', 'no json']) {
      const answer = await call(scene, 'POST', `/users/u%3A9%2F%C3%A9/${path}`, body);
      expect(answer).toMatchObject({ status: 200, text: '{"ok":true}' });
    }
    const question = { kind, appId: 'shop', about: { userId: 'u:9/é' } };
    expect(scene.sockets.asked).toEqual([question, question, question]);
  });

  it('refuses an id that no user can have', async () => {
    const scene = await openScene();
    const answer = await call(scene, 'POST', `/users/${'u'.repeat(129)}/terminate_connections`);
    expect(answer).toMatchObject(refused(400, 'invalid_input', 'a user id has 1 to 128 bytes'));
    expect(scene.sockets.asked).toEqual([]);
  });

  it('is to be tried again when some process did not confirm', async () => {
    const scene = await openScene();
    scene.sockets.isSilent = true;
    expect(await call(scene, 'POST', '/users/u/terminate_connections')).toMatchObject(
      refused(503, 'service_unavailable', 'Not every process has confirmed it, retry'),
    );
    expect(scene.faults).toEqual([]);
  });
});

describe('a revocation', () => {
  it('writes a record of each identity with its time and reason', async () => {
    const scene = await openScene();
    const answer = await revoke(scene, {
      jti: 't-1',
      client_id: 'u-9',
      ttl_seconds: 900,
      reason: 'lost phone',
    });
    expect(answer).toMatchObject({
      status: 200,
      body: { revoked_jti: true, revoked_client_id: true, closed_connections: 0 },
    });
    for (const name of [cacheKeys.revokedToken('shop', 't-1'), cacheKeys.revokedClient('shop', 'u-9')]) {
      const entry = await scene.cache.entry(name);
      expect(entry?.value).toBe('lost phone');
      expect(entry?.ttlMs).toBeGreaterThan(890_000);
      expect(entry?.ttlMs).toBeLessThanOrEqual(900_000);
    }
  });

  it.each<[object, number]>([
    [{}, 86_400],
    [{ ttl_seconds: 0 }, 1],
    [{ ttl_seconds: 5, expires_at: NOW + 900 }, 5],
    [{ expires_at: NOW + 900 }, 900],
    [{ expires_at: NOW - 1 }, 1],
    [{ ttl_seconds: null, expires_at: null }, 86_400],
    [{ ttl_seconds: 2_678_400 }, 86_400],
  ])('with %j lasts %i s', async (time, seconds) => {
    const scene = await openScene();
    const answer = await revoke(scene, { jti: 't', ...time });
    expect(answer.body).toEqual({ revoked_jti: true, revoked_client_id: false, closed_connections: 0 });
    const entry = await scene.cache.entry(cacheKeys.revokedToken('shop', 't'));
    expect(entry?.value).toBe('revoked');
    expect(entry?.ttlMs).toBeLessThanOrEqual(seconds * 1000);
    expect(entry?.ttlMs).toBeGreaterThan(seconds * 1000 - 900);
  });

  it.each<object>([
    {},
    { jti: null },
    { jti: '' },
    { jti: 5 },
    { jti: 'é'.repeat(65) },
    { client_id: '' },
    { jti: 'fine', client_id: 'x'.repeat(129) },
    { jti: 't', ttl_seconds: -1 },
    { jti: 't', ttl_seconds: 2_678_401 },
    { client_id: 'c', ttl_seconds: Number.MAX_SAFE_INTEGER },
    { client_id: 'c', expires_at: NOW + 2_678_401 },
    { jti: 't', ttl_seconds: 1.5 },
    { jti: 't', ttl_seconds: '5' },
    { jti: 't', expires_at: 'soon' },
    { jti: 't', reason: 5 },
    { jti: 't', reason: 'x'.repeat(4097) },
  ])('of %j is refused and writes nothing', async (body) => {
    const scene = await openScene();
    expect(await revoke(scene, body)).toMatchObject(refused(400, 'invalid_input'));
    expect((await scene.cache.scanPrefix('service:', null, 10)).names).toEqual([]);
  });

  it('is 503 when a record cannot be written, and closes nothing', async () => {
    const broken: string[] = [];
    const scene = await openScene({
      cache: (real) =>
        overriding(real, {
          set: (name, value, ttlMs) =>
            broken.includes(name) ? Promise.reject(new Error('away')) : real.set(name, value, ttlMs),
        }),
    });
    for (const name of [cacheKeys.revokedClient('shop', 'u'), cacheKeys.revokedToken('shop', 't')]) {
      broken.push(name);
      expect(await revoke(scene, { jti: 't', client_id: 'u' })).toMatchObject(
        refused(503, 'service_unavailable'),
      );
    }
    expect(scene.sockets.asked).toEqual([]);
  });

  it.each<[object, RevokedTokens]>([
    [{ jti: 't' }, { jti: 't', clientId: null }],
    [{ client_id: 'u' }, { jti: null, clientId: 'u' }],
    [
      { jti: 't', client_id: 'u' },
      { jti: 't', clientId: 'u' },
    ],
  ])('of %j closes its connections on every process once it is written', async (body, about) => {
    const steps: string[] = [];
    const scene = await openScene({
      cache: (real) =>
        overriding(real, {
          set: async (name, value, ttlMs) => {
            await real.set(name, value, ttlMs);
            steps.push('written');
          },
        }),
      broker: (real) =>
        overriding(real, {
          ask: async (kind, appId, question) => {
            steps.push('asked');
            return { ...(await real.ask(kind, appId, question)), complete: true };
          },
        }),
    });
    scene.sockets.holders = 3;
    expect((await revoke(scene, body)).body).toMatchObject({ closed_connections: 3 });
    expect(steps).toEqual([...Object.keys(body).map(() => 'written'), 'asked']);
    expect(scene.sockets.asked).toEqual([{ kind: 'token_revoked', appId: 'shop', about }]);
  });

  it('counts those that answered, and tells the others again, when some process did not confirm', async () => {
    const told: unknown[] = [];
    const scene = await openScene({
      broker: (real) =>
        overriding(real, {
          ask: async (kind, appId, question) => ({
            ...(await real.ask(kind, appId, question)),
            complete: false,
          }),
          tellTokensRevoked: (...about) => {
            told.push(about);
            return Promise.reject(new Error('the broker is away'));
          },
        }),
    });
    scene.sockets.holders = 2;
    expect(await revoke(scene, { jti: 't', client_id: 'u' })).toMatchObject({
      status: 200,
      body: { revoked_jti: true, revoked_client_id: true, closed_connections: 2 },
    });
    expect(told).toEqual([['shop', { jti: 't', clientId: 'u' }]]);
    expect(scene.lines.join('')).toContain('not every process confirmed a revocation');
    expect(scene.lines.join('')).toContain('other processes not told of a revocation');
  });
});
