import { clusterNode, knownListeners } from './cluster.js';
import { fabricConformance } from './conformance.js';
import { MemoryBroker } from './memory-broker.js';

for (const routing of ['interest', 'dual', 'broadcast'] as const) {
  fabricConformance(`of a cluster, routing by ${routing}`, async () => {
    const broker = new MemoryBroker();
    const faults: unknown[] = [];
    const open = () => clusterNode(broker.wire(), { routing }, (_, error) => faults.push(error));
    const nodes = [open(), open(), open()] as const;
    return {
      nodes: [nodes[0].fabric, nodes[1].fabric, nodes[2].fabric],
      faults,
      settle: () => knownListeners(nodes),
      dispose: () => Promise.resolve(),
    };
  });
}
