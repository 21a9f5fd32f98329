import { MemoryRecords } from '@carillon/records';
import { describe } from 'vitest';
import { RecordHistoryStore } from '../src/index.js';
import { conformance } from './conformance.js';
import { conformanceOfTwoWriters } from './conformance-two-writers.js';
import { NOW_MS } from './scene.js';

const storeOver = (records: MemoryRecords): RecordHistoryStore =>
  new RecordHistoryStore(records, { now: () => NOW_MS, timeoutMs: 5000, surveyEveryMs: 0 });

conformance('record', async () => ({ store: storeOver(new MemoryRecords()), close: async () => {} }));

describe('two writers over one record store', () => {
  const records = new MemoryRecords();
  const stores = [storeOver(records), storeOver(records)] as const;
  conformanceOfTwoWriters(() => stores);
});
