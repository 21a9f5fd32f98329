import { configuration } from '@carillon/testing';
import type { ScyllaSettings } from '../src/index.js';

/** Settings that tests change; everything else has its default, but for one copy of every row. */
export interface Changes {
  readonly nodes?: readonly string[];
  readonly keyspace?: string;
  readonly username?: string | null;
  readonly password?: string | null;
  readonly replication_factor?: number;
}

export function settingsOf(changes: Changes = {}): ScyllaSettings {
  const lines = Object.entries({ replication_factor: 1, ...changes })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return configuration({}, ['[database.scylladb]', ...lines].join('\n')).database.scylladb;
}
