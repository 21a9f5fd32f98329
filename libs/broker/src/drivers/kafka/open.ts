import { clusterOptions } from '../../cluster/options.js';
import { openCluster } from '../../cluster/open-cluster.js';
import type { BrokerOptions } from '../../broker-options.js';
import type { OpenedBroker } from '../../port.js';
import { kafkaWire } from './kafka-wire.js';

/** Driver `kafka`. */
export async function openKafka(options: BrokerOptions): Promise<OpenedBroker> {
  const { config } = options;
  const settings = config.adapter.kafka;
  const broker = { requestTimeoutMs: settings.request_timeout_ms, nodesNumber: settings.nodes_number };
  const { maxMessageBytes } = clusterOptions(config, broker);
  const wire = await kafkaWire({
    settings,
    clientId: config.instance.process_id,
    maxMessageBytes,
    lanes: config.history.writer_shards,
  });
  return openCluster(options, wire, broker);
}
