import { createRequire } from 'node:module';
import { configuration } from '@carillon/testing';
import { expect, it } from 'vitest';
import { openRecords } from '../src/index.js';

const options = { config: configuration(), table: 'records' };

const isLoaded = (library: string): boolean =>
  Object.keys(createRequire(import.meta.url).cache).some((path) =>
    path.includes(`/node_modules/${library}/`),
  );

it('loads the client library of ScyllaDB when the driver is chosen', async () => {
  expect(isLoaded('cassandra-driver')).toBe(false);
  await (await openRecords('scylladb', options)).close();
  expect(isLoaded('cassandra-driver')).toBe(true);
});
