import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { connected, emptyDatabase, processWith } from './scene.js';

const loaded = (library: string): boolean =>
  Object.keys(createRequire(import.meta.url).cache).some((path) =>
    path.includes(`/node_modules/${library}/`),
  );

it('loads what a dialect needs with its first connection, and nothing of the other', async () => {
  await processWith({});
  expect(['typeorm', 'pg', 'mysql2'].filter(loaded)).toEqual([]);
  await connected('postgres', await emptyDatabase('postgres'));
  expect(['typeorm', 'pg', 'mysql2'].filter(loaded)).toEqual(['typeorm', 'pg']);
  await connected('mysql', await emptyDatabase('mariadb'));
  expect(loaded('mysql2')).toBe(true);
});
