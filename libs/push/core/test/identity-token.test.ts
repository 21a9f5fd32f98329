import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { MemoryPushStore, Sealer, type StoredDevice } from '@carillon/push-store';
import { MemoryRateLimit } from '@carillon/rate-limit';
import { describe, expect, it } from 'vitest';
import { IdentityTokens } from '../src/resources/identity-token.js';
import { verifyLegacy } from '../src/resources/legacy-identity.js';
import { Secrets } from '../src/secrets.js';

const ITERATIONS = 120_000;

const deviceWith = (identityHash: string, deviceId = 'phone') =>
  ({ appId: 'shop', deviceId, identityHash }) as StoredDevice;

function legacyRecord(token: string): string {
  const salt = randomBytes(16);
  const key = pbkdf2Sync(token, salt, ITERATIONS, 32, 'sha256');
  return ['pbkdf2-sha256', ITERATIONS, salt.toString('base64url'), key.toString('base64url')].join('$');
}

const randomToken = (): string => randomBytes(32).toString('base64url');

function tokensWith(masterKeys: readonly string[], store = new MemoryPushStore(), nowMs = () => 0) {
  const [current, ...previous] = masterKeys;
  const secrets = new Secrets(current === undefined ? null : new Sealer(current, previous));
  return new IdentityTokens({ secrets, store, rateLimit: new MemoryRateLimit({ now: nowMs }) });
}

const refusalOf = async (proof: Promise<string>): Promise<unknown> =>
  proof.then(
    () => null,
    (error: unknown) => error,
  );

describe('IdentityTokens', () => {
  it('stores a keyed hash when a token is issued', async () => {
    const tokens = tokensWith(['a master key']);
    const { token, hash } = await tokens.issue();
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(hash).toMatch(/^hmac-sha256\$[0-9a-f]{8}\$[\w-]{43}$/);
    expect(await tokens.prove({ token, address: null }, deviceWith(hash))).toBe(hash);
  });

  it('replaces the record when an earlier master key made it', async () => {
    const { token, hash } = await tokensWith(['old']).issue();
    const rotated = await tokensWith(['new', 'old']).prove({ token, address: null }, deviceWith(hash));
    expect(rotated).not.toBe(hash);
    expect(await tokensWith(['new']).prove({ token, address: null }, deviceWith(rotated))).toBe(rotated);
    const unknown = refusalOf(tokensWith(['new']).prove({ token, address: null }, deviceWith(hash)));
    expect(await unknown).toMatchObject({ code: 'auth_failed' });
  });

  it('shares a key through the store when no master key is configured, and keeps it readable after', async () => {
    const store = new MemoryPushStore();
    const { token, hash } = await tokensWith([], store).issue();
    expect(await tokensWith([], store).prove({ token, address: null }, deviceWith(hash))).toBe(hash);
    const later = await tokensWith(['a master key'], store).prove({ token, address: null }, deviceWith(hash));
    expect(later).toMatch(/^hmac-sha256\$/);
    expect(later).not.toBe(hash);
  });

  it('replaces a record of the older form when its token was proved once', async () => {
    const tokens = tokensWith(['a master key']);
    const token = randomToken();
    const record = await tokens.prove({ token, address: null }, deviceWith(legacyRecord(token)));
    expect(record).toMatch(/^hmac-sha256\$/);
    expect(await tokens.prove({ token, address: null }, deviceWith(record))).toBe(record);
  });

  it('verifies a record of the older form of one app while those of another app wait', async () => {
    const token = randomToken();
    const record = legacyRecord(token);
    const ended: string[] = [];
    const verify = (app: string) =>
      verifyLegacy(app, token, record).then((matches) => {
        ended.push(app);
        return matches;
      });
    const busy = Promise.allSettled(['busy', 'busy', 'busy', 'busy'].map(verify));
    expect(await verify('quiet')).toBe(true);
    expect(ended.filter((app) => app === 'busy').length).toBeLessThan(3);
    const outcomes = await busy;
    expect(outcomes.slice(0, 3)).toMatchObject([{ value: true }, { value: true }, { value: true }]);
    expect(outcomes[3]).toMatchObject({ reason: { code: 'service_unavailable' } });
  });

  it('answers rate_limited when a device had ten wrong tokens in a minute, and still takes the right one', async () => {
    let nowMs = 0;
    const tokens = tokensWith(['a master key'], undefined, () => nowMs);
    const { token, hash } = await tokens.issue();
    const guess = () => refusalOf(tokens.prove({ token: randomToken(), address: null }, deviceWith(hash)));
    for (let tries = 0; tries < 10; tries += 1)
      expect(await guess()).toMatchObject({ code: 'auth_failed', status: 401 });
    expect(await guess()).toMatchObject({
      code: 'rate_limited',
      status: 429,
      headers: { 'retry-after': '60' },
    });
    expect(await tokens.prove({ token, address: null }, deviceWith(hash))).toBe(hash);
    nowMs = 60_001;
    expect(await guess()).toMatchObject({ code: 'auth_failed' });
  });

  it('answers rate_limited when an address had sixty wrong tokens in a minute', async () => {
    const tokens = tokensWith(['a master key']);
    const { hash } = await tokens.issue();
    const guess = (device: number, address: string) =>
      refusalOf(tokens.prove({ token: randomToken(), address }, deviceWith(hash, `phone-${device}`)));
    for (let device = 0; device < 60; device += 1)
      expect(await guess(device, '192.0.2.1')).toMatchObject({ code: 'auth_failed' });
    expect(await guess(60, '192.0.2.1')).toMatchObject({ code: 'rate_limited' });
    expect(await guess(61, '192.0.2.2')).toMatchObject({ code: 'auth_failed' });
  });

  it('does not verify a record of the older form when its device had too many wrong tokens', async () => {
    const tokens = tokensWith(['a master key']);
    // Refused before the hash is computed: none of these is slow.
    const device = deviceWith(legacyRecord(randomToken()));
    for (let tries = 0; tries < 10; tries += 1)
      await refusalOf(tokens.prove({ token: 'not of the form', address: null }, device));
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () =>
        refusalOf(tokens.prove({ token: randomToken(), address: null }, device)),
      ),
    );
    for (const outcome of outcomes) expect(outcome).toMatchObject({ code: 'rate_limited' });
  });

  it('refuses records of an unknown form', async () => {
    const tokens = tokensWith(['a master key']);
    const { token, hash } = await tokens.issue();
    const [, id = '', digest = ''] = hash.split('$');
    for (const record of [
      '',
      'x',
      `md5$${id}$${digest}`,
      `${hash}$x`,
      `hmac-sha256$${id}$`,
      `hmac-sha256$0$${digest}`,
    ])
      expect(await refusalOf(tokens.prove({ token, address: null }, deviceWith(record)))).toMatchObject({
        code: 'auth_failed',
      });
  });
});
