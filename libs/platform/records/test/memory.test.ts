import { MemoryRecords } from '../src/index.js';
import { recordsConformance } from './conformance.js';

const tables = new Map<string, MemoryRecords>();

/** Stores of one table share their rows, as processes do. */
function tableOf(name: string): MemoryRecords {
  const table = tables.get(name) ?? new MemoryRecords();
  tables.set(name, table);
  return table;
}

recordsConformance('memory', { open: async (table) => tableOf(table) });
