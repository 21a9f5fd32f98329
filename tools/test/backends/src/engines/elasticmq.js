// ElasticMQ: the SQS protocol, in memory.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from '../wire/http.js';
import { javaArgs, javaNeeds } from './java.js';

const HEAP_MB = 128;

/** @param {number} port */
const settings = (port) => `include classpath("application.conf")
node-address { protocol = http, host = "127.0.0.1", port = ${port}, context-path = "" }
rest-sqs { enabled = true, bind-hostname = "127.0.0.1", bind-port = ${port}, sqs-limits = strict }
rest-stats { enabled = false }
queues-storage { enabled = false }
messages-storage { enabled = false }
`;

const LOGGING = `<configuration>
  <appender name="out" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%d %-5level %msg%n</pattern></encoder></appender>
  <root level="WARN"><appender-ref ref="out"/></root>
</configuration>
`;

/** One request of the SQS protocol (JSON). @param {string} url @param {string} action @param {Record<string, unknown>} body */
export const sqs = (url, action, body) =>
  json(`${url}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` },
    body: JSON.stringify(body),
  });

/** @type {import('../types.js').Engine} */
export const elasticmq = {
  name: 'elasticmq',
  needs: {
    ...javaNeeds,
    artifact: { name: 'elasticmq', coordinates: ['org.elasticmq:elasticmq-server_2.13:1.7.1'] },
  },
  portCount: 1,
  service: 'elasticmq',
  containerUrl: (port) => `http://127.0.0.1:${port}`,

  async plan({ folder, ports, tools }) {
    const [port = 0] = ports;
    writeFileSync(join(folder, 'elasticmq.conf'), settings(port));
    writeFileSync(join(folder, 'logback.xml'), LOGGING);
    const args = [
      `-Dconfig.file=${join(folder, 'elasticmq.conf')}`,
      `-Dlogback.configurationFile=${join(folder, 'logback.xml')}`,
      ...javaArgs(tools.jars, HEAP_MB),
      'org.elasticmq.server.Main',
    ];
    const node = { name: 'main', port, command: tools.programs.java ?? '', args };
    return { url: `http://127.0.0.1:${port}`, nodes: [node] };
  },

  async ready(url) {
    await sqs(url, 'ListQueues', {});
  },
};
