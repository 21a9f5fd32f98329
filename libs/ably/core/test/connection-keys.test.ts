import { MemoryCache } from '@carillon/cache';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Principal } from '../src/authentication.js';
import { CompatError } from '../src/compat-error.js';
import { ConnectionKeys, STATE_TTL_MS } from '../src/connection-keys.js';

const HOUR_MS = 3_600_000;
const principal = (clientId: string | null, appId = 'shop'): Principal =>
  ({ app: { id: appId }, clientId, mayBeAnybody: clientId === null }) as unknown as Principal;
const ADA = principal('ada');
const codeOf = (answer: unknown): number => (answer instanceof CompatError ? answer.code : Number.NaN);

describe('the key of a connection', () => {
  let nowMs = 0;
  const cache = new MemoryCache({
    capacity: 100,
    defaultTtlMs: HOUR_MS,
    cleanupIntervalMs: HOUR_MS,
    now: () => nowMs,
  });
  afterAll(() => cache.close());
  const keys = new ConnectionKeys(cache);
  let key = '';
  let keyHash = '';
  beforeEach(async () => {
    ({ key, keyHash } = await keys.renew('1.2', ADA));
  });

  it('is taken once, by the same client of the same app', async () => {
    expect(codeOf(await keys.take(key, principal('bob')))).toBe(80_011);
    expect(codeOf(await keys.take(key, principal('ada', 'other')))).toBe(80_011);
    const both = await Promise.all([keys.take(key, ADA), keys.take(key, ADA)]);
    expect(both).toContainEqual({ connectionId: '1.2', keyHash });
    expect(both.map(codeOf)).toContain(80_008);
  });

  it('is good for a while, and for another one when it is still here', async () => {
    nowMs += STATE_TTL_MS - 1;
    await keys.refresh({ id: '1.2', principal: ADA, keyHash });
    nowMs += STATE_TTL_MS - 1;
    expect(await keys.find(key, 'shop')).toMatchObject({ connectionId: '1.2', clientId: 'ada' });
    nowMs += 2;
    expect(codeOf(await keys.take(key, ADA))).toBe(80_008);
  });

  it('is not made good again by who does not know that somebody came back by it, but where the cache was lost', async () => {
    const old = { id: '1.2', principal: ADA, keyHash };
    expect(await keys.refresh(old)).toBe(true);
    await keys.take(key, ADA);
    nowMs += STATE_TTL_MS;
    expect(await keys.refresh(old)).toBe(false);
    expect(codeOf(await keys.take(key, ADA))).toBe(80_008);
    const other = await keys.renew('1.2', ADA);
    nowMs += STATE_TTL_MS;
    expect(await keys.refresh({ ...old, keyHash: other.keyHash })).toBe(true);
    expect(await keys.find(other.key, 'shop')).toMatchObject({ connectionId: '1.2' });
  });

  it('is nothing when it was given up, or is none at all', async () => {
    await keys.end({ id: '1.2', principal: ADA, keyHash });
    expect(codeOf(await keys.take(key, ADA))).toBe(80_008);
    expect(codeOf(await keys.take('garbage', ADA))).toBe(80_018);
  });

  it('lets a server of the app alone speak for the connection', async () => {
    expect(await keys.find(key, 'shop')).toEqual({
      connectionId: '1.2',
      appId: 'shop',
      clientId: 'ada',
      mayBeAnybody: false,
    });
    await expect(keys.find(key, 'other')).rejects.toMatchObject({ code: 40_006 });
    await expect(keys.find('garbage', 'shop')).rejects.toMatchObject({ code: 40_006 });
  });
});
