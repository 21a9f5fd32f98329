import { openCluster } from '../../cluster/open-cluster.js';
import type { FabricOptions } from '../../fabric-options.js';
import type { OpenedFabric } from '../../port.js';
import { pubsubWire } from './pubsub-wire.js';

/** Driver `google-pubsub`. */
export async function openGooglePubsub(options: FabricOptions): Promise<OpenedFabric> {
  const settings = options.config.adapter.google_pubsub;
  return openCluster(options, pubsubWire(settings), {
    requestTimeoutMs: settings.request_timeout_ms,
    nodesNumber: settings.nodes_number,
  });
}
