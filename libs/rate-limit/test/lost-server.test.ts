import { randomUUID } from 'node:crypto';
import { engine, type EngineHandle } from '@carillon/test-backends';
import { openRedisLink, redisTarget, RedisUnavailable } from '@carillon/redis';
import { configuration } from '@carillon/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RedisRateLimit } from '../src/drivers/redis.js';
import { openRateLimit, RateLimitUnavailable } from '../src/index.js';
import { connect, processWith } from './process.js';
import { redisConfig } from './redis-subject.js';

const rule = (limit: number) => ({ identifier: 'api', limit, windowMs: 600_000 });

describe('a limiter whose server goes away', () => {
  let redis: EngineHandle;
  beforeAll(async () => {
    redis = await engine('redis', { own: true });
  });
  afterAll(() => redis.release());

  const openLimit = async () => {
    const target = redisTarget(configuration({}).database.redis, {
      driver: 'redis',
      urlOverride: redis.url,
      clusterMode: false,
    });
    const link = await openRedisLink({
      target,
      listener: { lost: () => undefined, restored: () => undefined },
    });
    return { link, rateLimit: new RedisRateLimit(link, `${randomUUID()}:`) };
  };

  it('refuses with 503 while it is dead, never allows, and counts on once it is back', async () => {
    const rateLimit = await openRateLimit(redisConfig(redis));
    expect((await rateLimit.check(rule(100), 'a')).allowed).toBe(true);
    await redis.kill();
    for (let count = 0; count < 3; count += 1) {
      const failure: unknown = await rateLimit.check(rule(100), 'a').catch((thrown: unknown) => thrown);
      expect(failure).toBeInstanceOf(RateLimitUnavailable);
      expect(failure).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    }
    expect(await rateLimit.health()).toBeTypeOf('string');
    await redis.restart();
    await vi.waitFor(async () => expect((await rateLimit.check(rule(100), 'a')).allowed).toBe(true), {
      timeout: 15_000,
    });
    await rateLimit.close();
  });

  it('does not notice that a connection was dropped', async () => {
    const { rateLimit } = await openLimit();
    const { link: killer } = await openLimit();
    await rateLimit.check(rule(3), 'a');
    for (const remaining of [1, 0]) {
      await killer.call('client', 'kill', 'type', 'normal', 'skipme', 'yes');
      expect(await rateLimit.check(rule(3), 'a')).toMatchObject({ allowed: true, remaining });
    }
    expect(await rateLimit.check(rule(3), 'a')).toMatchObject({ allowed: false });
    await rateLimit.close();
    killer.close();
  });

  it('asks again when the answer was lost, and is not counted twice', async () => {
    const { link, rateLimit } = await openLimit();
    const run = link.run.bind(link);
    const lostOnce = vi.spyOn(link, 'run').mockImplementationOnce(async (...args) => {
      await run(...args);
      throw new RedisUnavailable('lost', 'the answer was lost');
    });
    expect(await rateLimit.check(rule(10), 'a', 4)).toMatchObject({ allowed: true, remaining: 6 });
    expect(lostOnce).toHaveBeenCalledTimes(2);
    expect(await rateLimit.check(rule(10), 'a', 6)).toMatchObject({ allowed: true, remaining: 0 });
    await rateLimit.close();
  });

  it('asks again once only, and not at all when the server is slow', async () => {
    const { link, rateLimit } = await openLimit();
    const run = vi.spyOn(link, 'run');
    run.mockRejectedValue(new RedisUnavailable('lost', 'lost'));
    await expect(rateLimit.check(rule(1), 'a')).rejects.toThrow(RateLimitUnavailable);
    expect(run).toHaveBeenCalledTimes(2);
    run.mockClear();
    run.mockRejectedValue(new RedisUnavailable('timeout', 'slow'));
    await expect(rateLimit.check(rule(1), 'a')).rejects.toThrow(RateLimitUnavailable);
    expect(run).toHaveBeenCalledTimes(1);
    await rateLimit.close();
  });

  it('fails the start of the process when it cannot be reached, and says which part', async () => {
    await redis.kill();
    const { parts, rateLimit, close } = await processWith({
      RATE_LIMITER_ENABLED: 'true',
      RATE_LIMITER_DRIVER: 'redis',
      REDIS_URL: redis.url,
    });
    await expect(connect(parts, 600)).rejects.toThrow(/rate limiter \(not connected: .*ECONNREFUSED/);
    await redis.restart();
    await connect(parts, 20_000);
    expect((await rateLimit.check(rule(1), randomUUID())).allowed).toBe(true);
    await rateLimit.close();
    await close();
  });
});
