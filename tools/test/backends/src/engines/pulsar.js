// Pulsar standalone: broker, bookie and metadata in one process, with the WebSocket API on the port of the HTTP API.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from '../wire/http.js';
import { javaArgs, javaNeeds } from './java.js';

const HEAP_MB = 384;
const DIRECT_MB = 256;
/** Messages of the service may be larger than the 5 MiB that brokers take by default. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
const OPENED = [
  'java.base/java.nio',
  'java.base/jdk.internal.misc',
  'java.base/java.util.zip',
  'java.base/sun.net',
  'java.base/java.lang',
  'java.management/sun.management',
  'jdk.management/com.sun.management.internal',
];
const METADATA = 'org.apache.pulsar.metadata.bookkeeper';

/** @param {number} port @param {number} httpPort */
const settings = (port, httpPort) => `clusterName=standalone
brokerServicePort=${port}
webServicePort=${httpPort}
bindAddress=127.0.0.1
advertisedAddress=127.0.0.1
webSocketServiceEnabled=true
webSocketMaxTextFrameSize=${2 * MAX_MESSAGE_BYTES}
maxMessageSize=${MAX_MESSAGE_BYTES}
managedLedgerDefaultEnsembleSize=1
managedLedgerDefaultWriteQuorum=1
managedLedgerDefaultAckQuorum=1
managedLedgerCacheSizeMB=32
loadBalancerEnabled=false
loadManagerClassName=org.apache.pulsar.broker.loadbalance.NoopLoadManager
delayedDeliveryEnabled=true
delayedDeliveryTickTimeMillis=100
isDelayedDeliveryDeliverAtTimeStrict=true
systemTopicEnabled=false
topicLevelPoliciesEnabled=false
functionsWorkerEnabled=false
transactionCoordinatorEnabled=false
numIOThreads=2
numHttpServerThreads=8
webSocketNumIoThreads=2
journalSyncData=false
dbStorage_writeCacheMaxSizeMb=16
dbStorage_readAheadCacheMaxSizeMb=16
dbStorage_rocksDB_blockCacheSize=8388608
nettyMaxFrameSizeBytes=${MAX_MESSAGE_BYTES + 16 * 1024}
`;

/** @type {import('../types.js').Engine} */
export const pulsar = {
  name: 'pulsar',
  needs: {
    ...javaNeeds,
    artifact: { name: 'pulsar', coordinates: ['org.apache.pulsar:pulsar-broker:4.0.7'] },
  },
  portCount: 3,

  async plan({ folder, ports, tools }) {
    const [port = 0, httpPort = 0, bookiePort = 0] = ports;
    const file = join(folder, 'standalone.conf');
    writeFileSync(file, settings(port, httpPort));
    const args = [
      ...javaArgs(tools.jars, HEAP_MB),
      `-XX:MaxDirectMemorySize=${DIRECT_MB}m`,
      ...OPENED.map((one) => `--add-opens=${one}=ALL-UNNAMED`),
      `-Dbookkeeper.metadata.bookie.drivers=${METADATA}.PulsarMetadataBookieDriver`,
      `-Dbookkeeper.metadata.client.drivers=${METADATA}.PulsarMetadataClientDriver`,
      'org.apache.pulsar.PulsarStandaloneStarter',
      '--config',
      file,
      '--metadata-dir',
      join(folder, 'metadata'),
      '--bookkeeper-dir',
      join(folder, 'bookkeeper'),
      '--bookkeeper-port',
      String(bookiePort),
      '-nfw',
      '-nss',
    ];
    const node = { name: 'main', port, command: tools.programs.java ?? '', args };
    return { url: `ws://127.0.0.1:${httpPort}`, nodes: [node] };
  },

  async ready(url) {
    const http = url.replace(/^ws/, 'http');
    await json(`${http}/lookup/v2/topic/persistent/public/default/carillon-ready`);
  },
};
