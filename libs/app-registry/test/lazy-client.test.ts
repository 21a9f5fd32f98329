import { createRequire } from 'node:module';
import { expect, it, onTestFinished } from 'vitest';
import { AppRegistryModule, openAppStore } from '../src/index.js';
import { corner, openSqlStore } from './sql-scene.js';

const loaded = (library: string): boolean =>
  Object.keys(createRequire(import.meta.url).cache).some((path) =>
    path.includes(`/node_modules/${library}/`),
  );

it('loads no client library for apps in memory, nor before a database is reached', async () => {
  expect(AppRegistryModule).toBeDefined();
  await (await openAppStore('memory')).init();
  const place = await corner('postgres');
  const { store, close } = await openSqlStore('postgres', place.url);
  onTestFinished(async () => {
    await close();
    await place.end();
  });
  expect(['typeorm', 'pg', 'mysql2'].filter(loaded)).toEqual([]);
  await store.init();
  expect(['typeorm', 'pg', 'mysql2'].filter(loaded)).toEqual(['typeorm', 'pg']);
});
