import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { fcmDevice, type Scene } from '../scene.js';

const SUBSCRIBE = { 'x-service-push-capability': 'push-subscribe' };

/** Identity tokens of devices, through the store and the routes. */
export function identity(open: () => Scene): void {
  const find = (id: string, token: string) =>
    open().send('GET', `/deviceRegistrations/${id}`, undefined, {
      ...SUBSCRIBE,
      authorization: `Bearer ${token}`,
    });
  const register = async (id: string) => {
    const { body } = await open().send('POST', '/deviceRegistrations', fcmDevice(id));
    return String(body['deviceIdentityToken']);
  };
  const recordOf = async (id: string) => (await open().store.device('shop', id))?.identityHash;

  it('rewrites a record of the older form when its token is proved', async () => {
    const token = await register('older');
    const salt = randomBytes(16);
    const key = pbkdf2Sync(token, salt, 120_000, 32, 'sha256');
    const older = ['pbkdf2-sha256', 120_000, salt.toString('base64url'), key.toString('base64url')].join('$');
    await open().store.changeDevice('shop', 'older', (device) =>
      device === null ? null : { ...device, identityHash: older },
    );
    const body = fcmDevice('older', { locale: 'fr' });
    const headers = { ...SUBSCRIBE, 'x-service-device-identity-token': token };
    const changed = await open().send('POST', '/deviceRegistrations', body, headers);
    expect(changed).toMatchObject({ status: 201, body: { change: 'updated' } });
    expect(await recordOf('older')).toMatch(/^hmac-sha256\$[0-9a-f]{8}\$[\w-]{43}$/);
    expect((await find('older', token)).status).toBe(200);
  });

  it('answers 429 with Retry-After when a device had ten wrong tokens, and 200 to the right one', async () => {
    const token = await register('guessed');
    const wrong = randomBytes(32).toString('base64url');
    for (let tries = 0; tries < 10; tries += 1) expect((await find('guessed', wrong)).status).toBe(401);
    const refused = await find('guessed', wrong);
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect((await find('guessed', token)).status).toBe(200);
  });
}
