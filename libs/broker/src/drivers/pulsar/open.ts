import { MAX_PAYLOAD_BYTES } from '@carillon/pulsar';
import { openCluster } from '../../cluster/open-cluster.js';
import type { BrokerOptions } from '../../broker-options.js';
import type { OpenedBroker } from '../../port.js';
import { pulsarWire } from './pulsar-wire.js';

/** Opens the driver `pulsar`. */
export async function openPulsar(options: BrokerOptions): Promise<OpenedBroker> {
  const settings = options.config.adapter.pulsar;
  return openCluster(options, pulsarWire(settings), {
    requestTimeoutMs: settings.request_timeout_ms,
    nodesNumber: settings.nodes_number,
    largestMessageBytes: MAX_PAYLOAD_BYTES,
  });
}
