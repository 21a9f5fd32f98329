import { isForbidden, ScyllaRejected } from './failures.js';
import { quoted, type ScyllaSettings } from './settings.js';

/** Session operations for the creation of a keyspace. */
interface KeyspaceSession {
  readonly settings: ScyllaSettings;
  readonly read: (select: { query: string; params: string[] }) => Promise<{ rows: readonly unknown[] }>;
  readonly changeSchema: (query: string) => Promise<void>;
  readonly isScylla: () => Promise<boolean>;
}

/** Creates the keyspace unless it exists. @throws ScyllaRejected if the user may not create it. */
export async function ensureKeyspace(session: KeyspaceSession): Promise<void> {
  const { keyspace } = session.settings;
  if (await hasKeyspace(session)) return;
  try {
    await createKeyspace(session);
  } catch (thrown) {
    if (!isForbidden(thrown)) throw thrown;
    throw new ScyllaRejected(
      `database.scylladb.keyspace "${keyspace}" does not exist, and user "${session.settings.username}" may not create it; create it, or grant CREATE on all keyspaces`,
      { cause: thrown },
    );
  }
}

async function hasKeyspace(session: KeyspaceSession): Promise<boolean> {
  const query = 'SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?';
  return (await session.read({ query, params: [session.settings.keyspace] })).rows.length > 0;
}

/** Conditional writes and indexes do not work over the tablets of some releases of ScyllaDB; Cassandra has none. */
async function createKeyspace(session: KeyspaceSession): Promise<void> {
  const { keyspace, replication_class, replication_factor } = session.settings;
  const replication = `{'class': '${replication_class}', 'replication_factor': ${replication_factor}}`;
  const create = `CREATE KEYSPACE IF NOT EXISTS ${quoted(keyspace)} WITH replication = ${replication}`;
  if (!(await session.isScylla())) return session.changeSchema(create);
  try {
    await session.changeSchema(`${create} AND tablets = {'enabled': false}`);
  } catch (thrown) {
    // Releases without tablets do not know the option.
    if (!(thrown instanceof ScyllaRejected) || isForbidden(thrown)) throw thrown;
    await session.changeSchema(create);
  }
}
