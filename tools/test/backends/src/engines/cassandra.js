// One Cassandra node, the stand-in for ScyllaDB: the same protocol, statements and light-weight transactions.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withPath } from '../address.js';
import { cassandraQuery } from '../wire/cassandra.js';
import { javaArgs, javaNeeds } from './java.js';

const HEAP_MB = 384;
const VERSION = '5.0.5';
/** The user every new node has. */
const SUPERUSER = 'cassandra';

/** Every write is on disk before it is acknowledged, so that a kill loses none. @param {number} port @param {number} storagePort */
const settings = (port, storagePort) => `cluster_name: carillon
num_tokens: 1
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
endpoint_snitch: SimpleSnitch
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters: [{ seeds: '127.0.0.1:${storagePort}' }]
listen_address: 127.0.0.1
rpc_address: 127.0.0.1
storage_port: ${storagePort}
native_transport_port: ${port}
authenticator: PasswordAuthenticator
authorizer: CassandraAuthorizer
role_manager: CassandraRoleManager
commitlog_sync: batch
memtable_heap_space: 32MiB
memtable_offheap_space: 32MiB
file_cache_size: 16MiB
concurrent_reads: 4
concurrent_writes: 4
auto_snapshot: false
hinted_handoff_enabled: false
`;

const LOGGING = `<configuration>
  <appender name="out" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%d %-5level %msg%n</pattern></encoder></appender>
  <root level="ERROR"><appender-ref ref="out"/></root>
</configuration>
`;

/** Packages of the JDK that Cassandra reaches into. */
const EXPORTS = [
  'java.base/java.lang.ref',
  'java.base/jdk.internal.misc',
  'java.management.rmi/com.sun.jmx.remote.internal.rmi',
  'java.rmi/sun.rmi.registry',
  'java.rmi/sun.rmi.server',
  'java.sql/java.sql',
  'jdk.unsupported/sun.misc',
];
const OPENS = [
  'java.base/java.io',
  'java.base/java.lang',
  'java.base/java.lang.module',
  'java.base/java.lang.reflect',
  'java.base/java.nio',
  'java.base/java.util',
  'java.base/java.util.concurrent',
  'java.base/java.util.concurrent.atomic',
  'java.base/jdk.internal.loader',
  'java.base/jdk.internal.math',
  'java.base/jdk.internal.module',
  'java.base/jdk.internal.ref',
  'java.base/jdk.internal.reflect',
  'java.base/jdk.internal.util.jar',
  'java.base/sun.nio.ch',
  'jdk.management/com.sun.management.internal',
];

/** @param {import('../types.js').Site} site */
const cassandraArgs = ({ folder, tools: { jars } }) => [
  '-Djdk.attach.allowAttachSelf=true',
  ...EXPORTS.flatMap((name) => ['--add-exports', `${name}=ALL-UNNAMED`]),
  ...OPENS.flatMap((name) => ['--add-opens', `${name}=ALL-UNNAMED`]),
  `-javaagent:${jars}/jamm-0.4.0.jar`,
  `-Dlogback.configurationFile=${join(folder, 'logback.xml')}`,
  `-Dcassandra.config=${pathToFileURL(join(folder, 'cassandra.yaml')).href}`,
  `-Dcassandra.storagedir=${join(folder, 'data')}`,
  '-Dcassandra-foreground=yes',
  // A ring of one has nobody to wait for.
  '-Dcassandra.skip_wait_for_gossip_to_settle=0',
  '-Dcassandra.ring_delay_ms=100',
  '-Dcassandra.initial_token=0',
  '-Dcassandra.superuser_setup_delay_ms=0',
  '-Dcassandra.auth_bcrypt_gensalt_log2_rounds=4',
  ...javaArgs(jars, HEAP_MB),
  'org.apache.cassandra.service.CassandraDaemon',
];

/** @type {import('../types.js').Engine} */
export const cassandra = {
  name: 'cassandra',
  needs: {
    ...javaNeeds,
    artifact: { name: 'cassandra', coordinates: [`org.apache.cassandra:cassandra-all:${VERSION}`] },
  },
  portCount: 2,

  async plan(site) {
    const [port = 0, storagePort = 0] = site.ports;
    writeFileSync(join(site.folder, 'cassandra.yaml'), settings(port, storagePort));
    writeFileSync(join(site.folder, 'logback.xml'), LOGGING);
    const command = site.tools.programs.java ?? '';
    const node = { name: 'main', port, command, args: cassandraArgs(site) };
    return { url: `cassandra://${SUPERUSER}:${SUPERUSER}@127.0.0.1:${port}`, nodes: [node] };
  },

  async ready(url) {
    await cassandraQuery(url, 'select release_version from system.local');
  },

  /** A keyspace, whose name is the path of the URL. */
  async isolate(url, name) {
    const replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}";
    await cassandraQuery(url, `create keyspace ${name} with replication = ${replication}`);
    return {
      name,
      url: withPath(url, name),
      end: async () => void (await cassandraQuery(url, `drop keyspace if exists ${name}`)),
    };
  },
};
