import { Databases } from '@carillon/database';
import type { RecordStore } from '@carillon/records';
import { createParts, type Logger } from '@carillon/runtime';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { RecordHistoryStore } from '../src/index.js';
import { openConfigured } from '../src/open.js';
import { conformance } from './conformance.js';
import { conformanceOfTwoWriters } from './conformance-two-writers.js';
import {
  type BackendSettings,
  configOf,
  newTable,
  openBackend,
  RECORD_BACKENDS,
  storeOver,
} from './record-backends.js';
import { addressOf, append, headOf } from './scene.js';

/** A server starts in some seconds, and in several times that on a busy machine. */
const STARTING_MS = 180_000;

const NO_LOG = new Proxy({} as Logger, { get: () => () => {} });

it('rejects a payload limit that exceeds one commit', () => {
  const json = { event_limits: { max_payload_in_kb: 4096 } };
  const config = configOf({ env: { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'surreal' }, json });
  const databases = new Databases(createParts(config));
  expect(() => openConfigured({ config, databases, log: NO_LOG, now: Date.now })).toThrow(
    'event_limits.max_payload_in_kb 4096 exceeds what history.backend surrealdb can store; use at most 1580',
  );
});

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

  it('opens as history.backend of a process', async () => {
    const config = configOf({
      env: { ...settings.env, HISTORY_ENABLED: 'true', HISTORY_BACKEND: backend.name },
      json: settings.json,
    });
    const open = openConfigured({
      config,
      databases: new Databases(createParts(config)),
      log: NO_LOG,
      now: Date.now,
    });
    onTestFinished(() => open.close());
    await open.store.connect();
    await append(open.store, addressOf('configured'), [{}]);
    expect(await headOf(open.store, addressOf('configured'))).toMatchObject({ nextDeliverySerial: 2 });
    await open.health();
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
