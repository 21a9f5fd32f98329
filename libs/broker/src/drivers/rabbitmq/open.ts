import { openCluster } from '../../cluster/open-cluster.js';
import type { BrokerOptions } from '../../broker-options.js';
import type { OpenedBroker } from '../../port.js';
import { rabbitmqWire } from './rabbitmq-wire.js';

/** Driver `rabbitmq`. */
export async function openRabbitmq(options: BrokerOptions): Promise<OpenedBroker> {
  const settings = options.config.adapter.rabbitmq;
  const wire = await rabbitmqWire(settings);
  return openCluster(options, wire, {
    requestTimeoutMs: settings.request_timeout_ms,
    nodesNumber: settings.nodes_number,
  });
}
