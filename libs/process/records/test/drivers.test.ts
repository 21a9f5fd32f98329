import { createRequire } from 'node:module';
import { configuration } from '@carillon/testing';
import { expect, it } from 'vitest';
import { openRecords, RECORDS_DRIVERS } from '../src/index.js';

const options = { config: configuration(), table: 'records' };

const isLoaded = (library: string): boolean =>
  Object.keys(createRequire(import.meta.url).cache).some((path) =>
    path.includes(`/node_modules/${library}/`),
  );

it('rejects a driver that this build does not have, and names the others', async () => {
  for (const driver of ['postgres', 'toString']) {
    const expected = `records driver "${driver}" is not available; expected ${RECORDS_DRIVERS.join(', ')}`;
    await expect(openRecords(driver, options)).rejects.toThrow(expected);
  }
});

it('loads the client library of ScyllaDB when the driver is chosen', async () => {
  expect(isLoaded('cassandra-driver')).toBe(false);
  await (await openRecords('scylladb', options)).close();
  expect(isLoaded('cassandra-driver')).toBe(true);
});
