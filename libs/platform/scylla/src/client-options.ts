import { type ClientOptions, type DseClientOptions, policies, types } from 'cassandra-driver';
import { LocalDataCenterPolicy } from './local-data-center.js';
import type { ScyllaSettings } from './settings.js';

/** Bound of one request to one node. Servers give up a write after 2 s and a read after 5 s by default. */
const REQUEST_TIMEOUT_MS = 5000;
/** Bound of a statement that changes the schema, which all nodes must agree on. */
export const SCHEMA_TIMEOUT_MS = 12_000;

const CONNECT_TIMEOUT_MS = 5000;
const RECONNECT_DELAY_MS = 1000;
/** A connection whose peer disappeared silently is replaced after this time and one request timeout. */
const HEARTBEAT_MS = 5000;

/** None: the coordinator assigns timestamps, since clocks of servers are kept closer together than those of clients. */
const SERVER_TIMESTAMPS = null as unknown as policies.timestampGeneration.TimestampGenerator;

/** Options of the client library. The keyspace is named in every statement, since it may have to be created first. */
export function clientOptions(
  { nodes, username, password }: ScyllaSettings,
  addresses: ReadonlySet<string>,
): DseClientOptions {
  return {
    contactPoints: [...nodes],
    ...(username === null ? {} : { credentials: { username, password: password?.reveal() ?? '' } }),
    policies: {
      loadBalancing: new LocalDataCenterPolicy(addresses),
      reconnection: new policies.reconnection.ConstantReconnectionPolicy(RECONNECT_DELAY_MS),
      timestampGeneration: SERVER_TIMESTAMPS,
    },
    socketOptions: { connectTimeout: CONNECT_TIMEOUT_MS, readTimeout: REQUEST_TIMEOUT_MS, keepAlive: true },
    pooling: { heartBeatInterval: HEARTBEAT_MS },
    encoding: { useBigIntAsLong: true },
    queryOptions: QUERY_OPTIONS,
    monitorReporting: { enabled: false },
  };
}

/** A majority of the local replicas takes part in every read and write, so a read sees every resolved write. */
const QUERY_OPTIONS: NonNullable<ClientOptions['queryOptions']> = {
  prepare: true,
  consistency: types.consistencies.localQuorum,
  serialConsistency: types.consistencies.localSerial,
};
