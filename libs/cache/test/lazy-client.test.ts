import { createRequire } from 'node:module';
import { engine } from '@carillon/test-backends';
import { configuration } from '@carillon/testing';
import { expect, it } from 'vitest';
import { openCache } from '../src/index.js';
import { redisConfig } from './redis-store.js';

const clientIsLoaded = (): boolean =>
  Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('/ioredis/'));

it('loads the client library with the driver that needs it, and not before', async () => {
  const memory = await openCache(configuration({}));
  await memory.set('a', '1', 0);
  await memory.close();
  expect(clientIsLoaded()).toBe(false);
  const redis = await openCache(redisConfig(await engine('redis')));
  await redis.close();
  expect(clientIsLoaded()).toBe(true);
});
