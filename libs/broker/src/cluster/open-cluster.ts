import type { FabricOptions } from '../fabric-options.js';
import { newNodeId } from '../node-id.js';
import { ClusterFabric } from './cluster-fabric.js';
import { clusterMeters } from './meters.js';
import { clusterOptions, type BrokerOptions } from './options.js';
import type { Wire } from './wire.js';

/** The fabric of this process over a wire. */
export function openCluster(
  { config, metrics, log, onFault }: FabricOptions,
  wire: Wire,
  broker: BrokerOptions,
): ClusterFabric {
  const { driver } = config.adapter;
  metrics.known({ driver });
  return new ClusterFabric({
    wire,
    options: clusterOptions(config, broker),
    newNodeId: () => newNodeId(config.instance.process_id),
    onFault,
    meters: (readings) => clusterMeters(metrics, driver, readings),
    log,
  });
}
