import { openCluster } from '../../cluster/open-cluster.js';
import type { BrokerOptions } from '../../broker-options.js';
import type { OpenedBroker } from '../../port.js';
import { omqWire, peersOf } from './omq-wire.js';

/** Driver `omq`. Rejects when the endpoint of this process cannot be bound. */
export async function openOmq(options: BrokerOptions): Promise<OpenedBroker> {
  const { config, metrics, log } = options;
  const settings = config.adapter.omq;
  const dropped = metrics
    .counter('horizontal_transport_messages_dropped_total')
    .for({ driver: config.adapter.driver });
  const wire = await omqWire(settings, () => dropped.add());
  log.info('no broker stores messages: a peer that is not connected misses them', { driver: 'omq' });
  return openCluster(options, wire, {
    requestTimeoutMs: settings.request_timeout_ms,
    nodesNumber: settings.nodes_number ?? peersOf(settings).length + 1,
  });
}
