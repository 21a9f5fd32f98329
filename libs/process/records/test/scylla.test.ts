import { engine, type EngineHandle } from '@carillon/engines';
import { configuration } from '@carillon/testing';
import { afterAll, beforeAll } from 'vitest';
import { openRecords, type RecordStore } from '../src/index.js';
import { recordsConformance } from './conformance.js';

let node: EngineHandle;
beforeAll(async () => {
  node = await engine('cassandra', { own: true });
});
afterAll(() => node.release());

async function open(table: string, password = 'cassandra'): Promise<RecordStore> {
  const settings = [
    'keyspace = "records"',
    'username = "cassandra"',
    `password = "${password}"`,
    'replication_factor = 1',
  ];
  const config = configuration(
    { SCYLLADB_NODES: `${node.host}:${node.port}` },
    ['[database.scylladb]', ...settings].join('\n'),
  );
  return openRecords('scylladb', { config, table });
}

recordsConformance('scylladb', {
  open: (table) => open(table),
  openWithWrongCredentials: () => open('t', 'wrong'),
  server: {
    restart: () => node.restart(),
    pause: () => node.pause(),
    resume: () => node.resume(),
  },
});
