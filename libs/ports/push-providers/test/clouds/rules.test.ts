import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ProviderTokens } from '../../src/drivers/apns/provider-tokens.js';
import { retryAfter } from '../../src/drivers/client/retry-after.js';

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
