import { afterAll, beforeAll, describe } from 'vitest';
import { appStoreConformance } from './conformance.js';
import { corner, openSqlStore, SQL_DRIVERS } from './sql-scene.js';

describe.each(SQL_DRIVERS)('%s', (driver) => {
  let place: Awaited<ReturnType<typeof corner>>;
  beforeAll(async () => {
    place = await corner(driver);
  });
  afterAll(() => place.end());

  appStoreConformance(driver, async () => {
    const { store, close } = await openSqlStore(driver, place.url);
    store.close = close;
    return store;
  });
});
