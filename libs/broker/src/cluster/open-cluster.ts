import type { BrokerOptions } from '../broker-options.js';
import { newNodeId } from '../node-id.js';
import { ClusterBroker } from './cluster-broker.js';
import { clusterMeters } from './meters.js';
import { clusterOptions, type ClusterSettings } from './options.js';
import type { Wire } from './wire.js';

/** The broker of this process over a wire. */
export function openCluster(
  { config, metrics, log, onFault }: BrokerOptions,
  wire: Wire,
  broker: ClusterSettings,
): ClusterBroker {
  const { driver } = config.adapter;
  metrics.known({ driver });
  return new ClusterBroker({
    wire,
    options: clusterOptions(config, broker),
    newNodeId: () => newNodeId(config.instance.process_id),
    onFault,
    meters: (readings) => clusterMeters(metrics, driver, readings),
    log,
  });
}
