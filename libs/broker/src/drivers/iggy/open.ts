import { MAX_BATCH_BYTES } from '@carillon/iggy';
import { openCluster } from '../../cluster/open-cluster.js';
import type { BrokerOptions } from '../../broker-options.js';
import type { OpenedBroker } from '../../port.js';
import { iggyWire } from './iggy-wire.js';

/** Opens the driver `iggy`. */
export async function openIggyBroker(options: BrokerOptions): Promise<OpenedBroker> {
  const settings = options.config.adapter.iggy;
  const wire = iggyWire({ settings, lanes: options.config.history.writer_shards });
  return openCluster(options, wire, {
    requestTimeoutMs: settings.request_timeout_ms,
    nodesNumber: settings.nodes_number,
    largestMessageBytes: MAX_BATCH_BYTES,
  });
}
