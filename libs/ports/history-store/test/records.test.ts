import { MemoryRecords } from '@carillon/records';
import { describe } from 'vitest';
import { conformance } from './conformance.js';
import { conformanceOfTwoWriters } from './conformance-two-writers.js';
import { storeOver } from './record-backends.js';

conformance('record', async () => ({ store: storeOver(new MemoryRecords()), close: async () => {} }));

describe('two writers over one record store', () => {
  const records = new MemoryRecords();
  const stores = [storeOver(records), storeOver(records)] as const;
  conformanceOfTwoWriters(() => stores);
});
