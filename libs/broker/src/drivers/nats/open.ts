import { openCluster } from '../../cluster/open-cluster.js';
import type { BrokerOptions } from '../../broker-options.js';
import type { OpenedBroker } from '../../port.js';
import { natsWire } from './nats-wire.js';

/** Driver `nats`. */
export async function openNats(options: BrokerOptions): Promise<OpenedBroker> {
  const { config, metrics } = options;
  const settings = config.adapter.nats;
  const events = metrics.counter('nats_events_total');
  const wire = natsWire({
    settings,
    connectionName: config.instance.process_id,
    onEvent: (event) => events.for({ event }).add(),
  });
  return openCluster(options, wire, {
    requestTimeoutMs: settings.request_timeout_ms,
    nodesNumber: settings.nodes_number,
    maxReconnects: settings.max_reconnects,
    discovery: {
      maxWaitMs: settings.discovery_max_wait_ms,
      idleWaitMs: settings.discovery_idle_wait_ms,
    },
  });
}
