import { openCluster } from '../../cluster/open-cluster.js';
import type { BrokerOptions } from '../../broker-options.js';
import type { OpenedBroker } from '../../port.js';
import { pubsubWire } from './pubsub-wire.js';

/** Driver `google-pubsub`. */
export async function openGooglePubsub(options: BrokerOptions): Promise<OpenedBroker> {
  const settings = options.config.adapter.google_pubsub;
  return openCluster(options, pubsubWire(settings), {
    requestTimeoutMs: settings.request_timeout_ms,
    nodesNumber: settings.nodes_number,
  });
}
