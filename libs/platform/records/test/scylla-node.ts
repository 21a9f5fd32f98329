import { engine, type EngineHandle } from '@carillon/test-backends';
import { configuration } from '@carillon/testing';
import { afterAll, beforeAll } from 'vitest';
import { openRecords, type RecordStore } from '../src/index.js';

/** A Cassandra node that belongs to one test file. */
export interface ScyllaNode {
  readonly handle: () => EngineHandle;
  /** A store over this table, not connected. */
  readonly open: (table: string, options?: { password?: string; timeoutMs?: number }) => Promise<RecordStore>;
}

/** A node takes some ten seconds to start. */
const START_LIMIT_MS = 120_000;

/** Long, because a busy machine settles contention of many commits late. */
const CALL_TIMEOUT_MS = 15_000;

/** Starts the node before the tests of a file, and ends it after them. */
export function useScyllaNode(): ScyllaNode {
  let node: EngineHandle;
  beforeAll(async () => {
    node = await engine('cassandra', { own: true });
  }, START_LIMIT_MS);
  afterAll(() => node.release());
  return {
    handle: () => node,
    open: async (table, { password = 'cassandra', timeoutMs = CALL_TIMEOUT_MS } = {}) => {
      const config = configuration(
        {
          SCYLLADB_NODES: `${node.host}:${node.port}`,
          SCYLLADB_KEYSPACE: 'records',
          SCYLLADB_REPLICATION_FACTOR: '1',
        },
        `[database.scylladb]\nusername = "cassandra"\npassword = "${password}"\n`,
      );
      return openRecords('scylladb', { config, table, timeoutMs });
    },
  };
}
