import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ProviderTokens } from '../../src/drivers/apns/provider-tokens.js';
import { Refusal } from '../../src/drivers/client/refusal.js';
import { retryAfter } from '../../src/drivers/client/retry-after.js';
import { Vapid } from '../../src/drivers/webpush/vapid.js';
import { generateVapidKeys } from '../../src/index.js';

const NOW_MS = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;

const until = (value: string | undefined, random = 0) =>
  retryAfter(value === undefined ? {} : { 'retry-after': value }, NOW_MS, () => random);

describe('Retry-After', () => {
  it('is seconds or a date, of which the past is now', () => {
    expect(until('7')).toBe(NOW_MS + 7_000);
    expect(until('Thu, 01 Jan 2026 00:00:05 GMT')).toBe(NOW_MS + 5_000);
    expect(until('Thu, 01 Jan 2015 00:00:05 GMT')).toBe(NOW_MS);
  });

  it('says nothing when it is absent or is none', () => {
    expect([until(undefined), until(''), until('soon'), until('-1'), until('1.5')]).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  it('is spread by up to a fifth, and not believed beyond a day', () => {
    expect(until('10', 1)).toBe(NOW_MS + 12_000);
    expect(until('0', 1)).toBe(NOW_MS);
    expect(until('99999999999999')).toBe(NOW_MS + 86_400_000);
  });
});

describe('tokens that are signed for APNs', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const pem = String(privateKey.export({ format: 'pem', type: 'pkcs8' }));

  it('are used for fifty minutes, and not renewed within twenty', async () => {
    let nowMs = NOW_MS;
    const tokens = new ProviderTokens({ kind: 'key', teamId: 'T', keyId: 'K', privateKey: pem }, () => nowMs);
    const first = await tokens.get();
    nowMs += 19 * MINUTE_MS;
    expect(tokens.renew(first)).toBe(false);
    expect(await tokens.get()).toBe(first);
    nowMs += 2 * MINUTE_MS;
    expect(tokens.renew(first)).toBe(true);
    const second = await tokens.get();
    expect(second).not.toBe(first);
    nowMs += 49 * MINUTE_MS;
    expect(await tokens.get()).toBe(second);
    nowMs += MINUTE_MS;
    expect(await tokens.get()).not.toBe(second);
  });
});

const claimsOf = (header: string): unknown =>
  JSON.parse(Buffer.from(header.split('.')[1] ?? '', 'base64url').toString());

describe('the VAPID header of a credential', () => {
  it('is signed per origin, port included, and reused for eleven of its twelve hours', async () => {
    vi.useFakeTimers({ now: NOW_MS, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const keys = await generateVapidKeys();
    const vapid = new Vapid({ provider: 'webpush', ...keys, subject: 'ops@shop.example' }, null);
    const at = (url: string) => vapid.authorization(new URL(url));
    const first = at('https://push.example:8443/one');
    expect(claimsOf(first)).toEqual({
      aud: 'https://push.example:8443',
      exp: NOW_MS / 1000 + 12 * 3600,
      sub: 'mailto:ops@shop.example',
    });
    expect(at('https://push.example:8443/two')).toBe(first);
    expect(claimsOf(at('https://push.example/one'))).toMatchObject({ aud: 'https://push.example' });
    vi.setSystemTime(NOW_MS + 11 * 60 * MINUTE_MS - 1);
    expect(at('https://push.example:8443/one')).toBe(first);
    vi.setSystemTime(NOW_MS + 11 * 60 * MINUTE_MS);
    expect(at('https://push.example:8443/one')).not.toBe(first);
  });

  it('is refused when the credential has no contact or no usable key', async () => {
    const keys = await generateVapidKeys();
    const url = new URL('https://push.example/one');
    const refusals = [
      new Vapid({ provider: 'webpush', ...keys, subject: null }, null),
      new Vapid({ provider: 'webpush', ...keys, privateKey: 'AAAA', subject: 'mailto:a@b.example' }, null),
    ].map((vapid) => {
      try {
        return vapid.authorization(url);
      } catch (error) {
        return error instanceof Refusal ? error.outcome : error;
      }
    });
    expect(refusals).toMatchObject([{ reason: 'no_contact' }, { reason: 'key_unusable' }]);
  });
});
