import { configuration } from '@carillon/testing';
import { describe, expect, it } from 'vitest';
import { openRateLimit, RATE_LIMITER_DRIVERS } from '../src/index.js';
import { connect, processWith } from './process.js';

const RULE = { identifier: 'api', limit: 1, windowMs: 60_000 };

describe('the module', () => {
  it('offers a limiter that counts, also when limits by address are off', async () => {
    const { parts, rateLimit, close } = await processWith({ RATE_LIMITER_ENABLED: 'false' });
    await connect(parts);
    expect((await rateLimit.check(RULE, 'a')).allowed).toBe(true);
    expect((await rateLimit.check(RULE, 'a')).allowed).toBe(false);
    await close();
  });

  it('offers one that allows everything when told so', async () => {
    const { rateLimit, close } = await processWith({ RATE_LIMITER_DRIVER: 'none' });
    await rateLimit.check(RULE, 'a');
    expect((await rateLimit.check(RULE, 'a')).allowed).toBe(true);
    await close();
  });

  it('fails the start when the limiter cannot be reached', async () => {
    const { parts, rateLimit, close } = await processWith({});
    await rateLimit.close();
    await expect(connect(parts, 50)).rejects.toThrow('rate limiter (the rate limiter is closed)');
    await close();
  });

  it('knows the drivers of this build, and no others', async () => {
    expect(RATE_LIMITER_DRIVERS).toEqual(['memory', 'none', 'redis', 'redis-cluster']);
    const config = configuration({});
    const unknown = { ...config, rate_limiter: { ...config.rate_limiter, driver: 'toString' as 'memory' } };
    await expect(openRateLimit(unknown)).rejects.toThrow('driver toString is not available in this build');
  });
});
