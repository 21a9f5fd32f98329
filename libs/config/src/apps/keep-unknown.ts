import { isTable } from './table.js';
import type { AppRecord } from './record.js';
import type { Table } from './extra.js';

/**
 * Returns `next` with the unknown members of `stored`: an update by this version must not erase members written by
 * another one. Applies to every table of the record; entries of lists (webhooks, namespaces) carry only their own.
 */
export function keepUnknownMembers(next: AppRecord, stored: AppRecord): AppRecord {
  return merged(next, stored) as AppRecord;
}

function merged(next: Table, stored: Table): Table {
  const members = Object.entries(next).map(([name, value]): [string, unknown] => {
    const before: unknown = stored[name as keyof Table];
    if (name === 'extra') return [name, Object.freeze({ ...stored.extra, ...next.extra })];
    return [name, hasExtra(value) && hasExtra(before) ? merged(value, before) : value];
  });
  return Object.freeze({ ...next, ...Object.fromEntries(members) });
}

const hasExtra = (value: unknown): value is Table => isTable(value) && isTable(value['extra']);
