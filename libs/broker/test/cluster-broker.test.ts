import { clusterNode, knownListeners } from './cluster.js';
import { brokerPortConformance } from './conformance.js';
import { MemoryBroker } from './memory-broker.js';

for (const routing of ['interest', 'dual', 'broadcast'] as const) {
  brokerPortConformance(`of a cluster, routing by ${routing}`, async () => {
    const broker = new MemoryBroker();
    const faults: unknown[] = [];
    const open = () => clusterNode(broker.wire(), { routing }, (_, error) => faults.push(error));
    const nodes = [open(), open(), open()] as const;
    return {
      nodes: [nodes[0].broker, nodes[1].broker, nodes[2].broker],
      faults,
      settle: () => knownListeners(nodes),
      dispose: () => Promise.resolve(),
    };
  });
}
