// One Kafka broker that is its own controller (KRaft).
import { writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { run } from '../processes/launch.js';
import { kafkaApis, kafkaBrokers } from '../wire/kafka.js';
import { javaArgs, javaNeeds } from './java.js';

const HEAP_MB = 256;

/** @param {string} folder @param {number} port @param {number} controllerPort */
const settings = (folder, port, controllerPort) => `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${port}
log.dirs=${join(folder, 'data')}
num.partitions=1
offsets.topic.num.partitions=4
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=500
log.cleaner.dedupe.buffer.size=16777216
num.network.threads=2
num.io.threads=4
`;

/** @type {import('../types.js').Engine} */
export const kafka = {
  name: 'kafka',
  needs: {
    ...javaNeeds,
    artifact: {
      name: 'kafka',
      coordinates: ['org.apache.kafka:kafka_2.13:4.4.0', 'org.slf4j:slf4j-simple:1.7.36'],
      // Named as a dependency but never published; only command-line tools would use it.
      exclusions: ['org.apache.kafka:kafka-tools-api'],
    },
  },
  portCount: 2,
  service: 'kafka',
  containerUrl: (port) => `kafka://127.0.0.1:${port}`,

  async plan({ folder, ports, tools }) {
    const [port = 0, controllerPort = 0] = ports;
    const file = join(folder, 'server.properties');
    writeFileSync(file, settings(folder, port, controllerPort));
    const command = tools.programs.java ?? '';
    const java = ['-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', ...javaArgs(tools.jars, HEAP_MB)];
    const cluster = randomBytes(16).toString('base64url');
    await run(
      command,
      [...java, 'kafka.tools.StorageTool', 'format', `--cluster-id=${cluster}`, '-c', file],
      { folder },
    );
    const node = { name: 'main', port, command, args: [...java, 'kafka.Kafka', file] };
    return { url: `kafka://127.0.0.1:${port}`, nodes: [node] };
  },

  async ready(url) {
    await kafkaApis(url);
    if ((await kafkaBrokers(url)).length === 0) throw new Error('the broker has not joined its cluster yet');
  },
};
