import type { RecordStore } from '@carillon/records';
import { afterAll, beforeAll, describe } from 'vitest';
import type { RecordHistoryStore } from '../src/index.js';
import { conformance } from './conformance.js';
import { conformanceOfTwoWriters } from './conformance-two-writers.js';
import { type BackendSettings, newTable, openBackend, RECORD_BACKENDS, storeOver } from './record-backends.js';

/** A server starts in some seconds, and in several times that on a busy machine. */
const STARTING_MS = 180_000;

describe.each(RECORD_BACKENDS)('histories in $name', (backend) => {
  let settings: BackendSettings;
  beforeAll(async () => {
    settings = await backend.settings();
  }, STARTING_MS);
  afterAll(() => settings.release());

  conformance(backend.name, async () => {
    const records = await openBackend(backend.name, settings);
    return { store: storeOver(records), close: () => records.close() };
  });

  describe('written by two processes', () => {
    let records: readonly RecordStore[];
    let stores: readonly RecordHistoryStore[];
    beforeAll(async () => {
      const table = newTable();
      records = [
        await openBackend(backend.name, settings, table),
        await openBackend(backend.name, settings, table),
      ];
      stores = records.map(storeOver);
    });
    afterAll(async () => void (await Promise.all(records.map((one) => one.close()))));

    conformanceOfTwoWriters(() => {
      const [one, other] = stores;
      if (one === undefined || other === undefined) throw new Error('the stores are not open');
      return [one, other];
    });
  });
});
