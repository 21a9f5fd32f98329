import { randomUUID } from 'node:crypto';
import { cacheKeys } from '@carillon/contracts';
import { engine } from '@carillon/test-backends';
import { openRedisLink, redisTarget } from '@carillon/redis';
import { configuration } from '@carillon/testing';
import { expect, it } from 'vitest';
import { openCache } from '../src/index.js';
import { HOUR_MS, scanAll } from './conformance/store.js';

it('puts both prefixes in front of a name, as written, and deletes nothing when it closes', async () => {
  const { url } = await engine('redis');
  const id = randomUUID();
  const config = configuration({
    CACHE_DRIVER: 'redis',
    REDIS_URL: url,
    DATABASE_REDIS_KEY_PREFIX: `${id}*`,
  });
  const cache = await openCache(config);
  await cache.set(cacheKeys.appById('shop'), '1', HOUR_MS);
  expect(await scanAll(cache, 'app:')).toEqual(['app:id:shop']);
  await cache.close();

  const target = redisTarget(config.database.redis, {
    driver: 'redis',
    urlOverride: url,
    clusterMode: false,
  });
  const link = await openRedisLink({
    target,
    listener: { lost: () => undefined, restored: () => undefined },
  });
  expect(await link.call('get', `${id}*service_cache:app:id:shop`)).toBe('1');
  expect(await link.call('del', `${id}*service_cache:app:id:shop`)).toBe(1);
  link.close();
});
